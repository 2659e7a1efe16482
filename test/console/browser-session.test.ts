// Who is signed in to the console, as its tabs have it: the real class against a real service. What browsers
// have and Node lacks (a cookie jar, locks of tabs, local storage) is made here.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { sharedService } from '../http/http-support.ts';

// its types are those of browsers
type Session = {
  readonly userId: number | undefined;
  readonly id: number | undefined;
  signIn(credentials: { email: string; password: string }): Promise<unknown>;
  signOut(): Promise<void>;
  token(): Promise<string | undefined>;
  renew(old: string | undefined): Promise<string | undefined>;
};
const { BrowserSession }: { BrowserSession: new () => Session } = await import(
  String(new URL('../../src/console/browser-session.ts', import.meta.url))
);

describe('a session in a browser', () => {
  const service = sharedService();
  const browser = { cookie: '', stored: new Map<string, string>(), respond: send };
  const locks = new Map<string, Promise<unknown>>();
  const channels: BroadcastChannel[] = [];
  const { fetch, navigator, BroadcastChannel: Channel } = globalThis;
  const replaced = { fetch, navigator, BroadcastChannel: Channel };

  async function send(path: string, init: RequestInit, arrives?: Promise<void>): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('Sec-Fetch-Site', 'same-origin');
    if (browser.cookie !== '') headers.set('Cookie', browser.cookie);
    const response = await replaced.fetch(`http://127.0.0.1:${service().port}${path}`, { ...init, headers });
    await arrives;
    const set = response.headers.get('set-cookie');
    const [cookie = ''] = set?.split(';') ?? [];
    if (set !== null) browser.cookie = cookie.endsWith('=') ? '' : cookie;
    return response;
  }

  before(() => {
    const request = (name: string, run: () => Promise<unknown>): Promise<unknown> => {
      const result = (locks.get(name) ?? Promise.resolve()).then(run);
      locks.set(
        name,
        result.catch(() => {}),
      );
      return result;
    };
    define('navigator', { locks: { request } });
    define(
      'BroadcastChannel',
      class extends Channel {
        constructor(name: string) {
          super(name);
          channels.push(this);
        }
      },
    );
    define('fetch', (path: string, init: RequestInit = {}) => browser.respond(path, init));
    define('localStorage', {
      getItem: (name: string) => browser.stored.get(name) ?? null,
      setItem: (name: string, value: string) => browser.stored.set(name, value),
      removeItem: (name: string) => browser.stored.delete(name),
    });
  });
  after(() => {
    for (const channel of channels) channel.close();
    for (const [name, value] of Object.entries(replaced)) define(name, value);
  });

  async function signedIn(): Promise<Session> {
    browser.cookie = '';
    browser.respond = send;
    const { email, password } = await service().person();
    const session = new BrowserSession();
    assert.equal(await session.signIn({ email, password }), undefined);
    return session;
  }

  /** What whoever comes next could do with the cookie that is left. */
  async function renewalStatus(): Promise<number> {
    browser.respond = send;
    const headers = { 'Content-Type': 'application/json' };
    const response = await send('/api/sessions/current/tokens', { method: 'POST', headers, body: '{}' });
    return response.status;
  }

  test('is over after signing out, here and in the service', async () => {
    const session = await signedIn();
    const { cookie } = browser;
    await session.signOut();
    assert.deepEqual([session.userId, browser.cookie, browser.stored.size], [undefined, '', 0]);
    browser.cookie = cookie;
    assert.equal(await renewalStatus(), 401);
  });

  test('is over even if the token had become invalid', async () => {
    const session = await signedIn();
    const { cookie } = browser;
    let isStale = true;
    browser.respond = async (path, init) => {
      if (init.method !== 'DELETE' || !isStale) return send(path, init);
      isStale = false;
      return send(path, { ...init, headers: { Authorization: 'Bearer a.b.c' } });
    };
    await session.signOut();
    assert.deepEqual([session.userId, browser.cookie], [undefined, '']);
    browser.cookie = cookie;
    assert.equal(await renewalStatus(), 401);
  });

  for (const [what, respond] of [
    ['can’t be reached', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['is stopping', () => Promise.resolve(new Response('', { status: 503 }))],
  ] as const)
    test(`goes on, and says so, where the service ${what} as one signs out`, async () => {
      const session = await signedIn();
      browser.respond = respond;
      await assert.rejects(session.signOut());
      assert.notEqual(session.userId, undefined);
      assert.equal(await renewalStatus(), 201);
    });

  test('is the new one in all tabs, where another tab renews the old one meanwhile', async () => {
    const [{ email, password }, first] = [await service().person(), await signedIn()];
    const second = new BrowserSession();
    const old = await second.token();
    const held = Promise.withResolvers<void>();
    let isAsked = false;
    browser.respond = (path, init) => {
      isAsked ||= path === '/api/sessions';
      return send(path, init, path.endsWith('/tokens') ? held.promise : undefined);
    };
    const renewal = second.renew(old);
    const signingIn = first.signIn({ email, password });
    await nextTurn();
    if (isAsked) await signingIn; // it didn't wait for the renewal, whose response comes last then
    held.resolve();
    await Promise.all([renewal, signingIn]);
    assert.ok(browser.cookie.includes(`=${first.id}.`), 'the cookie is of the new session');
    assert.equal(await renewalStatus(), 201);
  });
});

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
