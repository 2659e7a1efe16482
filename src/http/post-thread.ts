// The program of the thread that sends POST requests, and the messages between it and the event loop.
import type { LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import {
  headerBytesMax,
  outgoingIdleMillisecondsMax,
  outgoingResponseBytesMax,
  webhooksMax,
} from '../limits.ts';
import { tlsSettings } from './tls-settings.ts';

/** `cause` is a code or a sentence, for the log. */
export type PostFailure = { readonly kind: 'blocked' | 'failed'; readonly cause: string };
export type PostResult =
  | { readonly kind: 'response'; readonly status: number; readonly retryAfter: string | undefined }
  | PostFailure;

type SentPost = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
/** The addresses of a name, or why there can be no connection to it. */
export type FoundAddresses = readonly LookupAddress[] | PostFailure;
export type ToThread =
  | { readonly kind: 'post'; readonly id: number; readonly post: SentPost }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'addresses'; readonly id: number; readonly found: FoundAddresses };
export type FromThread =
  | { readonly kind: 'result'; readonly id: number; readonly result: PostResult }
  | { readonly kind: 'lookup'; readonly id: number; readonly host: string; readonly protocol: string };

/** The number of 1xx responses that are accepted before the final one. */
const interimResponsesMax = 10;

export const threadSettings = {
  agent: { keepAlive: true, maxTotalSockets: webhooksMax, timeout: outgoingIdleMillisecondsMax },
  tls: { ...tlsSettings, rejectUnauthorized: true },
  headerBytesMax,
  responseBytesMax: outgoingResponseBytesMax,
  interimResponsesMax,
} as const;

/** The whole program of the thread, which is sent as text: it can use nothing from outside its braces. */
export function sendPosts(): void {
  const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const settings: typeof threadSettings = workerData;
  /** `stale` means that the other end had closed the kept connection before the request. */
  type Attempt = PostResult | { readonly kind: 'stale' };

  const httpAgent = new HttpAgent(settings.agent);
  /** Created for the first request over HTTPS. */
  let httpsAgent: HttpsAgent | undefined;
  const requests = new Map<number, ClientRequest>();
  const lookups = new Map<number, (found: FoundAddresses) => void>();
  let lastLookup = 0;

  class LookupError extends Error {
    readonly failure: PostFailure;

    constructor(failure: PostFailure) {
      super(failure.cause);
      this.failure = failure;
    }
  }

  parentPort?.on('message', (message: ToThread) => {
    const { kind, id } = message;
    if (kind === 'post') void sendPost(id, message.post);
    else if (kind === 'addresses') lookups.get(id)?.(message.found);
    // what has arrived by now is read first
    else setImmediate(() => requests.get(id)?.destroy(new Error('the request was aborted')));
  });

  async function sendPost(id: number, post: SentPost): Promise<void> {
    let result: Attempt;
    try {
      do {
        result = await attempt(id, post);
      } while (result.kind === 'stale');
    } catch (error) {
      result = { kind: 'failed', cause: String(error) }; // thrown before anything was sent
    }
    requests.delete(id);
    report({ kind: 'result', id, result });
  }

  function attempt(id: number, { url, headers, body }: SentPost): Promise<Attempt> {
    const { promise, resolve } = Promise.withResolvers<Attempt>();
    const request = begin(new URL(url), {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      maxHeaderSize: settings.headerBytesMax,
    });
    requests.set(id, request);
    let hasResponded = false;
    /** Resolves with a failure, unless the head of a response has arrived: then its status counts. */
    const fail = (result: Attempt): void => {
      if (!hasResponded) resolve(result);
    };
    request.on('response', (response) => {
      hasResponded = true;
      const { statusCode: status = 0 } = response;
      const retryAfter = response.headers['retry-after'];
      const isValid = status >= 100 && status <= 599; // RFC 9110 section 15
      const result: PostResult = isValid
        ? { kind: 'response', status, retryAfter }
        : { kind: 'failed', cause: `the status ${status} is invalid` };
      ignoreBody(response, () => resolve(result));
    });
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > settings.interimResponsesMax) request.destroy(new Error('too many interim responses'));
    });
    request.on('error', (error) => {
      const isStale = request.reusedSocket && isReset(error);
      fail(isStale ? { kind: 'stale' } : failure(error));
    });
    request.on('close', () => fail({ kind: 'failed', cause: 'the connection was closed' }));
    request.end(body);
    return promise;
  }

  function begin(url: URL, common: RequestOptions): ClientRequest {
    const options = { ...common, lookup: lookupFor(url.protocol) };
    if (url.protocol !== 'https:') return httpRequest(url, { ...options, agent: httpAgent });
    const { Agent, request } = process.getBuiltinModule('node:https');
    httpsAgent ??= new Agent({ ...settings.agent, ...settings.tls });
    return request(url, { ...options, agent: httpsAgent });
  }

  /** Names are looked up outside of the thread, where their addresses are also checked. */
  function lookupFor(protocol: string): LookupFunction {
    return (host, options, done) => {
      const id = (lastLookup += 1);
      lookups.set(id, (found) => {
        lookups.delete(id);
        if ('kind' in found) done(new LookupError(found), []);
        else if (options.all === true) done(null, [...found]);
        else done(null, found[0]?.address ?? '', found[0]?.family);
      });
      report({ kind: 'lookup', id, host, protocol });
    };
  }

  /** Reads a body to its end, so that its connection can be reused, unless the body is too long. */
  function ignoreBody(response: IncomingMessage, done: () => void): void {
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > settings.responseBytesMax) response.destroy();
    });
    response.on('error', () => {});
    response.on('close', done);
  }

  function isReset({ code }: NodeJS.ErrnoException): boolean {
    return code === 'ECONNRESET' || code === 'EPIPE';
  }

  function failure(error: NodeJS.ErrnoException): PostFailure {
    if (error instanceof LookupError) return error.failure;
    return { kind: 'failed', cause: error.code ?? error.message };
  }

  function report(message: FromThread): void {
    parentPort?.postMessage(message);
  }
}
