// The program of the thread that sends POST requests, over connections to checked addresses only. A hostile
// receiver could occupy an event loop: its certificates take up to 0.6 s to verify, and endless TLS records
// take all the time until the timeout. All decisions stay on the service's own event loop: signatures,
// timeouts and retries. A thread that fails, or doesn't end an aborted request, is replaced, and its requests
// have failed.
import type { LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { headerBytesMax } from '../../http/connections/request-fields.ts';
import type { Handler } from '../../base/thread.ts';
import { tlsSettings } from '../../http/connections/tls-settings.ts';
import { permits, type TargetBlocks } from './webhook-targets.ts';
import { webhooksMax, type WebhookErrorCode } from './webhook.ts';

/** A longer response to a delivery closes its connection. */
const outgoingResponseBytesMax = 16 * 1024;
/** A response whose body takes longer closes its connection, too: the head has said what counts. */
const outgoingResponseMillisecondsMax = 1_000;
/** Shorter than the time for which receivers keep connections open. */
const outgoingIdleMillisecondsMax = 2_000;

/** `cause` is a code of the system or a sentence, for the log. */
type PostFailure = {
  readonly kind: 'blocked' | 'failed';
  readonly code: WebhookErrorCode;
  readonly cause: string;
};
export type PostResult =
  | { readonly kind: 'response'; readonly status: number; readonly retryAfter: string | undefined }
  | PostFailure;

export type SentPost = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/**
 * Finds all addresses of a name, like `dns.lookup`: two names at the same time, on half of libuv's threads.
 */
type AddressLookup = (
  host: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

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

/** The number of 1xx responses that are accepted before the final one. */
const interimResponsesMax = 10;

const agentSettings = {
  keepAlive: true,
  maxTotalSockets: webhooksMax,
  timeout: outgoingIdleMillisecondsMax,
} as const;

type PostOptions = {
  readonly targets: TargetBlocks;
  /** The authorities to trust instead of the default ones, in PEM. */
  readonly authorities: readonly string[] | undefined;
};
type PostSettings = ReturnType<typeof postSettings>;

/** Returns what the program needs to know. */
export function postSettings({ targets, authorities }: PostOptions) {
  return {
    agent: agentSettings,
    tls: { ...tlsSettings, rejectUnauthorized: true, ca: authorities?.slice() },
    headerBytesMax,
    responseBytesMax: outgoingResponseBytesMax,
    responseMillisecondsMax: outgoingResponseMillisecondsMax,
    interimResponsesMax,
    codesOfErrors,
    targets,
  };
}

/** Names the URL's host, not its addresses: administrators see the cause, who need not know the network. */
export function blocked(host: string): PostFailure {
  return { kind: 'blocked', code: 'address-not-allowed', cause: `${host} may not be connected to` };
}

/** The program of the thread. */
export function sendPosts(
  settings: PostSettings,
  failureOf: typeof blocked,
  isPermitted: typeof permits,
  lookUp: AddressLookup,
): Handler<SentPost, PostResult> {
  const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');
  /** `stale`: the receiver had closed the kept connection before the request. */
  type Attempt = PostResult | { readonly kind: 'stale' };

  const httpAgent = new HttpAgent(settings.agent);
  /** Created for the first request over HTTPS. */
  let httpsAgent: HttpsAgent | undefined;

  class BlockedError extends Error {
    readonly host: string;

    constructor(host: string) {
      super();
      this.host = host;
    }
  }

  return async (post, { signal }) => {
    try {
      for (;;) {
        const result = await attempt(post, signal);
        if (result.kind !== 'stale') return result;
      }
    } catch (error) {
      return { kind: 'failed', code: 'other', cause: String(error) }; // thrown before anything was sent
    }
  };

  function attempt({ url, headers, body }: SentPost, signal: AbortSignal): Promise<Attempt> {
    const { promise, resolve } = Promise.withResolvers<Attempt>();
    const request = begin(new URL(url), {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      maxHeaderSize: settings.headerBytesMax,
    });
    const abort = (): void => void request.destroy(new Error('the request was aborted'));
    signal.addEventListener('abort', abort);
    let hasResponded = false;
    /**
     * Resolves with a failure, unless the head of a response has arrived: then the response's status counts.
     */
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
        : { kind: 'failed', code: 'other', cause: `the status ${status} is invalid` };
      ignoreBody(response, () => resolve(result));
    });
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > settings.interimResponsesMax) request.destroy(new Error('too many interim responses'));
    });
    request.on('error', (error) => {
      const isStale = request.reusedSocket && isReset(error);
      fail(isStale ? { kind: 'stale' } : failure(error, request));
    });
    request.on('close', () => {
      signal.removeEventListener('abort', abort);
      fail({ kind: 'failed', code: 'connection-closed', cause: 'the connection was closed' });
    });
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

  /**
   * Returns a look-up that checks addresses: it fails unless all addresses of the name are permitted, and the
   * connection uses its result.
   */
  function lookupFor(protocol: string): LookupFunction {
    return (host, { all }, done) =>
      lookUp(host, { all: true }, (error, addresses) => {
        const [first] = addresses ?? []; // with an error the system's look-up returns none
        if (error !== null) return done(error, []);
        if (first === undefined) return done(noAddress(), []);
        if (addresses.some(({ address }) => !isPermitted(settings.targets, address, protocol)))
          done(new BlockedError(host), []);
        else if (all === true) done(null, [...addresses]);
        else done(null, first.address, first.family);
      });
  }

  function noAddress(): Error {
    return Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' });
  }

  /** Reads a body to its end, so that its connection can be reused, unless it is too long or takes too long. */
  function ignoreBody(response: IncomingMessage, done: () => void): void {
    let bytes = 0;
    const timer = setTimeout(() => response.destroy(), settings.responseMillisecondsMax);
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > settings.responseBytesMax) response.destroy();
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

  function failure(error: NodeJS.ErrnoException, { socket }: ClientRequest): PostFailure {
    if (error instanceof BlockedError) return failureOf(error.host);
    return { kind: 'failed', code: codeOf(error, socket), cause: error.code ?? error.message };
  }

  function codeOf(error: NodeJS.ErrnoException, socket: Socket | null): WebhookErrorCode {
    if (socket !== null && 'authorizationError' in socket && socket.authorizationError) return 'certificate';
    return settings.codesOfErrors[error.code ?? ''] ?? 'other';
  }
}
