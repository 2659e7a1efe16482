// The console's session in several tabs: the real classes with a real service. What Node lacks (a cookie jar,
// locks between tabs, local storage) is simulated.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { randomPassword } from '../../src/features/users/first-admin.ts';
import { sharedService } from '../support/http-support.ts';

// the modules are imported by computed URLs, without their types: those are of browsers
type Session = {
  readonly userId: number | undefined;
  readonly id: number | undefined;
  readonly hasExpired: boolean;
  signIn(credentials: { email: string; password: string }): Promise<unknown>;
  signOut(): Promise<void>;
  resume(): Promise<boolean>;
  token(): Promise<string | undefined>;
  renew(old: string | undefined): Promise<string | undefined>;
};
type Problem = { readonly code: string; readonly status: number; readonly detail: string };
type Client = EventTarget & {
  get(path: string): Promise<unknown>;
  send(method: string, path: string, sent: { readonly body: object }): Promise<unknown>;
};
type Outcome = {
  readonly error: unknown;
  readonly events: readonly string[];
  readonly requests: readonly string[];
};
type RequestErrors = {
  readonly Rejection: new (problem: Problem) => Problem & Error & { readonly retryAfterSeconds: number };
  readonly Unreachable: new () => Error;
  readonly isTemporary: (error: unknown) => boolean;
};
type FirstPasswords = {
  readonly newPassword: () => string;
  readonly passwordMaker: (password: string) => string | undefined;
};
const { BrowserSession }: { BrowserSession: new () => Session } = await import(consoleUrl('browser-session'));
const { ApiClient }: { ApiClient: new (session: Session, confirm: () => Promise<boolean>) => Client } =
  await import(consoleUrl('api-client'));
const { newPassword, passwordMaker }: FirstPasswords = await import(consoleUrl('first-passwords'));
const { isTemporary, Rejection, Unreachable }: RequestErrors = await import(consoleUrl('request-errors'));

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
    const request = (name: string, _options: object, run: () => Promise<unknown>): Promise<unknown> => {
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

  function storedKey(): string | undefined {
    return browser.stored.get('orderly-browser-key');
  }

  /** The status of a renewal by the next person, with what is left. */
  async function renewalStatus(browserKey = storedKey()): Promise<number> {
    browser.respond = send;
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ browserKey });
    const response = await send('/api/sessions/current/tokens', { method: 'POST', headers, body });
    return response.status;
  }

  test('a session in a browser is over after signing out, here and in the service', async () => {
    const session = await signedIn();
    const [{ cookie }, key] = [browser, storedKey()];
    await session.signOut();
    assert.deepEqual([session.userId, browser.cookie, browser.stored.size], [undefined, '', 0]);
    browser.cookie = cookie;
    assert.equal(await renewalStatus(key), 401);
  });

  test('a session in a browser is resumed with the cookie and the stored key, and with neither alone', async () => {
    const before = await signedIn();
    const resumed = new BrowserSession();
    assert.deepEqual([await resumed.resume(), resumed.userId], [true, before.userId]);
    const [{ cookie }, key = ''] = [browser, storedKey()];
    const requests: string[] = [];
    browser.respond = (path, init) => {
      requests.push(path);
      return send(path, init);
    };
    browser.stored.clear();
    assert.deepEqual([await new BrowserSession().resume(), requests], [false, []]);
    browser.stored.set('orderly-browser-key', key);
    browser.cookie = '';
    assert.equal(await new BrowserSession().resume(), false);
    assert.deepEqual([browser.cookie, browser.stored.size], ['', 0]);
    browser.cookie = cookie;
    assert.equal(await renewalStatus(key), 201);
  });

  test('a session with a cookie that another server has set is over, and nobody else’s', async () => {
    await signedIn();
    const { cookie } = browser;
    const session = await signedIn();
    browser.cookie = cookie;
    assert.equal(await session.renew(await session.token()), undefined);
    assert.deepEqual([session.userId, browser.cookie, browser.stored.size], [undefined, '', 0]);
  });

  test('a session in a browser is over even if the token had become invalid', async () => {
    const session = await signedIn();
    const [{ cookie }, key] = [browser, storedKey()];
    let isStale = true;
    browser.respond = async (path, init) => {
      if (init.method !== 'DELETE' || !isStale) return send(path, init);
      isStale = false;
      return send(path, { ...init, headers: { Authorization: 'Bearer a.b.c' } });
    };
    await session.signOut();
    assert.deepEqual([session.userId, browser.cookie], [undefined, '']);
    browser.cookie = cookie;
    assert.equal(await renewalStatus(key), 401);
  });

  test('a session is over in the service, too, once its user has signed in anew', async () => {
    browser.cookie = '';
    const [{ email, password }, session] = [await service().person(), new BrowserSession()];
    await session.signIn({ email, password });
    const [{ cookie }, key] = [browser, storedKey()];
    await session.signIn({ email, password });
    browser.cookie = cookie;
    assert.equal(await renewalStatus(key), 401);
  });

  test('a session that is ended elsewhere has expired, until somebody signs in or the user signs out', async () => {
    for (const leave of [
      (session: Session) => session.signOut(),
      async (session: Session) => {
        const { email, password } = await service().person();
        await session.signIn({ email, password });
      },
    ]) {
      const session = await signedIn();
      assert.equal(session.hasExpired, false);
      await service().delete('/api/sessions', { token: (await session.token()) ?? '' });
      assert.equal(await session.renew(await session.token()), undefined);
      assert.deepEqual([session.hasExpired, session.userId, browser.stored.size], [true, undefined, 0]);
      await leave(session);
      assert.equal(session.hasExpired, false);
    }
  });

  for (const [what, respond] of [
    ['can’t be reached', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['is stopping', () => Promise.resolve(new Response('', { status: 503 }))],
  ] as const)
    test(`a session continues, and reports that, if the service ${what} while signing out`, async () => {
      const session = await signedIn();
      browser.respond = respond;
      await assert.rejects(session.signOut());
      assert.notEqual(session.userId, undefined);
      assert.equal(await renewalStatus(), 201);
    });

  for (const [what, seconds, ask] of [
    ['sign-in', 30, (session: Session) => session.signIn({ email: 'ada@example.com', password: 'p' })],
    ['sign-out', 10, (session: Session) => session.signOut()],
  ] as const)
    test(`a ${what} without an answer for ${seconds} s means that the service can’t be reached`, async (t) => {
      const session = await signedIn();
      t.mock.timers.enable({ apis: ['setTimeout'] });
      browser.respond = (_path, { signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      const outcome = ask(session).catch((error: unknown) => error);
      await nextTurn();
      t.mock.timers.tick(seconds * 1_000);
      const missed = nextTurn().then(() => nextTurn('no outcome'));
      assert.ok((await Promise.race([outcome, missed])) instanceof Unreachable);
    });

  describe('whose renewal', () => {
    const problem = {
      type: 'about:blank',
      title: 'T',
      status: 429,
      code: 'rate-limited',
      detail: 'Too many.',
    };
    const rejected = (status: number): Response =>
      Response.json({ ...problem, status }, { status, headers: { 'Retry-After': '7' } });

    /** Sends a GET whose token is invalid, so that it is renewed. */
    async function readAfter(renewal: typeof send): Promise<Outcome> {
      const session = await signedIn();
      const client = new ApiClient(session, () => Promise.resolve(false));
      const [events, requests]: [string[], string[]] = [[], []];
      for (const name of ['unreachable', 'reachable']) client.addEventListener(name, () => events.push(name));
      browser.respond = (path, init) => {
        requests.push(path);
        if (path === '/health/ready') return Promise.resolve(new Response('{}'));
        if (path.endsWith('/tokens')) return renewal(path, init);
        return Promise.resolve(Response.json({ ...problem, code: 'invalid-token' }, { status: 401 }));
      };
      const error: unknown = await client.get('/orders').catch((reason: unknown) => reason);
      return { error, events, requests };
    }

    for (const status of [403, 429, 500])
      test(`a renewal rejected with ${status} is reported once as such, not as a lost connection`, async () => {
        const { error, events, requests } = await readAfter(() => Promise.resolve(rejected(status)));
        assert.ok(error instanceof Rejection, String(error));
        assert.deepEqual([error.status, error.retryAfterSeconds, error.message], [status, 7, 'Too many.']);
        assert.deepEqual(events, []);
        assert.deepEqual(requests, ['/orders', '/api/sessions/current/tokens']);
      });

    test('a renewal without a response is repeated, and reports that the service couldn’t be reached', async () => {
      let isLost = false;
      const { error, events } = await readAfter((path, init) => {
        if (isLost) return send(path, init);
        isLost = true;
        return Promise.reject(new TypeError('fetch failed'));
      });
      assert.ok(error instanceof Rejection && error.code === 'invalid-token', String(error));
      assert.deepEqual(events, ['unreachable', 'reachable']);
    });

    test('a renewal that meets a defect of the console reports the defect, and is not repeated', async () => {
      const defect = new RangeError('a defect');
      const { error, events } = await readAfter(() => Promise.reject(defect));
      assert.deepEqual([error, events], [defect, []]);
    });
  });

  test('a page of a proxy instead of an answer means that the service can’t be reached', async () => {
    const client = new ApiClient(await signedIn(), () => Promise.resolve(false));
    browser.respond = () => Promise.resolve(new Response('<html>Sign in to this network</html>'));
    await assert.rejects(client.get('/orders'), Unreachable);
  });

  test('a change without an Idempotency-Key is not repeated after a 503', async () => {
    const client = new ApiClient(await signedIn(), () => Promise.resolve(false));
    let changes = 0;
    browser.respond = () => {
      changes += 1;
      return Promise.resolve(
        Response.json({ code: 'unavailable', status: 503, detail: '' }, { status: 503 }),
      );
    };
    await assert.rejects(client.send('POST', '/customers', { body: { name: 'Ada' } }), Rejection);
    assert.equal(changes, 1);
  });

  for (const [what, error, isWorthRetrying] of [
    ['a lost connection', () => new Unreachable(), true],
    ['too many requests', () => new Rejection({ code: 'x', status: 429, detail: '' }), true],
    ['a failure of the service', () => new Rejection({ code: 'x', status: 500, detail: '' }), true],
    ['a rejection for good', () => new Rejection({ code: 'x', status: 403, detail: '' }), false],
    ['a defect of a view', () => new TypeError('x is undefined'), false],
  ] as const)
    test(`a renewal is ${isWorthRetrying ? 'retried' : 'not retried'} after ${what}`, () => {
      assert.equal(isTemporary(error()), isWorthRetrying);
    });

  test('a tab that 1.0 has loaded neither ends the session of a newer one nor hears of it', async () => {
    const session = await signedIn();
    const { userId } = session;
    const [old, other] = [new BroadcastChannel('orderly-session'), new BroadcastChannel('orderly-session')];
    const heard: unknown[] = [];
    old.onmessage = ({ data }) => heard.push(data);
    const isSent = new Promise((resolve) => (other.onmessage = resolve));
    await session.renew(await session.token());
    old.postMessage({ kind: 'tokens', tokens: {} });
    await isSent;
    await nextTurn();
    assert.deepEqual([session.userId, heard], [userId, []]);
  });

  test('a new session is the same in all tabs, even if another tab renews the old one meanwhile', async () => {
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

describe('a password that was made for somebody', () => {
  for (const [what, password, maker] of [
    ['one of the service', randomPassword(8), 'service'],
    ['a long one of the service', randomPassword(64), 'service'],
    ['one that a colleague has made', newPassword(), 'colleague'],
    ['one of words', 'green-teapot-small-spoon', undefined],
    ['one of a password manager', 'wodke7-zabqap-8rojPi', undefined],
  ] as const)
    test(`is known by its form: ${what}`, () => assert.equal(passwordMaker(password), maker));
});

function consoleUrl(name: string): string {
  return String(new URL(`../../src/console/service/${name}.ts`, import.meta.url));
}

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
