// Reads method, path and the client's request id from the first bytes of a request that was not parsed.
import { headerBytesMax, urlBytesMax } from '../limits.ts';
import { splitTarget } from './query.ts';
import { requestIdFrom } from './request-id.ts';

export type RequestStart = {
  readonly method: string;
  /** Undefined unless the bytes hold a whole request line whose target is a path. */
  readonly path: string | undefined;
  /** Undefined unless the bytes hold a whole and well-formed head with one valid X-Request-Id field. */
  readonly requestId: string | undefined;
};

const bytesMax = urlBytesMax + headerBytesMax;
/** A method is a token (RFC 9110 section 5.6.2); 32 characters are enough for one. */
const methodForm = /^([\w!#$%&'*+.^`|~-]{1,32}) /;
/** The origin form of the target, or the absolute form (RFC 9112 section 3.2). */
const requestLineForm = /^[^ ]+ ((?:(?i:https?):\/)?\/[!-~]*) HTTP\/1\.[01]\r?\n/;
/** A field line (RFC 9112 section 5); one that begins with a blank would continue the line before it. */
const fieldForm = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/;
const valueForm = /^[ \t]*([\w.-]+)[ \t]*$/;

/** Returns undefined unless `bytes` begin with a method. */
export function readRequestStart(bytes: Buffer): RequestStart | undefined {
  const text = bytes.toString('latin1', 0, bytesMax);
  const method = methodForm.exec(text)?.[1];
  if (method === undefined) return undefined;
  const target = requestLineForm.exec(text)?.[1];
  const isPath = target !== undefined && target.length <= urlBytesMax;
  return {
    method,
    path: isPath ? splitTarget(target).path : undefined,
    requestId: requestIdFrom(parseRequestId(text)),
  };
}

/** Returns the value of X-Request-Id if the head is complete and well-formed and has the field once. */
function parseRequestId(text: string): string | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const ids: string[] = [];
  for (const line of text.slice(0, end).split('\r\n').slice(1)) {
    const [, name, value] = fieldForm.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    if (name.toLowerCase() === 'x-request-id') ids.push(value);
  }
  return ids.length === 1 ? valueForm.exec(ids[0] ?? '')?.[1] : undefined;
}
