// Sends the service's own requests: a POST to a webhook's URL, each over its own connection to a checked address.
// It follows no redirects, and uses no proxy that the environment names.
import { lookup as systemLookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { hostOf, type AddressLookup } from '../../base/addresses.ts';
import { headerBytesMax } from '../../http/connections/request-fields.ts';
import { tlsSettings } from '../../http/connections/tls-settings.ts';
import type { WebhookTargets } from './webhook-targets.ts';
import type { WebhookErrorCode } from './webhook.ts';

/** A longer response to a delivery closes its connection. */
const responseBytesMax = 16 * 1024;
/** A response whose body takes longer closes its connection, too: the status is already known. */
const responseMillisecondsMax = 1_000;
/** The number of 1xx responses that are accepted before the final one. */
const interimResponsesMax = 10;
const connectionSettings = {
  ...tlsSettings,
  autoSelectFamily: true, // so that look-ups return all addresses, whatever Node's flags say
} as const;

type Post = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request in any state. */
  readonly signal: AbortSignal;
};

export type PostResult = { readonly kind: 'delivered'; readonly status: number } | PostFailure;
export type PostFailure = {
  readonly kind: 'rejected' | 'blocked' | 'timeout' | 'failed';
  readonly code: WebhookErrorCode;
  /** A code of the system or a sentence, for the log. */
  readonly cause: string;
  /** The status of the response; undefined if there was none. */
  readonly status?: number;
  readonly retryAfter?: string | undefined;
};

type PostOptions = {
  readonly targets: WebhookTargets;
  /** What tests use instead of `dns.lookup`. */
  readonly lookup?: AddressLookup | undefined;
  /** The authorities to trust instead of the default ones, in PEM. */
  readonly authorities?: readonly string[] | undefined;
};

export function sendPost(
  { url, headers, body, signal }: Post,
  { targets, lookup = systemLookup, authorities }: PostOptions,
): Promise<PostResult> {
  const { protocol } = url;
  const host = hostOf(url);
  // a URL with an IP address causes no look-up, which would check the address
  if (isIP(host) !== 0 && !targets.permits(host, protocol)) return Promise.resolve(blocked(host));
  const { promise, resolve } = Promise.withResolvers<PostResult>();
  const send: typeof httpsRequest =
    protocol === 'http:'
      ? process.getBuiltinModule('node:http').request
      : process.getBuiltinModule('node:https').request;
  const request = send(url, {
    ...connectionSettings,
    ca: authorities?.slice(),
    rejectUnauthorized: true,
    agent: false,
    lookup: checkedLookup(lookup, (address) => targets.permits(address, protocol)),
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    maxHeaderSize: headerBytesMax,
    signal,
  });
  /** The result by the head of the response; once it is set, nothing else counts. */
  let result: PostResult | undefined;
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > interimResponsesMax) request.destroy(new Error('too many interim responses'));
  });
  request.on('response', (response) => {
    result = resultOf(response);
    ignoreBody(response);
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === notAllowed) resolve(blocked(host));
    else resolve(result ?? failed(errorCodeOf(error, request.socket), error.code ?? error.message));
  });
  request.on('close', () => resolve(result ?? failed('connection-closed', 'the connection was closed')));
  request.end(body);
  return promise;
}

/** Returns a look-up that fails unless all addresses of the name are permitted; the connection uses its result. */
function checkedLookup(lookup: AddressLookup, permits: (address: string) => boolean): LookupFunction {
  return (host, _options, done) =>
    lookup(host, { all: true }, (error, addresses) => {
      if (error !== null) done(error, []);
      else if (addresses.length === 0) done(errorOf('ENOTFOUND'), []);
      else if (addresses.every(({ address }) => permits(address))) done(null, [...addresses]);
      else done(errorOf(notAllowed), []);
    });
}

/** The code of the error of a look-up that found an address which isn't permitted. */
const notAllowed = 'ERR_ADDRESS_NOT_ALLOWED';

function errorOf(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/** Names the URL's host, not its addresses: administrators see the cause, and need not know the network. */
function blocked(host: string): PostFailure {
  return { kind: 'blocked', code: 'address-not-allowed', cause: `${host} may not be connected to` };
}

function failed(code: WebhookErrorCode, cause: string): PostFailure {
  return { kind: 'failed', code, cause };
}

function resultOf({ statusCode: status = 0, headers }: IncomingMessage): PostResult {
  if (status >= 200 && status <= 299) return { kind: 'delivered', status };
  if (status < 100 || status > 599) return failed('other', `the status ${status} is invalid`); // RFC 9110 section 15
  const retryAfter = headers['retry-after'];
  return { kind: 'rejected', code: 'status', cause: `status ${status}`, status, retryAfter };
}

/** Reads a body to its end, since its receiver still sends it, unless it is too long or takes too long. */
function ignoreBody(response: IncomingMessage): void {
  let bytes = 0;
  const timer = setTimeout(() => response.destroy(), responseMillisecondsMax);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > responseBytesMax) response.destroy();
  });
  response.on('error', () => {});
  response.on('close', () => clearTimeout(timer));
}

function errorCodeOf({ code = '' }: NodeJS.ErrnoException, socket: Socket | null): WebhookErrorCode {
  if (socket !== null && 'authorizationError' in socket && socket.authorizationError) return 'certificate';
  return codesOfErrors[code] ?? 'other';
}

/** What a system error means for the receiver. */
const codesOfErrors: Readonly<Record<string, WebhookErrorCode>> = {
  ENOTFOUND: 'name-not-found',
  EAI_AGAIN: 'name-not-found',
  ECONNREFUSED: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'connection-closed',
  EPIPE: 'connection-closed',
};
