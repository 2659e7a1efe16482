// The session of the signed-in user: the access token is only in memory, the refresh token in a cookie that
// no script can read. Since browsers send a cookie to every port of a host, it renews nothing without the browser
// key, which is in the storage of this origin.
import type { Problem, Tokens } from './api-types.ts';
import { storage, withLock } from './browser-gaps.ts';
import { answerMilliseconds, fetchResponse, jsonOf, rejectionOf } from './request-errors.ts';

type Message =
  | { readonly kind: 'tokens'; readonly tokens: StoredTokens }
  /** The user has signed out, or the session has expired or was ended elsewhere. */
  | { readonly kind: 'signed-out' | 'expired' };
type Credentials = { readonly email: string; readonly password: string; readonly code?: string };
type StoredTokens = Tokens & { readonly accessExpiresAt: number };

/** The name in the storage; the value is the browser key. */
const storedKey = 'orderly-browser-key';
const json = { 'Content-Type': 'application/json', Accept: 'application/json' };
/** Only the holder of this lock changes the cookie: otherwise the last response would win. */
const lock = 'orderly-tokens';
/** A token that expires this soon is renewed before it is used. */
const marginMilliseconds = 30_000;

/** One tab at a time renews the token, and shares it with all others. */
export class BrowserSession extends EventTarget {
  #tokens: StoredTokens | undefined;
  #hasExpired = false;
  #isKept = true;
  readonly #channel = new BroadcastChannel('orderly-session');

  constructor() {
    super();
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
  }

  get userId(): number | undefined {
    return this.#tokens?.userId;
  }

  get id(): number | undefined {
    return this.#tokens?.id;
  }

  /** Whether a reload of the page finds the session again. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Whether the last session ended without the user’s doing. */
  get hasExpired(): boolean {
    return this.#hasExpired;
  }

  /** Resolves to whether the browser is still signed in after a reload. Sends no request if nobody was. */
  async resume(): Promise<boolean> {
    if (storage.read(storedKey) === null) return false;
    return (await this.token()) !== undefined;
  }

  /** Returns a token that doesn't expire soon; undefined if nobody is signed in. Throws if it has none. */
  async token(): Promise<string | undefined> {
    if (this.#isFresh()) return this.#tokens?.accessToken;
    return this.renew(this.#tokens?.accessToken);
  }

  /** Returns a token that differs from the old one. */
  async renew(old: string | undefined): Promise<string | undefined> {
    await withLock(lock, {}, async () => {
      const isDone = this.#isFresh() && this.#tokens?.accessToken !== old;
      if (!isDone) await this.#renewNow();
    });
    return this.#tokens?.accessToken;
  }

  async #renewNow(): Promise<void> {
    const browserKey = storage.read(storedKey);
    if (browserKey === null) return this.#clearTokens('expired');
    const response = await fetchResponse(
      '/api/sessions/current/tokens',
      {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ browserKey }),
        cache: 'no-store',
      },
      answerMilliseconds,
    );
    if (response.ok) this.#storeTokens(await jsonOf<Tokens>(response));
    else if (response.status === 401) this.#clearTokens('expired');
    else throw await rejectionOf(response);
  }

  /** Returns the problem of a failed sign-in; undefined if it succeeded. */
  async signIn(credentials: Credentials): Promise<Problem | undefined> {
    return withLock(lock, {}, () => this.#signInNow(credentials));
  }

  async #signInNow(credentials: Credentials): Promise<Problem | undefined> {
    const response = await fetchResponse('/api/sessions', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ ...credentials, cookie: true }),
      cache: 'no-store',
    });
    if (!response.ok) return jsonOf<Problem>(response);
    const before = this.#tokens;
    this.#storeTokens(await jsonOf<Tokens>(response));
    if (before !== undefined) await this.#end(before.id).catch(() => undefined); // it expires later
    return undefined;
  }

  /** Throws unless the service confirms it: otherwise the next person could use the cookie. */
  async signOut(): Promise<void> {
    const token = await this.token();
    const status = await this.#endOwn();
    if (status === 401 && (await this.renew(token)) !== undefined) await this.#endOwn();
    this.#clearTokens('signed-out');
  }

  /** Ending the session in use also clears the cookie. */
  #endOwn(): Promise<number | undefined> {
    return this.#tokens === undefined ? Promise.resolve(undefined) : this.#end(this.#tokens.id);
  }

  /** Returns the status; throws for a status that leaves open whether the session has ended. */
  async #end(id: number): Promise<number> {
    const headers = { Authorization: `Bearer ${this.#tokens?.accessToken}` };
    const response = await fetchResponse(`/api/sessions/${id}`, { method: 'DELETE', headers });
    if (![204, 401, 404].includes(response.status)) throw await rejectionOf(response);
    return response.status;
  }

  #isFresh(): boolean {
    return this.#tokens !== undefined && this.#tokens.accessExpiresAt - marginMilliseconds > Date.now();
  }

  #storeTokens(tokens: Tokens): void {
    this.#hasExpired = false;
    this.#tokens = { ...tokens, accessExpiresAt: Date.now() + tokens.expiresIn * 1000 };
    if (tokens.browserKey !== undefined) this.#isKept = storage.write(storedKey, tokens.browserKey);
    this.#channel.postMessage({ kind: 'tokens', tokens: this.#tokens } satisfies Message);
  }

  #clearTokens(kind: 'signed-out' | 'expired'): void {
    this.#channel.postMessage({ kind } satisfies Message);
    this.#ended(kind);
  }

  /**
   * Handles a message of another tab. All tabs share one cookie, so a user who signed in there is also signed
   * in here.
   */
  #receive(message: Message): void {
    if (message.kind !== 'tokens') return this.#ended(message.kind);
    const isOther = this.#tokens?.userId !== message.tokens.userId;
    this.#hasExpired = false;
    this.#tokens = message.tokens;
    if (isOther) this.dispatchEvent(new Event('user'));
  }

  #ended(kind: 'signed-out' | 'expired'): void {
    storage.remove(storedKey);
    const isLater = kind === 'signed-out' && this.#hasExpired; // the user signs out after all
    if (this.#tokens === undefined && !isLater) return;
    this.#tokens = undefined;
    this.#hasExpired = kind === 'expired';
    this.dispatchEvent(new Event('user'));
  }
}
