// Sessions of browsers: the refresh token in a cookie, which only one route reads, beside a key of the page.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import {
  insideOnly,
  serviceFor,
  type Call,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';
import { assertIssues, rootToken } from '../../support/resource-support.ts';

const name = '__Host-Http-orderly';
const onUsualPort = { settings: { 'public-url': 'https://localhost:8443' } };
const cleared = `${name}=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict`;
const path = '/api/sessions/current/tokens';

type Browser = {
  readonly id: number;
  readonly token: string;
  readonly cookie: string;
  readonly browserKey: string;
  readonly email: string;
};

async function signIn(service: TestService): Promise<Browser> {
  const { email, password } = await service.person();
  const response = await service.post('/api/sessions', { body: { email, password, cookie: true } });
  assert.equal(response.status, 201, response.text);
  const { id, accessToken: token, browserKey } = response.body;
  return { id, token, cookie: cookieOf(response), browserKey, email };
}

/** The field with which a browser sends it back. */
function cookieOf({ headers }: TestResponse): string {
  const [field = '', ...others] = headers['set-cookie'] ?? [];
  assert.deepEqual(others, []);
  const [pair = ''] = field.split(';');
  return pair;
}

type Halves = { readonly cookie: string | undefined; readonly browserKey: string };

function renew(service: TestService, { cookie, browserKey }: Halves, call: Call = {}): Promise<TestResponse> {
  const headers = { 'sec-fetch-site': 'same-origin', ...(cookie === undefined ? {} : { cookie }) };
  return service.post(path, { body: { browserKey }, ...call, headers: { ...headers, ...call.headers } });
}

describe('a sign-in with a cookie', () => {
  const service = sharedService(onUsualPort);

  test('a sign-in with a cookie puts the refresh token into the cookie, and not into the body', async () => {
    const { email, password } = await service().person();
    const response = await service().post('/api/sessions', { body: { email, password, cookie: true } });
    const { id, accessToken, refreshToken, browserKey } = response.body;
    assert.match(browserKey, /^[\w-]{43}$/);
    assert.deepEqual([response.status, refreshToken], [201, null]);
    assert.equal(response.headers['cache-control'], 'no-store');
    const [field = ''] = response.headers['set-cookie'] ?? [];
    assert.match(
      field,
      new RegExp(`^${name}=${id}\\.[\\w-]{48}; Max-Age=1209600; Path=/; Secure; HttpOnly; `),
    );
    assert.match(field, /; SameSite=Strict$/);
    assert.doesNotMatch(field, /domain/i);
    assert.equal((await service().get('/orders', { token: accessToken })).status, 200);
  });

  test('a sign-in sets no cookie unless it asks for one, and none if the password is wrong', async () => {
    const { email, password } = await service().person();
    for (const body of [
      { email, password },
      { email, password, cookie: false },
      { email, password: 'wrong password', cookie: true },
    ]) {
      const response = await service().post('/api/sessions', { body });
      assert.equal(response.headers['set-cookie'], undefined);
      if (response.status !== 201) continue;
      assert.deepEqual([typeof response.body.refreshToken, response.body.browserKey], ['string', undefined]);
    }
    const wrong = { email, password, cookie: 'yes' };
    assertIssues(await service().post('/api/sessions', { body: wrong }), 400, ['#/cookie type']);
  });
});

describe('the cookie', () => {
  const service = sharedService(onUsualPort);

  test('the cookie of a session gives new tokens of its session, and is replaced', async () => {
    const browser = await signIn(service());
    const response = await renew(service(), browser);
    const { id, refreshToken, browserKey } = response.body;
    assert.deepEqual([response.status, id, refreshToken], [201, browser.id, null]);
    assert.equal(browserKey, browser.browserKey);
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.equal(response.headers.location, `/api/sessions/${browser.id}`);
    const replaced = cookieOf(response);
    assert.notEqual(replaced, browser.cookie);
    assert.equal((await service().get('/orders', { token: response.body.accessToken })).status, 200);
    assert.equal((await renew(service(), { ...browser, cookie: replaced })).status, 201);
  });

  test('the cookie of a session is found among others, and no other is mistaken for it', async () => {
    const { cookie, browserKey } = await signIn(service());
    const among = { cookie: `a=b; ${cookie}; theme=dark`, browserKey };
    assert.equal((await renew(service(), among)).status, 201);
    const [, value = ''] = cookie.split('=');
    for (const other of [
      `orderly=${value}`,
      `__Host-orderly=${value}`,
      `x${cookie}`,
      `__host-http-orderly=${value}`,
    ])
      assertProblem(await renew(service(), { cookie: other, browserKey }), 'invalid-credentials');
  });

  test('the cookie of a session renews nothing without the browser key of its session, on either route', async () => {
    const [browser, other] = [await signIn(service()), await signIn(service())];
    const { id, cookie, browserKey } = browser;
    assertIssues(await renew(service(), browser, { body: {} }), 400, ['#/browserKey required']);
    assertIssues(await renew(service(), browser, { body: { browserKey: null } }), 400, ['#/browserKey type']);
    const altered = `${browserKey.startsWith('A') ? 'B' : 'A'}${browserKey.slice(1)}`;
    for (const wrong of ['A'.repeat(43), altered, other.browserKey])
      assertProblem(await renew(service(), { cookie, browserKey: wrong }), 'invalid-credentials');
    const [, refreshToken = ''] = cookie.split('.');
    const alone = await service().renew({ sessionId: id, refreshToken });
    assertProblem(alone, 'invalid-credentials');
    assert.equal((await renew(service(), browser)).status, 201);
  });

  test('a cookie that another server has set signs nobody in: the page has the key of its own session', async () => {
    const [browser, other] = [await signIn(service()), await signIn(service())];
    const response = await renew(service(), { cookie: other.cookie, browserKey: browser.browserKey });
    assertProblem(response, 'invalid-credentials');
    assert.deepEqual(response.headers['set-cookie'], [cleared]);
    const bearer = await service().person();
    const cookie = `${name}=${bearer.sessionId}.${bearer.refreshToken}`;
    assertProblem(await renew(service(), { ...browser, cookie }), 'invalid-credentials');
  });

  test('the cookie of two tabs that renew at once is the same in both', insideOnly, async () => {
    const browser = await signIn(service());
    const tabs = await Promise.all([renew(service(), browser), renew(service(), browser)]);
    assert.deepEqual(
      tabs.map(({ status }) => status),
      [201, 201],
    );
    assert.equal(...(tabs.map(cookieOf) as [string, string]));
  });

  test('the cookie of a session used again after its successor ends the session, and is removed', async () => {
    const browser = await signIn(service());
    const next = cookieOf(await renew(service(), browser));
    const latest = cookieOf(await renew(service(), { ...browser, cookie: next }));
    for (const cookie of [browser.cookie, latest]) {
      const response = await renew(service(), { ...browser, cookie });
      assertProblem(response, 'invalid-credentials');
      assert.deepEqual(response.headers['set-cookie'], [cleared]);
    }
    assertProblem(await service().get('/orders', { token: browser.token }), 'invalid-token');
  });

  for (const [what, value] of [
    ['nothing', ''],
    ['no token', '1.'],
    ['another session’s id', undefined],
    ['a quoted value', '"1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"'],
    ['an id beyond the integers', '9999999999999999.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a form of its own', '1.2.3'],
  ] as const) {
    test(`a cookie with ${what} is rejected and removed`, async () => {
      const browser = await signIn(service());
      const { id } = browser;
      const other = browser.cookie.replace(`=${id}.`, `=${id - 1}.`);
      const cookie = value === undefined ? other : `${name}=${value}`;
      const response = await renew(service(), { ...browser, cookie });
      assertProblem(response, 'invalid-credentials');
      assert.deepEqual(response.headers['set-cookie'], [cleared]);
      assert.equal((await renew(service(), browser)).status, 201);
    });
  }

  test('the cookie of a session must be sent exactly once', async () => {
    const browser = await signIn(service());
    const { cookie, browserKey } = browser;
    for (const missing of [undefined, '', 'theme=dark']) {
      const response = await renew(service(), { cookie: missing, browserKey });
      assertProblem(response, 'invalid-credentials');
      assert.equal(response.headers['set-cookie'], undefined);
    }
    const planted = (await signIn(service())).cookie;
    for (const both of [
      `${planted}; ${cookie}`,
      `${cookie}; ${planted}`,
      `${cookie};${cookie}`,
      `${cookie}; ${name}=`,
    ])
      assertProblem(await renew(service(), { cookie: both, browserKey }), 'multiple-credentials');
    const lines = { 'sec-fetch-site': 'same-origin', cookie: [planted, cookie] };
    assertProblem(
      await service().post(path, { body: { browserKey }, headers: lines }),
      'multiple-credentials',
    );
    assert.equal((await renew(service(), browser)).status, 201);
  });

  for (const site of [
    undefined,
    'cross-site',
    'same-site',
    'none',
    '',
    'same-origin, same-origin',
    'Same-Origin',
  ]) {
    test(`a session’s cookie is not used for ${JSON.stringify(site ?? 'a client that does not say where it is')}`, async () => {
      const browser = await signIn(service());
      const { cookie, browserKey } = browser;
      const headers = { cookie, ...(site === undefined ? {} : { 'sec-fetch-site': site }) };
      const response = await service().post(path, { body: { browserKey }, headers });
      assertProblem(response, 'forbidden');
      assert.equal(response.headers['set-cookie'], undefined);
      assert.equal((await renew(service(), browser)).status, 201);
    });
  }

  test('the cookie of a session is not used for a form, another method, or a body with other members', async () => {
    const browser = await signIn(service());
    const { cookie, browserKey } = browser;
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      assertProblem(
        await renew(service(), browser, {
          body: JSON.stringify({ browserKey }),
          headers: { 'content-type': type },
        }),
        'unsupported-media-type',
      );
    const headers = { 'sec-fetch-site': 'same-origin', cookie };
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const response = await service().call(method, path, { headers, isUndescribed: true });
      assert.equal(response.status, 405, method);
    }
    assertIssues(await renew(service(), browser, { body: { browserKey, refreshToken: 'x' } }), 400, [
      '#/refreshToken unknown-member',
    ]);
    assertProblem(await renew(service(), browser, { body: '' }), 'malformed-json');
    assert.equal((await renew(service(), browser)).status, 201);
  });

  test('the cookie of a session is no credential for any other route', async () => {
    const { cookie, id } = await signIn(service());
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    for (const target of ['/orders', '/api/sessions', `/api/sessions/${id}`, '/events'])
      assertProblem(await service().get(target, { headers }), 'unauthenticated');
    const renewal = await service().post(`/api/sessions/${id}/tokens`, { body: {}, headers });
    assertIssues(renewal, 400, ['#/refreshToken required']);
  });

  test(
    'a cookie ends with its session: 14 days after its last use, 30 after sign-in',
    insideOnly,
    async (t) => {
      const own = await serviceFor(t, onUsualPort);
      const day = 86_400_000;
      const maxAgeOf = ({ headers }: TestResponse): number =>
        Number(/Max-Age=(\d+)/.exec(headers['set-cookie']?.[0] ?? '')?.[1]) * 1000;
      const browser = await signIn(own);
      own.clock.advance(13 * day);
      const second = await renew(own, browser);
      assert.equal(maxAgeOf(second), 14 * day);
      own.clock.advance(13 * day);
      const third = await renew(own, { ...browser, cookie: cookieOf(second) });
      assert.equal(maxAgeOf(third), 4 * day);
      own.clock.advance(5 * day);
      const ended = await renew(own, { ...browser, cookie: cookieOf(third) });
      assertProblem(ended, 'invalid-credentials');
      assert.deepEqual(ended.headers['set-cookie'], [cleared]);
    },
  );
});

test('two services on one machine keep each other’s cookie, since a browser has one of a name for all ports', async (t) => {
  const jar = new Map<string, string>();
  const browsers = [];
  for (const service of [await serviceFor(t), await serviceFor(t), await serviceFor(t, onUsualPort)]) {
    const browser = await signIn(service);
    const [cookieName = '', value = ''] = browser.cookie.split('=', 2);
    jar.set(cookieName, value);
    browsers.push({ service, browser, cookieName });
  }
  const names = browsers.map(({ cookieName }) => cookieName);
  const [first, second] = browsers.map(({ service }) => service.port);
  assert.deepEqual(names, [`${name}-${first}`, `${name}-${second}`, name]);
  const cookie = [...jar].map(([cookieName, value]) => `${cookieName}=${value}`).join('; ');
  for (const { service, browser } of browsers)
    assert.equal((await renew(service, { ...browser, cookie })).status, 201);
});

test('only one route reads the cookie, and only those of sessions set it', async (t) => {
  const { inside } = await serviceFor(t);
  if (inside === undefined) return t.skip('needs the list of routes');
  const routes = inside.app.router.mounted.map(({ route }) => route);
  const namesOf = (use: string): string[] =>
    routes.filter((each) => each.sessionCookie === use).map((each) => `${each.method} ${each.path}`);
  assert.deepEqual(namesOf('read and set'), [`POST ${path}`]);
  assert.deepEqual(namesOf('set').sort(), [
    'DELETE /api/sessions',
    'DELETE /api/sessions/{id}',
    'POST /api/sessions',
  ]);
});

describe('signing out', () => {
  const service = sharedService(onUsualPort);

  test('signing out removes the cookie of this browser’s session, here or everywhere', async () => {
    for (const where of ['here', 'everywhere']) {
      const browser = await signIn(service());
      const { id, token } = browser;
      const target = where === 'here' ? `/api/sessions/${id}` : '/api/sessions';
      const response = await service().delete(target, { token });
      assert.deepEqual([response.status, response.headers['set-cookie']], [204, [cleared]]);
      assertProblem(await renew(service(), browser), 'invalid-credentials');
    }
  });

  test('signing out removes no cookie of others: of another session, another user, or none', async () => {
    const { token, id, email } = await signIn(service());
    const bearer = await service().signIn(email, (await service().person()).password);
    const root = await rootToken(service());
    const ofOther = await signIn(service());
    for (const [target, by] of [
      [`/api/sessions/${bearer.sessionId}`, token],
      [`/api/sessions/${ofOther.id}`, root],
      [`/api/sessions/${id}`, root],
    ] as const) {
      const response = await service().delete(target, { token: by });
      assert.deepEqual([response.status, response.headers['set-cookie']], [204, undefined], target);
    }
    const plain = await service().person();
    const response = await service().delete(`/api/sessions/${plain.sessionId}`, { token: plain.token });
    assert.deepEqual([response.status, response.headers['set-cookie']], [204, undefined]);
  });

  test('signing out of a session that remains removes nothing', async () => {
    const { id, token } = await signIn(service());
    const headers = { 'if-match': '"other"' };
    const response = await service().delete(`/api/sessions/${id}`, { token, headers });
    assertProblem(response, 'precondition-failed');
    assert.equal(response.headers['set-cookie'], undefined);
  });
});
