// Sends the service's own requests: a POST to a webhook's URL, over connections to checked addresses only. It follows
// no redirects, and uses no proxy that the environment names.
import { lookup as systemLookup } from 'node:dns';
import type { Agent, IncomingMessage } from 'node:http';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { hostOf, type AddressLookup } from '../../base/addresses.ts';
import { headerBytesMax } from '../../http/connections/request-fields.ts';
import { tlsSettings } from '../../http/connections/tls-settings.ts';
import type { WebhookTargets } from './webhook-targets.ts';
import { webhooksMax, type WebhookErrorCode } from './webhook.ts';

const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/** A longer response to a delivery closes its connection. */
const responseBytesMax = 16 * 1024;
/** A response whose body takes longer closes its connection, too: the head has said what counts. */
const responseMillisecondsMax = 1_000;
/** Shorter than the time for which receivers keep connections open. */
const idleMillisecondsMax = 2_000;
/** The number of 1xx responses that are accepted before the final one. */
const interimResponsesMax = 10;

type Post = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request in any state. */
  readonly signal: AbortSignal;
};

export type PostResult = { readonly kind: 'delivered'; readonly status: number } | PostFailure;
export type PostFailure = {
  readonly kind: 'rejected' | 'blocked' | 'failed';
  readonly code: WebhookErrorCode;
  /** A code of the system or a sentence, for the log. */
  readonly cause: string;
  /** The status of the response; undefined if there was none. */
  readonly status?: number;
  readonly retryAfter?: string | undefined;
};

type OutgoingPostsOptions = {
  readonly targets: WebhookTargets;
  /** What tests use instead of `dns.lookup`. */
  readonly lookup?: AddressLookup | undefined;
  /** The authorities to trust instead of the default ones, in PEM. */
  readonly authorities?: readonly string[] | undefined;
};

export class OutgoingPosts {
  readonly #options: OutgoingPostsOptions;
  /** An agent for each protocol, created for its first request. */
  readonly #agents = new Map<string, Agent>();

  constructor(options: OutgoingPostsOptions) {
    this.#options = options;
  }

  async post(post: Post): Promise<PostResult> {
    const host = hostOf(post.url);
    // a URL with an IP address causes no look-up, which would check the address
    if (isIP(host) !== 0 && !this.#options.targets.permits(host, post.url.protocol)) return blocked(host);
    for (;;) {
      const result = await this.#attempt(post);
      if (result !== stale) return result;
    }
  }

  /** Closes the kept connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #attempt({ url, headers, body, signal }: Post): Promise<PostResult | typeof stale> {
    const { promise, resolve } = Promise.withResolvers<PostResult | typeof stale>();
    const request = httpRequest(url, {
      agent: this.#agentFor(url.protocol),
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      maxHeaderSize: headerBytesMax,
      signal,
    });
    /** What the head of the response says: then nothing else counts. */
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
      if (error.code === notAllowed) resolve(blocked(hostOf(url)));
      else if (request.reusedSocket && isReset(error)) resolve(result ?? stale);
      else resolve(result ?? failed(codeOf(error, request.socket), error.code ?? error.message));
    });
    request.on('close', () => resolve(result ?? failed('connection-closed', 'the connection was closed')));
    request.end(body);
    return promise;
  }

  #agentFor(protocol: string): Agent {
    const known = this.#agents.get(protocol);
    if (known !== undefined) return known;
    const ca = this.#options.authorities?.slice();
    const settings = { ...agentSettings, lookup: this.#lookupFor(protocol) };
    const agent =
      protocol === 'http:'
        ? new HttpAgent(settings)
        : new (process.getBuiltinModule('node:https').Agent)({
            ...settings,
            ...tlsSettings,
            rejectUnauthorized: true,
            ca,
          });
    this.#agents.set(protocol, agent);
    return agent;
  }

  /**
   * Returns a look-up that checks addresses: it fails unless all addresses of the name are permitted, and the
   * connection uses its result.
   */
  #lookupFor(protocol: string): LookupFunction {
    const { targets, lookup = systemLookup } = this.#options;
    return (host, _options, done) =>
      lookup(host, { all: true }, (error, addresses) => {
        if (error !== null) done(error, []);
        else if (addresses.length === 0) done(errorOf('ENOTFOUND'), []);
        else if (addresses.every(({ address }) => targets.permits(address, protocol)))
          done(null, [...addresses]);
        else done(errorOf(notAllowed), []);
      });
  }
}

const agentSettings = {
  keepAlive: true,
  maxTotalSockets: webhooksMax,
  timeout: idleMillisecondsMax,
  autoSelectFamily: true, // so that look-ups return all addresses
} as const;

/** The receiver had closed the kept connection before the request. */
const stale = Symbol('stale');

/** The code of the error of a look-up that found an address which isn't permitted. */
const notAllowed = 'ERR_ADDRESS_NOT_ALLOWED';

function errorOf(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/** Names the URL's host, not its addresses: administrators see the cause, who need not know the network. */
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

/** Reads a body to its end, so that its connection can be reused, unless it is too long or takes too long. */
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

function isReset({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function codeOf({ code = '' }: NodeJS.ErrnoException, socket: Socket | null): WebhookErrorCode {
  if (socket !== null && 'authorizationError' in socket && socket.authorizationError) return 'certificate';
  return codesOfErrors[code] ?? 'other';
}

/** What an error of the system says of the receiver. */
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
