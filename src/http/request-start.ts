// What the first bytes of a request show if no parser has read them: its method, its path, the client's id.
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
/** A token (RFC 9110 section 5.6.2), of which 32 characters are enough for a method. */
const methodForm = /^([\w!#$%&'*+.^`|~-]{1,32}) /;
/** The origin form of the target, or the absolute form (RFC 9112 section 3.2). */
const requestLineForm = /^[^ ]+ ((?:(?i:https?):\/)?\/[!-~]*) HTTP\/1\.[01]\r?\n/;
/** RFC 9112 section 5; a line that begins with a blank would be folded into the one before it. */
const fieldForm = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/;
const valueForm = /^[ \t]*([\w.-]+)[ \t]*$/;

/** Undefined unless `bytes` begin with a method. */
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

/** The value of the head's one X-Request-Id field, which the parser would take for one, too. */
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
