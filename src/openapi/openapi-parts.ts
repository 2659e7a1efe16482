// The parts of the OpenAPI document that routes share: header fields, security schemes, tags.
import type { Json } from './openapi-components.ts';
import { RequestId } from '../http/request-id.ts';
import type { Route } from '../http/route.ts';

const visible = '^[\\x21-\\x7e][\\x20-\\x7e]*$';
const text = { type: 'string', maxLength: 8192, pattern: visible } as const;
const etag = { type: 'string', maxLength: 64, pattern: '^(W/)?"[^"]*"$' } as const;
const limited = (pattern: string) => ({ type: 'string', maxLength: 300, pattern }) as const;

/** The schemas of bodies that aren't JSON. */
export const textSchemas: Readonly<Record<string, { readonly [keyword: string]: unknown }>> = {
  'text/html': {
    type: 'string',
    maxLength: 4_000_000,
    pattern: '^<!doctype html>',
    description: 'A page for people.',
  },
  'text/plain': {
    type: 'string',
    maxLength: 4_000_000,
    pattern: '^# ',
    description: 'Prometheus text format.',
  },
  'text/javascript': {
    type: 'string',
    maxLength: 4_000_000,
    pattern: '^// ',
    description: 'A module of a page.',
  },
  'text/css': {
    type: 'string',
    maxLength: 4_000_000,
    pattern: '^/\\* ',
    description: 'The stylesheet of a page.',
  },
  'text/csv': {
    type: 'string',
    maxLength: Number.MAX_SAFE_INTEGER,
    pattern: '^id,',
    description: 'The whole list as a table (RFC 4180), with a header line. The API notes list the columns.',
  },
  'application/x-ndjson': {
    type: 'string',
    maxLength: Number.MAX_SAFE_INTEGER,
    pattern: '^(\\{.*\\}\\n)*$',
    description: 'A JSON object in each line: all elements of a list, or what became of each imported line.',
  },
  'text/event-stream': {
    type: 'string',
    maxLength: Number.MAX_SAFE_INTEGER,
    pattern: '^retry: ',
    description:
      'Server-sent events (WHATWG), until the client or the service ends them: `id` is the cursor after ' +
      'the event, `event` its type, `data` the event as JSON. A quiet stream has a comment every 15 seconds.',
  },
};

/** Header fields of responses. */
export const headerFields = {
  'X-Request-Id': {
    description: 'Identifies the request in the log; the client’s own, if it sent one.',
    schema: RequestId,
  },
  'RateLimit-Policy': {
    description: 'The rates that apply: `q` requests in `w` seconds.',
    schema: limited('^"[a-z-]+";q=\\d+;w=\\d+(, "[a-z-]+";q=\\d+;w=\\d+)*$'),
  },
  RateLimit: {
    description: 'What is left: `r` requests; the full number again after `t` seconds.',
    schema: limited('^"[a-z-]+";r=\\d+;t=\\d+(, "[a-z-]+";r=\\d+;t=\\d+)*$'),
  },
  'Strict-Transport-Security': { description: 'Over TLS.', schema: limited('^max-age=\\d+$') },
  ETag: { description: 'The version of what was sent.', schema: etag },
  'Cache-Control': { description: 'How the response may be cached.', schema: text },
  Vary: { description: 'Which request headers the response depends on.', schema: text },
  'Content-Encoding': {
    description: 'Present if Accept-Encoding allows it.',
    schema: { type: 'string', enum: ['br', 'gzip'] },
  },
  'Content-Security-Policy': { description: 'What a browser may load for the page.', schema: text },
  'X-Content-Type-Options': {
    description: 'Browsers must not guess another Content-Type.',
    schema: { type: 'string', enum: ['nosniff'] },
  },
  'Referrer-Policy': {
    description: 'What a browser reveals to the targets of links.',
    schema: { type: 'string', enum: ['no-referrer'] },
  },
  'Cross-Origin-Opener-Policy': {
    description: 'Isolates the page from windows of other origins.',
    schema: { type: 'string', enum: ['same-origin'] },
  },
  Location: {
    description: 'Where the created object is.',
    schema: { type: 'string', maxLength: 200, pattern: '^/' },
  },
  Link: {
    description: 'The next page (`rel="next"`), or this description (`rel="service-desc"`).',
    schema: text,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750, RFC 9470).',
    schema: limited('^Bearer '),
  },
  'Set-Cookie': {
    description: 'A browser’s refresh token, or its removal.',
    schema: limited('^__Host-Http-orderly='),
  },
  'Retry-After': { description: 'After how many seconds to try again.', schema: limited('^\\d+$') },
  'X-Accel-Buffering': {
    description: 'Of a stream: proxies must not buffer it.',
    schema: { type: 'string', enum: ['no'] },
  },
  'Content-Disposition': {
    description: 'Of an export: the name of the file.',
    schema: limited('^attachment; filename="[a-z0-9.-]+"$'),
  },
  Accept: { description: 'The media types accepted by POST and PUT.', schema: text },
  'Accept-Encoding': {
    description: 'Bodies must not be encoded.',
    schema: { type: 'string', enum: ['identity'] },
  },
  'Accept-Patch': { description: 'The formats accepted by PATCH.', schema: text },
  'Idempotency-Replayed': {
    description: 'The response is the stored one of the first request with this Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Access-Control-Allow-Origin': {
    description: 'The requesting origin, if the service is configured to allow it.',
    schema: limited('^https?://'),
  },
};

/** Header fields of requests. */
export const requestFieldParameters = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An identifier for the request, in the log and in the response.',
    schema: RequestId,
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags that the client has; 304 if one of them is current.',
    schema: text,
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag that the client has; 412 if it is not current.',
    schema: text,
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Where to resume an event stream: the `id` of the last event received.',
    schema: { type: 'string', maxLength: 4_000, pattern: '^[\\x21-\\x7e]*$' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique key for this change: repeated within 24 hours, it returns the first response again.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
};

export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token of a session: `Authorization: Bearer …`. A JWT (RFC7519) that follows the best ' +
      'practices of RFC8725.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'An API key: acts as its user, within its scopes. Where a client can’t set header fields, the query ' +
      'parameter `api_key` carries the key instead; URLs are logged in many places, so that form is less ' +
      'secure, and an operator can disable it.',
  },
};

export const tags = [
  { name: 'Users', description: 'People who sign in. `role` is `user`, `staff` or `admin`.' },
  { name: 'Sessions', description: 'Signing in, staying signed in, signing out.' },
  { name: 'API keys', description: 'Credentials for other programs.' },
  { name: 'Customers', description: 'The people and companies that order.' },
  { name: 'Orders', description: 'What was ordered, and its status.' },
  { name: 'Events', description: 'What happened: of one object, or all of it in order.' },
  { name: 'Webhooks', description: 'Events sent to other programs, for administrators.' },
  {
    name: 'Service',
    description:
      'Health, metrics and documentation of the service. A client for users, customers and orders needs ' +
      'none of these: its generator can leave the tag out.',
  },
];

/** Returns the names of header fields that any response of the route may have. */
export function commonFields({ isUnlimited }: Route): string[] {
  const limits = isUnlimited === true ? [] : ['RateLimit-Policy', 'RateLimit'];
  return ['X-Request-Id', ...limits, 'Strict-Transport-Security', 'Access-Control-Allow-Origin'];
}

export function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: headerRef(name) }]));
}

export function headerRef(name: string): string {
  return `#/components/headers/${name}`;
}
