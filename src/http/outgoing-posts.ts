// Sends the service's own requests: a POST to a webhook's URL, over connections to checked addresses only.
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import {
  headerBytesMax,
  outgoingIdleMillisecondsMax,
  outgoingResponseBytesMax,
  webhooksMax,
} from '../limits.ts';
import { hostOf, type WebhookTargets } from '../network/webhook-targets.ts';
import { HttpAgent, httpRequest, nodeHttps } from './node-http.ts';
import { tlsSettings } from './tls-settings.ts';

/** Finds all addresses of a name. The system's look-up occupies at most half of libuv's threads. */
export type AddressLookup = (
  host: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

type Post = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Ends the request in any state. */
  readonly signal: AbortSignal;
};

export type PostResult =
  | { readonly kind: 'response'; readonly status: number; readonly retryAfter: string | undefined }
  /** `cause` is a code or a sentence, for the log. */
  | { readonly kind: 'blocked' | 'failed'; readonly cause: string };

/** `stale` means that the other end had closed the kept connection before the request. */
type Attempt = PostResult | { readonly kind: 'stale' };

class BlockedAddress extends Error {}

const keptOpen = { keepAlive: true, maxTotalSockets: webhooksMax, timeout: outgoingIdleMillisecondsMax };

/**
 * Sends POST requests with its own agents, which ignore proxies that the environment names. Addresses are
 * checked as they are looked up, so nothing can change between the check and the connection. Redirects are
 * not followed.
 */
export class OutgoingPosts {
  readonly #targets: WebhookTargets;
  readonly #lookup: AddressLookup;
  readonly #http = new HttpAgent(keptOpen);
  /** Created for the first webhook that has HTTPS. */
  #https: HttpsAgent | undefined = undefined;

  constructor(targets: WebhookTargets, lookup: AddressLookup = systemLookup) {
    this.#targets = targets;
    this.#lookup = lookup;
  }

  async post(post: Post): Promise<PostResult> {
    const host = hostOf(post.url);
    // a URL with an address causes no look-up, which would check it
    if (isIP(host) !== 0 && !this.#targets.permits(host, post.url.protocol))
      return { kind: 'blocked', cause: blockedText(host) };
    try {
      for (;;) {
        const result = await this.#attempt(post);
        if (result.kind !== 'stale') return result;
      }
    } catch (error) {
      return { kind: 'failed', cause: String(error) }; // thrown before anything was sent
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https?.destroy();
  }

  #attempt({ url, headers, body, signal }: Post): Promise<Attempt> {
    const { promise, resolve } = Promise.withResolvers<Attempt>();
    const request = this.#request(url, {
      method: 'POST',
      lookup: this.#lookupFor(url.protocol),
      headers: { ...headers, 'content-length': String(body.length) },
      maxHeaderSize: headerBytesMax,
      signal,
    });
    let hasResponded = false;
    /** Resolves with a failure, unless the head of a response has arrived: then its status counts. */
    const fail = (result: Attempt): void => {
      if (!hasResponded) resolve(result);
    };
    request.on('response', (response) => {
      hasResponded = true;
      const { statusCode: status = 0 } = response;
      const retryAfter = response.headers['retry-after'];
      ignoreBody(response, () => resolve({ kind: 'response', status, retryAfter }));
    });
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > interimResponsesMax) request.destroy(new Error('too many interim responses'));
    });
    request.on('error', (error) => fail(request.reusedSocket && isReset(error) ? stale : failure(error)));
    request.on('close', () => fail({ kind: 'failed', cause: 'the connection was closed' }));
    request.end(body);
    return promise;
  }

  #request(url: URL, options: RequestOptions): ClientRequest {
    if (url.protocol !== 'https:') return httpRequest(url, { ...options, agent: this.#http });
    const { Agent, request } = nodeHttps();
    this.#https ??= new Agent({ ...keptOpen, ...tlsSettings, rejectUnauthorized: true });
    return request(url, { ...options, agent: this.#https });
  }

  /** Returns a look-up that fails unless all addresses of the name are permitted. */
  #lookupFor(protocol: string): LookupFunction {
    return (host, options, done) =>
      this.#lookup(host, { all: true }, (error, addresses) => {
        const [first] = addresses ?? [];
        const blocked = addresses?.find(({ address }) => !this.#targets.permits(address, protocol));
        if (error !== null) done(error, []);
        else if (blocked !== undefined) done(new BlockedAddress(blockedText(blocked.address)), []);
        else if (first === undefined) done(new Error(`${host} has no address.`), []);
        else if (options.all === true) done(null, addresses);
        else done(null, first.address, first.family);
      });
  }
}

/** The number of 1xx responses that are accepted before the final one. */
const interimResponsesMax = 10;

const stale: Attempt = { kind: 'stale' };

function blockedText(address: string): string {
  return `${address} may not be connected to`;
}

/** Reads a body to its end, so that its connection can be reused, unless the body is too long. */
function ignoreBody(response: IncomingMessage, done: () => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > outgoingResponseBytesMax) response.destroy();
  });
  response.on('error', () => {});
  response.on('close', done);
}

function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

function failure(error: NodeJS.ErrnoException): PostResult {
  if (error instanceof BlockedAddress) return { kind: 'blocked', cause: error.message };
  return { kind: 'failed', cause: error.code ?? error.message };
}
