// Requests to the API in the name of the signed-in user.
import type { Problem } from './api-types.ts';
import { deferred } from './browser-gaps.ts';
import type { BrowserSession } from './browser-session.ts';
import {
  answerMilliseconds,
  fetchResponse,
  jsonOf,
  Rejection,
  rejectionOf,
  bodyOf,
  Unreachable,
} from './request-errors.ts';
import { t } from './texts.ts';

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
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
};
type Versioned<T> = { readonly value: T; readonly etag: string | undefined };

type Confirm = () => Promise<boolean>;
const pausesMilliseconds = [250, 1_000, 2_500];

/** Dispatches `reachable` and `unreachable` on changes, and `forbidden` for each 403 response. */
export class ApiClient extends EventTarget {
  readonly #session: BrowserSession;
  readonly #confirm: Confirm;
  #isReachable = true;

  /** `confirm` asks for the password again, and resolves to whether it was right. */
  constructor(session: BrowserSession, confirm: Confirm) {
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
  async read<T>(path: string, signal?: AbortSignal): Promise<Versioned<T>> {
    return this.send<T>('GET', path, signal === undefined ? {} : { signal });
  }

  async send<T>(method: string, path: string, options: RequestOptions = {}): Promise<Versioned<T>> {
    const response = await this.request(method, path, options);
    const text = await bodyOf(response);
    const value = (text === '' ? undefined : JSON.parse(text)) as T; // the shape that the API documents
    return { value, etag: response.headers.get('etag') ?? undefined };
  }

  /**
   * Returns a successful response. Throws `Rejection`, `Unreachable`, or the reason of the aborted signal.
   */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const response = await this.#attempt(method, path, options);
    if (response.ok) return response;
    const rejection = await rejectionOf(response);
    if (rejection.code === 'step-up-required' && (await this.#confirm()))
      return this.request(method, path, options);
    if (response.status === 403) this.dispatchEvent(new Event('forbidden'));
    throw rejection;
  }

  /** Retries after a lost response if that is safe. */
  async #attempt(method: string, path: string, options: RequestOptions): Promise<Response> {
    for (const milliseconds of isRepeatable(method, options) ? pausesMilliseconds : []) {
      const response = await this.#authorized(method, path, options).catch(undefinedIfUnavailable);
      if (response !== undefined && response.status !== 503) return this.#reached(response);
      if (response === undefined) this.#change(false);
      await pause(milliseconds, options.signal);
    }
    try {
      return this.#reached(await this.#authorized(method, path, options));
    } catch (error) {
      if (error instanceof Unreachable) this.#change(false);
      throw error;
    }
  }

  async #authorized(method: string, path: string, options: RequestOptions): Promise<Response> {
    const token = await this.#session.token();
    if (token === undefined) throw signedOut();
    const response = await this.#fetch(method, path, { token, options });
    if (response.status !== 401) return response;
    const { code } = await jsonOf<Problem>(response.clone());
    if (code !== 'invalid-token') return response;
    const renewed = await this.#session.renew(token);
    if (renewed === undefined) throw signedOut();
    return this.#fetch(method, path, { token: renewed, options });
  }

  #fetch(
    method: string,
    path: string,
    { token, options }: { readonly token: string; readonly options: RequestOptions },
  ): Promise<Response> {
    const {
      body,
      table,
      etag,
      idempotencyKey,
      accept = 'application/json',
      outlivesPage = false,
      signal,
    } = options;
    const headers = new Headers({ Accept: accept, ...options.headers });
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
      signal: signal ?? null,
      keepalive: outlivesPage,
    };
    return isRepeatable(method, options)
      ? fetchResponse(path, init, answerMilliseconds)
      : fetchResponse(path, init);
  }

  #reached(response: Response): Response {
    this.#change(true);
    return response;
  }

  #change(isReachable: boolean): void {
    if (this.#isReachable === isReachable) return;
    this.#isReachable = isReachable;
    this.dispatchEvent(new Event(isReachable ? 'reachable' : 'unreachable'));
    if (!isReachable) void this.#waitUntilBack();
  }

  async #waitUntilBack(): Promise<void> {
    while (!this.#isReachable) {
      await pause(1_500);
      const init = { cache: 'no-store' } as const;
      const response = await fetchResponse('/health/ready', init, answerMilliseconds).catch(() => undefined);
      if (response?.ok === true) this.#change(true);
    }
  }
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

/** A handler for `catch`: the session's renewal is answered 503 while the service stops or starts. */
function undefinedIfUnavailable(error: unknown): undefined {
  const isUnavailable = error instanceof Unreachable || (error instanceof Rejection && error.status === 503);
  if (!isUnavailable) throw error;
}
