// Sends the service's own requests: a POST to a webhook's URL, over connections to checked addresses only.
import { lookup as systemLookup } from 'node:dns';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { hostOf, type AddressLookup } from '../../base/addresses.ts';
import { headerBytesMax } from '../../http/connections/request-fields.ts';
import { tlsSettings } from '../../http/connections/tls-settings.ts';
import type { WebhookTargets } from './webhook-targets.ts';
import { webhooksMax, type WebhookErrorCode } from './webhook.ts';

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

/** `cause` is a code of the system or a sentence, for the log. */
export type PostFailure = {
  readonly kind: 'blocked' | 'failed';
  readonly code: WebhookErrorCode;
  readonly cause: string;
};
export type PostResult =
  | { readonly kind: 'response'; readonly status: number; readonly retryAfter: string | undefined }
  | PostFailure;
/** `stale`: the receiver had closed the kept connection before the request. */
type Attempt = PostResult | { readonly kind: 'stale' };

type OutgoingPostsOptions = {
  readonly targets: WebhookTargets;
  /** What tests use instead of `dns.lookup`. */
  readonly lookup?: AddressLookup | undefined;
  /** The authorities to trust instead of the default ones, in PEM. */
  readonly authorities?: readonly string[] | undefined;
};

/** Follows no redirects, and uses no proxy that the environment names. */
export class OutgoingPosts {
  readonly #targets: WebhookTargets;
  readonly #lookup: AddressLookup;
  readonly #authorities: readonly string[] | undefined;
  readonly #http = process.getBuiltinModule('node:http');
  readonly #httpAgent = new this.#http.Agent(agentSettings);
  /** Created for the first request over HTTPS. */
  #httpsAgent: HttpsAgent | undefined;

  constructor({ targets, lookup = systemLookup, authorities }: OutgoingPostsOptions) {
    this.#targets = targets;
    this.#lookup = lookup;
    this.#authorities = authorities;
  }

  async post(post: Post): Promise<PostResult> {
    const host = hostOf(post.url);
    // a URL with an IP address causes no look-up, which would check the address
    if (isIP(host) !== 0 && !this.#targets.permits(host, post.url.protocol)) return blocked(host);
    try {
      for (;;) {
        const result = await this.#attempt(post);
        if (result.kind !== 'stale') return result;
      }
    } catch (error) {
      return failed('other', String(error)); // thrown before anything was sent
    }
  }

  /** Closes the kept connections. */
  close(): void {
    this.#httpAgent.destroy();
    this.#httpsAgent?.destroy();
  }

  async #attempt({ url, headers, body, signal }: Post): Promise<Attempt> {
    const { promise, resolve } = Promise.withResolvers<Attempt>();
    const request = this.#begin(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      maxHeaderSize: headerBytesMax,
      lookup: this.#lookupFor(url.protocol),
      signal,
    });
    let hasResponded = false;
    /** Resolves with a failure, unless the head of a response has arrived: then the response's status counts. */
    const fail = (result: Attempt): void => {
      if (!hasResponded) resolve(result);
    };
    request.on('response', (response) => {
      hasResponded = true;
      ignoreBody(response, () => resolve(resultOf(response)));
    });
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > interimResponsesMax) request.destroy(new Error('too many interim responses'));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === notAllowed) fail(blocked(hostOf(url)));
      else if (request.reusedSocket && isReset(error)) fail({ kind: 'stale' });
      else fail(failed(codeOf(error, request.socket), error.code ?? error.message));
    });
    request.on('close', () => fail(failed('connection-closed', 'the connection was closed')));
    request.end(body);
    return promise;
  }

  #begin(url: URL, options: RequestOptions): ClientRequest {
    if (url.protocol !== 'https:') return this.#http.request(url, { ...options, agent: this.#httpAgent });
    const { Agent, request } = process.getBuiltinModule('node:https');
    const ca = this.#authorities?.slice();
    this.#httpsAgent ??= new Agent({ ...agentSettings, ...tlsSettings, rejectUnauthorized: true, ca });
    return request(url, { ...options, agent: this.#httpsAgent });
  }

  /**
   * Returns a look-up that checks addresses: it fails unless all addresses of the name are permitted, and the
   * connection uses its result.
   */
  #lookupFor(protocol: string): LookupFunction {
    return (host, { all }, done) =>
      this.#lookup(host, { all: true }, (error, addresses) => {
        const [first] = addresses ?? []; // with an error the system's look-up returns none
        if (error !== null) return done(error, []);
        if (first === undefined) return done(errorOf('ENOTFOUND'), []);
        if (addresses.some(({ address }) => !this.#targets.permits(address, protocol)))
          done(errorOf(notAllowed), []);
        else if (all === true) done(null, [...addresses]);
        else done(null, first.address, first.family);
      });
  }
}

const agentSettings = {
  keepAlive: true,
  maxTotalSockets: webhooksMax,
  timeout: idleMillisecondsMax,
} as const;

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
  const isValid = status >= 100 && status <= 599; // RFC 9110 section 15
  if (!isValid) return failed('other', `the status ${status} is invalid`);
  return { kind: 'response', status, retryAfter: headers['retry-after'] };
}

/** Reads a body to its end, so that its connection can be reused, unless it is too long or takes too long. */
function ignoreBody(response: IncomingMessage, done: () => void): void {
  let bytes = 0;
  const timer = setTimeout(() => response.destroy(), responseMillisecondsMax);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > responseBytesMax) response.destroy();
  });
  response.on('error', () => {});
  response.on('close', () => {
    clearTimeout(timer);
    done();
  });
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
