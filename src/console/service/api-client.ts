// Requests to the API in the name of the signed-in user.
import type { Problem } from '../words/api-types.ts';
import { deferred } from '../browser/browser-gaps.ts';
import type { BrowserSession } from './browser-session.ts';
import {
  answerMilliseconds,
  fetchResponse,
  jsonOf,
  Rejection,
  rejectionOf,
  Unreachable,
} from './request-errors.ts';
import { t } from '../words/texts.ts';

type RequestOptions = {
  readonly body?: unknown;
  /** A body of text/csv. */
  readonly table?: string;
  readonly etag?: string | undefined;
  /** A request with a key can be repeated: the service executes it once. */
  readonly idempotencyKey?: string;
  readonly accept?: string;
  /** Whether the browser sends the request even if the page is closed meanwhile. */
  readonly outlivesPage?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};
export type Version<T> = { readonly value: T; readonly etag: string | undefined };

const pausesMilliseconds = [250, 1_000, 2_500];
const backMilliseconds = 1_500;

/** Dispatches `reachable` and `unreachable` on changes, and `forbidden` for each 403 response. */
export class ApiClient extends EventTarget {
  readonly #session: BrowserSession;
  readonly #confirm: () => Promise<boolean>;
  #isReachable = true;

  /** `confirm` asks for the password again, and resolves to whether it was right. */
  constructor(session: BrowserSession, confirm: () => Promise<boolean>) {
    super();
    this.#session = session;
    this.#confirm = confirm;
  }

  get isReachable(): boolean {
    return this.#isReachable;
  }

  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await this.read<T>(path, signal)).value;
  }

  /** Returns the ETag as well, for a change that must apply to this version of the object. */
  async read<T>(path: string, signal?: AbortSignal): Promise<Version<T>> {
    return this.send<T>('GET', path, { signal });
  }

  async send<T>(method: string, path: string, options: RequestOptions = {}): Promise<Version<T>> {
    const response = await this.request(method, path, options);
    // callers of such routes expect no value
    const value = response.status === 204 ? (undefined as T) : await jsonOf<T>(response);
    return { value, etag: response.headers.get('etag') ?? undefined };
  }

  /** Returns a successful response. Throws `Rejection`, `Unreachable`, or the reason of the aborted signal. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const response = await this.#attempt(method, path, options);
    if (response.ok) return response;
    const rejection = await rejectionOf(response);
    if (rejection.code === 'step-up-required' && (await this.#confirm()))
      return this.request(method, path, options);
    if (response.status === 403) this.dispatchEvent(new Event('forbidden'));
    throw rejection;
  }

  /** Retries after a lost response, and after a 503, if that is safe. */
  async #attempt(method: string, path: string, options: RequestOptions): Promise<Response> {
    const pauses = isRepeatable(method, options) ? [...pausesMilliseconds] : [];
    for (;;) {
      const milliseconds = pauses.shift();
      try {
        const response = await this.#authorized(method, path, options);
        if (response.status !== 503 || milliseconds === undefined) {
          this.#change(true);
          return response;
        }
      } catch (error) {
        // the session's renewal is answered 503 while the service stops or starts
        const isAway = error instanceof Unreachable || (error instanceof Rejection && error.status === 503);
        if (isAway) this.#change(false);
        if (!isAway || milliseconds === undefined) throw error;
      }
      await pause(milliseconds, options.signal);
    }
  }

  async #authorized(method: string, path: string, options: RequestOptions): Promise<Response> {
    const token = await this.#session.token();
    if (token === undefined) throw signedOut();
    const response = await send(method, path, { ...options, token });
    if (response.status !== 401) return response;
    const { code } = await jsonOf<Problem>(response.clone());
    if (code !== 'invalid-token') return response;
    const renewed = await this.#session.renew(token);
    if (renewed === undefined) throw signedOut();
    return send(method, path, { ...options, token: renewed });
  }

  #change(isReachable: boolean): void {
    if (this.#isReachable === isReachable) return;
    this.#isReachable = isReachable;
    this.dispatchEvent(new Event(isReachable ? 'reachable' : 'unreachable'));
    if (!isReachable) void this.#waitUntilBack();
  }

  async #waitUntilBack(): Promise<void> {
    while (!this.#isReachable) {
      await pause(backMilliseconds);
      const init = { cache: 'no-store' } as const;
      const response = await fetchResponse('/health/ready', init, answerMilliseconds).catch(() => undefined);
      if (response?.ok === true) this.#change(true);
    }
  }
}

function send(
  method: string,
  path: string,
  { token, ...options }: RequestOptions & { readonly token: string },
): Promise<Response> {
  const { body, table, etag, idempotencyKey, outlivesPage = false, signal = null } = options;
  const headers = new Headers({ Accept: options.accept ?? 'application/json', ...options.headers });
  headers.set('Authorization', `Bearer ${token}`);
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  if (table !== undefined) headers.set('Content-Type', 'text/csv');
  if (etag !== undefined) headers.set('If-Match', etag);
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
  const init: RequestInit = {
    method,
    headers,
    cache: 'no-store', // no response may stay in the browser after a sign-out
    body: body === undefined ? (table ?? null) : JSON.stringify(body),
    signal,
    keepalive: outlivesPage,
  };
  return fetchResponse(path, init, isRepeatable(method, options) ? answerMilliseconds : undefined);
}

/** Whether the service does the same once if the request comes again. */
function isRepeatable(method: string, { idempotencyKey }: RequestOptions): boolean {
  return method === 'GET' || idempotencyKey !== undefined;
}

function signedOut(): Rejection {
  const detail = t('You were signed out before this could be done. Try again.');
  return new Rejection({ code: 'unauthenticated', status: 401, detail });
}

export type QueryParameters = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Leaves out what is null, undefined or empty. */
export function query(parameters: QueryParameters): string {
  const given = Object.entries(parameters).filter(([, value]) => (value ?? '') !== '');
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = deferred<void>();
  const abort = (): void => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', abort);
    resolve();
  }, milliseconds);
  signal?.addEventListener('abort', abort);
  return promise;
}
