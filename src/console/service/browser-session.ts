// The session of the signed-in user: the access token is only in memory, the refresh token in a cookie that
// no script can read. Since browsers send a cookie to every port of a host, it renews nothing without the browser
// key, which is in the storage of this origin.
import type { Problem, Tokens } from '../words/api-types.ts';
import { storage, withLock } from '../browser/browser-gaps.ts';
import { answerMilliseconds, fetchResponse, jsonOf, rejectionOf } from './request-errors.ts';
import { passwordMaker } from './first-passwords.ts';
import { t } from '../words/texts.ts';

/** The user has signed out, or the session has expired or was ended elsewhere. */
type End = 'signed-out' | 'expired';
type StoredTokens = Tokens & { readonly accessExpiresAt: number };
type Credentials = { readonly email: string; readonly password: string; readonly code?: string };

/** The name in the storage; the value is the browser key. */
const storedKey = 'orderly-browser-key';
/** The name in the storage while the user's password is one that was made for them; the value says by whom. */
const storedMadeKey = 'orderly-password-made-by';
/** Only the holder of this lock changes the cookie: otherwise the last response would win. */
const lock = 'orderly-tokens';
/** A token that expires this soon is renewed before it is used. */
const marginMilliseconds = 30_000;
/** A sign-in may wait for others, whose passwords are hashed first. */
const signInMilliseconds = 30_000;

/** The warning where a reload of the page doesn’t find the session again. */
export const keepsNothing = t(
  'This browser keeps nothing for this page, as cookies or site data are denied or its storage is full: signing in lasts until the page is loaded again.',
);

/**
 * One tab at a time renews the token, and shares it with all others. Dispatches `user` when another one is signed in, or
 * none, and `password` when `passwordMadeBy` has changed.
 */
export class BrowserSession extends EventTarget {
  /** Whether a reload of the page finds the session again. */
  isKept = true;
  /** Whether the last session expired or was ended elsewhere. */
  hasExpired = false;
  #tokens: StoredTokens | undefined;
  #firstPassword: string | undefined;
  /** Tabs with the console of a version before 1.1 have other messages, on a channel of their own. */
  readonly #channel = new BroadcastChannel('orderly-session-2');

  constructor() {
    super();
    this.#channel.onmessage = ({ data }: MessageEvent<StoredTokens | End>) => this.#receive(data);
  }

  get userId(): number | undefined {
    return this.#tokens?.userId;
  }

  get id(): number | undefined {
    return this.#tokens?.id;
  }

  /** Who made the password with which the user signed in; null once they have one of their own. */
  get passwordMadeBy(): string | null {
    return storage.read(storedMadeKey);
  }

  /** The password that was made for the user, if it was entered since the page was loaded: it isn't asked for again. */
  get firstPassword(): string | undefined {
    return this.#firstPassword;
  }

  /** Called with the password that the user signed in with, or has now. */
  usePassword(password: string): void {
    const maker = passwordMaker(password);
    this.#firstPassword = maker && password;
    if (maker === undefined) storage.remove(storedMadeKey);
    else storage.write(storedMadeKey, maker);
    this.dispatchEvent(new Event('password'));
  }

  /** Resolves to whether the user is still signed in after a reload. Sends no request if nobody was. */
  async resume(): Promise<boolean> {
    return storage.read(storedKey) !== null && (await this.token()) !== undefined;
  }

  /** Returns a token that doesn't expire soon; undefined if nobody is signed in. Throws if it has none. */
  async token(): Promise<string | undefined> {
    const token = this.#tokens?.accessToken;
    return this.#isFresh() ? token : this.renew(token);
  }

  /** Returns a token that differs from the old one. */
  async renew(old: string | undefined): Promise<string | undefined> {
    await withLock(lock, {}, async () => {
      if (this.#isFresh() && this.#tokens?.accessToken !== old) return;
      const browserKey = storage.read(storedKey);
      if (browserKey === null) return this.#clear('expired');
      const response = await post('/api/sessions/current/tokens', { browserKey });
      if (response.ok) this.#store(await jsonOf<Tokens>(response));
      else if (response.status === 401) this.#clear('expired');
      else throw await rejectionOf(response);
    });
    return this.#tokens?.accessToken;
  }

  /** Returns the problem of a failed sign-in; undefined if it succeeded. */
  async signIn(credentials: Credentials): Promise<Problem | undefined> {
    return withLock(lock, {}, async () => {
      const response = await post('/api/sessions', { ...credentials, cookie: true }, signInMilliseconds);
      if (!response.ok) return jsonOf<Problem>(response);
      this.usePassword(credentials.password);
      const before = this.#tokens;
      this.#store(await jsonOf<Tokens>(response));
      await this.#end(before).catch(() => undefined); // it expires later
      return undefined;
    });
  }

  /** Throws unless the service confirms that the session has ended: the next person could use the cookie. */
  async signOut(): Promise<void> {
    const token = await this.token();
    const status = await this.#end(this.#tokens);
    if (status === 401 && (await this.renew(token)) !== undefined) await this.#end(this.#tokens);
    this.#clear('signed-out');
  }

  /**
   * Ends the session of these tokens; the one in use takes the cookie with it. Returns the status; throws for one that
   * leaves open whether the session has ended.
   */
  async #end(tokens: Tokens | undefined): Promise<number | undefined> {
    if (tokens === undefined) return undefined;
    const headers = { Authorization: `Bearer ${this.#tokens?.accessToken}` };
    const request = { method: 'DELETE', headers };
    const response = await fetchResponse(`/api/sessions/${tokens.id}`, request, answerMilliseconds);
    if (![204, 401, 404].includes(response.status)) throw await rejectionOf(response);
    return response.status;
  }

  #isFresh(): boolean {
    return this.#tokens !== undefined && this.#tokens.accessExpiresAt - marginMilliseconds > Date.now();
  }

  #store(tokens: Tokens): void {
    this.hasExpired = false;
    this.#tokens = { ...tokens, accessExpiresAt: Date.now() + tokens.expiresIn * 1000 };
    if (tokens.browserKey !== undefined) this.isKept = storage.write(storedKey, tokens.browserKey);
    this.#channel.postMessage(this.#tokens);
  }

  #clear(end: End): void {
    this.#channel.postMessage(end);
    this.#receive(end);
  }

  /** Handles messages of this tab and of others, which share one cookie: who signs in there is signed in here. */
  #receive(message: StoredTokens | End): void {
    const before = this.#tokens?.userId;
    const isLater = message === 'signed-out' && this.hasExpired; // the user signs out after all
    this.hasExpired = message === 'expired' && (before !== undefined || this.hasExpired);
    this.#tokens = typeof message === 'string' ? undefined : message;
    if (this.#tokens === undefined) storage.remove(storedKey);
    if (before !== this.#tokens?.userId) this.#firstPassword = undefined;
    if (before !== this.#tokens?.userId || isLater) this.dispatchEvent(new Event('user'));
  }
}

function post(path: string, body: object, milliseconds = answerMilliseconds): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body), cache: 'no-store' } as const;
  return fetchResponse(path, init, milliseconds);
}
