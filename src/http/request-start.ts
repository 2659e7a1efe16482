// What the first bytes of a request show if no parser has read them: its method, its path, the client's id.
import { headerBytesMax, urlBytesMax } from '../limits.ts';
import { splitTarget } from './query.ts';
import { requestIdFrom } from './request-id.ts';

export type RequestStart = {
  readonly method: string;
  /** Undefined unless the bytes hold a whole request line whose target is a path. */
  readonly path: string | undefined;
  /** Undefined unless the bytes hold a whole and valid X-Request-Id field. */
  readonly requestId: string | undefined;
};

const bytesMax = urlBytesMax + headerBytesMax;
/** A token (RFC 9110 section 5.6.2), of which 32 characters are enough for a method. */
const methodForm = /^([\w!#$%&'*+.^`|~-]{1,32}) /;
const requestLineForm = /^[^ ]+ (\/[!-~]*) HTTP\/1\.[01]\r?\n/;
const requestIdForm = /\nx-request-id:[ \t]*([\w.-]+)[ \t]*\r?\n/i;

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
    requestId: requestIdFrom(requestIdForm.exec(headOf(text))?.[1]),
  };
}

/** Without the body, as far as the text has one; with the line break that ends the last field. */
function headOf(text: string): string {
  const end = text.search(/\r?\n\r?\n/);
  return end === -1 ? text : text.slice(0, end + 2);
}
