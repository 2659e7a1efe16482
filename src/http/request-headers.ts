// The header fields of a request, by names in lower case; `node:http` has joined repeated ones with commas
// (RFC 9110 section 5.3).
import type { IncomingMessage } from 'node:http';
import { Problem } from '../errors.ts';
import { headerBytesMax } from '../limits.ts';

export type RequestHeaders = Readonly<Record<string, string | undefined>>;

export function headersOf(request: IncomingMessage): RequestHeaders {
  return request.headers as RequestHeaders; // only Set-Cookie would be an array, and nobody reads it
}

/** How often a field came that comes once. */
export function countOccurrences({ headers, rawHeaders }: IncomingMessage, name: string): number {
  const joined = headers[name];
  if (joined === undefined) return 0;
  if (!joined.includes(',')) return 1;
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}

/** HTTP/1, and (RFC 9112 section 3.2) exactly one Host, which only HTTP/1.0 may leave out. */
export function checkHost(request: IncomingMessage): void {
  if (request.httpVersionMajor !== 1)
    throw new Problem('bad-request', 'Only HTTP/1.1 and HTTP/1.0 are supported.');
  const hosts = countOccurrences(request, 'host');
  if (hosts === 0 && request.httpVersionMinor === 1)
    throw new Problem('bad-request', 'The request must have a Host header.');
  if (hosts > 1) throw new Problem('bad-request', 'The request must have exactly one Host header.');
  const { host } = request.headers;
  if (host !== undefined && !hostForm.test(host))
    throw new Problem('bad-request', 'Host must be a host name or an address, optionally with a port.');
}

/** `uri-host [ ":" port ]` (RFC 9112 section 3.2, RFC 3986 section 3.2.2); empty where a target has none. */
const hostForm = /^(?:\[[\w.:~!$&'()*+,;=-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** The parser counts names and values alone: here the separators of each field, 4 bytes, count, too. */
export function checkHeaderBytes({ rawHeaders }: IncomingMessage): void {
  let bytes = 2 * rawHeaders.length;
  for (const text of rawHeaders) bytes += text.length;
  if (bytes > headerBytesMax) throw headersTooLarge();
}

export function headersTooLarge(): Problem {
  return new Problem(
    'headers-too-large',
    `The header fields must have at most ${headerBytesMax} bytes in all.`,
  );
}
