// The head of a request: its target and its header fields, which have lower-case names. `node:http` has joined
// repeated fields with commas (RFC 9110 section 5.3).
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { networkOf } from '../../base/addresses.ts';
import { Problem } from '../../problem.ts';
import { fits } from '../../schema/schema-check.ts';
import { clientAddress, type Peer } from '../connections/peer.ts';
import {
  headerBytesMax,
  headerFieldsMax,
  headersOf,
  RequestId,
  urlBytesMax,
  type RequestField,
  type RequestHeaders,
} from '../connections/request-fields.ts';
import { splitTarget } from '../routing/request-target.ts';
import { separateApiKeys } from './query.ts';

/** The head of a request as it was sent, and what follows from it alone. */
export type RequestHead = {
  readonly request: IncomingMessage;
  readonly headers: RequestHeaders;
  /** The id that the client sent, or a new one. */
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The query without the parameters `api_key`, whose values are in `queryApiKeys`. */
  readonly queryString: string;
  readonly queryApiKeys: readonly string[];
  readonly peer: Peer;
  /** The client's own address, even behind trusted proxies. */
  readonly address: string;
  /** The client's network: an IPv4 address, or an IPv6 /48. */
  readonly network: string;
};

export function readHead(request: IncomingMessage, peer: Peer, nextRequestId: () => string): RequestHead {
  const headers = headersOf(request);
  const { path, query } = splitTarget(request.url ?? '/');
  const { rest: queryString, keys: queryApiKeys } = separateApiKeys(query);
  const { 'x-request-id': sentId } = headers;
  const requestId = sentId !== undefined && fits(RequestId, sentId) ? sentId : nextRequestId();
  const address = clientAddress(peer, headers);
  const { method = 'GET' } = request;
  const network = networkOf(address);
  return { request, headers, requestId, method, path, queryString, queryApiKeys, peer, address, network };
}

/** Throws unless the head is valid for any path. */
export function checkHead(head: RequestHead): void {
  checkTarget(head.request);
  checkHeaderFields(head.request);
  checkHost(head);
  const issue = transferEncodingIssue(head);
  if (issue !== undefined) throw badRequest(issue);
}

/** Returns the values of a field's lines, since a value with a comma may have been joined from several. */
export function fieldValues({ request: { rawHeaders }, headers }: RequestHead, name: RequestField): string[] {
  const joined = headers[name];
  if (joined === undefined) return [];
  if (!joined.includes(',')) return [joined];
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/**
 * The asterisk form is valid only with OPTIONS (RFC 9112 section 3.2.4), and the absolute form must not name a
 * user (RFC 9110 section 4.2.4).
 */
function checkTarget({ url = '', method }: IncomingMessage): void {
  if (url.length > urlBytesMax)
    throw new Problem('uri-too-long', `The request target must have at most ${urlBytesMax} bytes.`);
  if (url === '*' && method !== 'OPTIONS')
    throw badRequest('The request target * is only valid with OPTIONS.');
  const authority = url.startsWith('/') ? undefined : /^[^/?]*:\/\/([^/?]*)/.exec(url)?.[1];
  if (authority !== undefined && !hostForm.test(authority))
    throw badRequest('The request target must name a host name or an address, optionally with a port.');
}

/** Requires HTTP/1.x and exactly one Host (RFC 9112 section 3.2), which only HTTP/1.0 may leave out. */
function checkHost(head: RequestHead): void {
  const { request } = head;
  if (request.httpVersionMajor !== 1) throw badRequest('Only HTTP/1.1 and HTTP/1.0 are supported.');
  const hosts = fieldValues(head, 'host').length;
  if (hosts === 0 && request.httpVersionMinor === 1) throw badRequest('The request must have a Host header.');
  if (hosts > 1) throw badRequest('The request must have exactly one Host header.');
  const { host } = head.headers;
  if (host !== undefined && !hostForm.test(host))
    throw badRequest('Host must be a host name or an address, optionally with a port.');
}

/** `uri-host [ ":" port ]` (RFC 9112 section 3.2, RFC 3986 section 3.2.2); empty if a target has none. */
const hostForm = /^(?:\[[\w.:~!$&'()*+,;=-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * Rejects any transfer coding except `chunked`. With others, or in HTTP/1.0, a proxy may disagree about where
 * the body ends, and take the bytes after it for another client's request (RFC 9112 section 6.1).
 */
function transferEncodingIssue({ request, headers }: RequestHead): string | undefined {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (request.httpVersionMinor === 0) return 'HTTP/1.0 has no Transfer-Encoding.';
  return coding.toLowerCase() === 'chunked' ? undefined : 'Transfer-Encoding must be chunked.';
}

/** Whether further requests of the connection can't be read. */
export function isLastOfConnection(head: RequestHead): boolean {
  // after an Upgrade `node:http` drops the rest of the same packet
  return head.headers['upgrade'] !== undefined || transferEncodingIssue(head) !== undefined;
}

/** Node drops fields beyond the maximum plus one, so longer heads are recognized, too. */
function checkHeaderFields({ rawHeaders }: IncomingMessage): void {
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length + 2; // with ": " and the line break
  if (bytes > headerBytesMax || rawHeaders.length > 2 * headerFieldsMax)
    throw new Problem(
      'headers-too-large',
      `The header fields must be at most ${headerFieldsMax}, of ${headerBytesMax} bytes in all.`,
    );
}

function badRequest(detail: string): Problem {
  return new Problem('bad-request', detail);
}

/** Generates ids from a random prefix and a counter, which needs no new randomness for each request. */
export function createRequestIds(): () => string {
  const prefix = `${randomBytes(9).toString('base64url')}-`;
  let count = 0;
  return () => prefix + (count += 1);
}
