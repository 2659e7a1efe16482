// Sessions of browsers: the refresh token in a cookie, which only one route reads, beside a key of the page.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { assertIssues } from '../../support/resource-support.ts';
import {
  insideOnly,
  serviceFor,
  type Person,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';

const name = '__Host-Http-orderly';
const onUsualPort = { settings: { 'public-url': 'https://localhost:8443' } };
const cleared = [`${name}=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict`];
const path = '/api/sessions/current/tokens';
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

/** What a browser keeps of its session; `Person` has the sessions without a cookie. */
type Browser = Person & { readonly cookie: string; readonly browserKey: string };
type Halves = { readonly cookie?: string | string[]; readonly browserKey: string };

async function signIn(service: TestService): Promise<Browser> {
  const person = await service.person();
  const { email, password } = person;
  const response = await service.as().post('/api/sessions', { email, password, cookie: true });
  assert.equal(response.status, 201, response.text);
  const { id: sessionId, accessToken: token, browserKey } = response.body;
  return { ...person, ...service.as({ token }), sessionId, token, cookie: cookieOf(response), browserKey };
}

/** The field with which a browser sends it back. */
function cookieOf({ headers }: TestResponse): string {
  const [field = '', ...others] = headers['set-cookie'] ?? [];
  assert.deepEqual(others, []);
  return field.split(';')[0] ?? '';
}

function renew(service: TestService, { cookie, browserKey }: Halves): Promise<TestResponse> {
  return service
    .as()
    .post(path, { browserKey }, { ...sameOrigin, ...(cookie === undefined ? {} : { cookie }) });
}

/** The response rejects what was sent, and the cookie is removed or stays. */
function assertRejected(response: TestResponse, cookie: 'removed' | 'kept'): void {
  assertProblem(response, 'invalid-credentials');
  assert.deepEqual(response.headers['set-cookie'], cookie === 'removed' ? cleared : undefined);
}

describe('the cookie', () => {
  const service = sharedService(onUsualPort);
  const post = (body: unknown, { cookie }: Halves, fields: object): Promise<TestResponse> =>
    service()
      .as()
      .post(path, body, { cookie: cookie ?? '', ...fields });

  test('the cookie of a sign-in that asks for one has the refresh token, and the body has not', async () => {
    const { email, password } = await service().person();
    const body = { email, password, cookie: true };
    const response = await service().as().post('/api/sessions', body);
    const { id, accessToken, refreshToken, browserKey } = response.body;
    assert.match(browserKey, /^[\w-]{43}$/);
    assert.deepEqual([response.status, refreshToken], [201, null]);
    assert.equal(response.headers['cache-control'], 'no-store');
    const [field = ''] = response.headers['set-cookie'] ?? [];
    const attributes = 'Max-Age=1209600; Path=/; Secure; HttpOnly; SameSite=Strict';
    assert.match(field, new RegExp(`^${name}=${id}\\.[\\w-]{48}; ${attributes}$`));
    assert.equal((await service().get('/orders', { token: accessToken })).status, 200);
    for (const [change, status] of [
      [{ cookie: undefined }, 201],
      [{ cookie: false }, 201],
      [{ password: 'wrong password' }, 401],
      [{ cookie: 'yes' }, 400],
    ] as const) {
      const other = await service().post('/api/sessions', { body: { ...body, ...change } });
      assert.deepEqual([other.status, other.headers['set-cookie']], [status, undefined]);
      if (status === 201)
        assert.deepEqual([typeof other.body.refreshToken, other.body.browserKey], ['string', undefined]);
    }
  });

  test('the cookie of a session gives new tokens of its session, and is replaced, by the same in two tabs', async () => {
    const browser = await signIn(service());
    const [response, ofOtherTab] = await Promise.all([renew(service(), browser), renew(service(), browser)]);
    const { id, refreshToken, browserKey, accessToken } = response.body;
    assert.deepEqual([response.status, id, refreshToken], [201, browser.sessionId, null]);
    assert.equal(browserKey, browser.browserKey);
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.equal(response.headers.location, `/api/sessions/${id}`);
    const cookie = cookieOf(response);
    assert.equal(cookieOf(ofOtherTab), cookie);
    assert.notEqual(cookie, browser.cookie);
    assert.equal((await service().get('/orders', { token: accessToken })).status, 200);
    assert.equal((await renew(service(), { cookie, browserKey })).status, 201);
  });

  test('the cookie of a session renews nothing without the browser key of its session, on either route', async () => {
    const [browser, other] = [await signIn(service()), await signIn(service())];
    const { sessionId, cookie, browserKey } = browser;
    assertIssues(await post({}, browser, sameOrigin), 400, ['#/browserKey required']);
    assertIssues(await post({ browserKey: null }, browser, sameOrigin), 400, ['#/browserKey type']);
    const altered = `${browserKey.startsWith('A') ? 'B' : 'A'}${browserKey.slice(1)}`;
    const bearer = await service().person();
    for (const halves of [
      { cookie, browserKey: 'A'.repeat(43) },
      { cookie, browserKey: altered },
      { cookie, browserKey: other.browserKey },
      { cookie: other.cookie, browserKey }, // which another server has set
      { cookie: `${name}=${bearer.sessionId}.${bearer.refreshToken}`, browserKey },
    ])
      assertRejected(await renew(service(), halves), 'removed');
    const [, refreshToken = ''] = cookie.split('.');
    assertProblem(await service().renew({ sessionId, refreshToken }), 'invalid-credentials');
    assert.equal((await renew(service(), browser)).status, 201);
  });

  test('the cookie of a session used again after its successor ends the session, and is removed', async () => {
    const browser = await signIn(service());
    const { browserKey } = browser;
    const next = cookieOf(await renew(service(), browser));
    const latest = cookieOf(await renew(service(), { cookie: next, browserKey }));
    for (const cookie of [browser.cookie, latest])
      assertRejected(await renew(service(), { cookie, browserKey }), 'removed');
    assertProblem(await browser.get('/orders'), 'invalid-token');
  });

  test('the cookie is rejected and removed if its value is none, and its session stays', async () => {
    const browser = await signIn(service());
    const { sessionId, cookie, browserKey } = browser;
    const token = 'A'.repeat(48);
    const values = ['', '1.', `"1.${token}"`, `9999999999999999.${token}`, '1.2.3'];
    const ofAnother = cookie.replace(`=${sessionId}.`, `=${sessionId - 1}.`);
    for (const sent of [...values.map((value) => `${name}=${value}`), ofAnother])
      assertRejected(await renew(service(), { cookie: sent, browserKey }), 'removed');
    assert.equal((await renew(service(), browser)).status, 201);
  });

  test('the cookie of a session must be sent exactly once, among others', async () => {
    const [{ cookie, browserKey }, { cookie: planted }] = [await signIn(service()), await signIn(service())];
    const others = ['orderly', '__Host-orderly', `x${name}`, name.toLowerCase(), 'theme'];
    for (const missing of ['', ...others.map((each) => cookie.replace(name, each))])
      assertRejected(await renew(service(), { cookie: missing, browserKey }), 'kept');
    assertRejected(await renew(service(), { browserKey }), 'kept');
    for (const sent of [
      `${planted}; ${cookie}`,
      `${cookie}; ${planted}`,
      `${cookie};${cookie}`,
      `${cookie}; ${name}=`,
      [planted, cookie],
    ])
      assertProblem(await renew(service(), { cookie: sent, browserKey }), 'multiple-credentials');
    const among = { cookie: `a=b; ${cookie}; theme=dark`, browserKey };
    assert.equal((await renew(service(), among)).status, 201);
  });

  test('the cookie of a session is not used for a page of another origin, or a client that names none', async () => {
    const browser = await signIn(service());
    const sites = ['cross-site', 'same-site', 'none', '', 'same-origin, same-origin', 'Same-Origin'];
    for (const fields of [{}, ...sites.map((site) => ({ 'sec-fetch-site': site }))]) {
      const response = await post({ browserKey: browser.browserKey }, browser, fields);
      assertProblem(response, 'forbidden');
      assert.equal(response.headers['set-cookie'], undefined);
    }
    assert.equal((await renew(service(), browser)).status, 201);
  });

  test('the cookie of a session is not used for a form, another method, or a body with other members', async () => {
    const browser = await signIn(service());
    const { browserKey, cookie } = browser;
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const fields = { ...sameOrigin, 'content-type': type };
      const form = await post(JSON.stringify({ browserKey }), browser, fields);
      assertProblem(form, 'unsupported-media-type');
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const call = { headers: { ...sameOrigin, cookie }, isUndescribed: true };
      assert.equal((await service().call(method, path, call)).status, 405);
    }
    const more = await post({ browserKey, refreshToken: 'x' }, browser, sameOrigin);
    assertIssues(more, 400, ['#/refreshToken unknown-member']);
    assertProblem(await post('', browser, sameOrigin), 'malformed-json');
    assert.equal((await renew(service(), browser)).status, 201);
  });

  test('the cookie of a session is no credential for any other route', async () => {
    const { cookie, sessionId } = await signIn(service());
    const headers = { ...sameOrigin, cookie };
    for (const target of ['/orders', '/api/sessions', `/api/sessions/${sessionId}`, '/events'])
      assertProblem(await service().get(target, { headers }), 'unauthenticated');
    const renewal = await service().as().post(`/api/sessions/${sessionId}/tokens`, {}, headers);
    assertIssues(renewal, 400, ['#/refreshToken required']);
  });

  test('the cookie is removed by signing out here or everywhere, and by nothing else', async () => {
    for (const everywhere of [false, true]) {
      const browser = await signIn(service());
      const target = everywhere ? '/api/sessions' : `/api/sessions/${browser.sessionId}`;
      const response = await browser.delete(target);
      assert.deepEqual([response.status, response.headers['set-cookie']], [204, cleared]);
      assertProblem(await renew(service(), browser), 'invalid-credentials');
    }
    const [browser, other, root] = [await signIn(service()), await signIn(service()), await service().root()];
    const [bearer, plain] = [
      await service().signIn(browser.email, browser.password),
      await service().person(),
    ];
    for (const [caller, { sessionId }] of [
      [browser, bearer],
      [root, other],
      [root, browser],
      [plain, plain],
    ] as const) {
      const response = await caller.delete(`/api/sessions/${sessionId}`);
      assert.deepEqual([response.status, response.headers['set-cookie']], [204, undefined]);
    }
    const staying = await signIn(service());
    const refused = await staying.delete(`/api/sessions/${staying.sessionId}`, { 'if-match': '"other"' });
    assertProblem(refused, 'precondition-failed');
    assert.equal(refused.headers['set-cookie'], undefined);
  });
});

test('a cookie ends 14 days after its last use, and 30 after sign-in', insideOnly, async (t) => {
  const service = await serviceFor(t, onUsualPort);
  const day = 86_400_000;
  let { cookie, browserKey } = await signIn(service);
  for (const days of [14, 4]) {
    service.clock.advance(13 * day);
    const renewed = await renew(service, { cookie, browserKey });
    assert.match(String(renewed.headers['set-cookie']), new RegExp(`Max-Age=${(days * day) / 1000};`));
    cookie = cookieOf(renewed);
  }
  service.clock.advance(5 * day);
  assertRejected(await renew(service, { cookie, browserKey }), 'removed');
});

test('two services on one machine keep each other’s cookie, since a browser has one of a name for all ports', async (t) => {
  const services = [await serviceFor(t), await serviceFor(t), await serviceFor(t, onUsualPort)];
  const browsers = await Promise.all(services.map(signIn));
  const [first, second] = services.map(({ port }) => port);
  assert.deepEqual(
    browsers.map(({ cookie }) => cookie.split('=')[0]),
    [`${name}-${first}`, `${name}-${second}`, name],
  );
  const cookie = browsers.map((each) => each.cookie).join('; ');
  for (const [index, service] of services.entries()) {
    const browserKey = browsers[index]?.browserKey ?? '';
    assert.equal((await renew(service, { cookie, browserKey })).status, 201);
  }
});

test('only one route reads the cookie, and only those of sessions set it', insideOnly, async (t) => {
  const { router } = (await serviceFor(t)).inside ?? assert.fail('it is inside');
  const routes = router.mounted.map(({ route }) => route).filter(({ sessionCookie }) => sessionCookie);
  assert.deepEqual(routes.map((each) => `${each.sessionCookie} by ${each.method} ${each.path}`).toSorted(), [
    `read and set by POST ${path}`,
    'set by DELETE /api/sessions',
    'set by DELETE /api/sessions/{id}',
    'set by POST /api/sessions',
  ]);
});
