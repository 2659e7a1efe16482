// The header fields of a request, by names in lower case; `node:http` has joined repeated ones with commas
// (RFC 9110 section 5.3).
import type { IncomingMessage } from 'node:http';
import { Problem } from '../errors.ts';

export type Fields = Readonly<Record<string, string | undefined>>;

export function fieldsOf(request: IncomingMessage): Fields {
  return request.headers as Fields; // only Set-Cookie would be an array, and nobody reads it
}

/** How often a field came that comes once. */
export function timesSent({ headers, rawHeaders }: IncomingMessage, name: string): number {
  const joined = headers[name];
  if (joined === undefined) return 0;
  if (!joined.includes(',')) return 1;
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}

/** HTTP/1, and (RFC 9112 section 3.2) exactly one Host, which only HTTP/1.0 may leave out. */
export function checkHost(request: IncomingMessage): void {
  if (request.httpVersionMajor !== 1)
    throw new Problem('bad-request', 'Only HTTP/1.1 and HTTP/1.0 are spoken here.');
  const hosts = timesSent(request, 'host');
  if (hosts === 0 && request.httpVersionMinor === 1)
    throw new Problem('bad-request', 'A request has a Host field.');
  if (hosts > 1) throw new Problem('bad-request', 'A request has one Host field, not several.');
}
