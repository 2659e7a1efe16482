// How far one client can affect the sign-ins of others: places in the queue of hashing, token buckets, and
// log lines.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { createPasswordHasher, type PasswordHasher } from '../../../src/auth/password.ts';
import type { DeriveKey } from '../../../src/auth/scrypt-pool.ts';
import { deriveKey } from '../../support/cheap-hasher.ts';
import { assertProblem, proxiedFrom, shownOf } from '../../support/http-support.ts';
import { countedSecurityEvents, securityLines } from '../../support/security-line-support.ts';
import {
  insideOnly,
  password,
  serviceFor,
  type TestOptions,
  type TestResponse,
} from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { sendHalf } from '../../support/withdrawn-support.ts';

const wrong = (email: string): object => ({ email, password: 'not that password' });

function assertExceeded(response: TestResponse, policy: string): void {
  assertProblem(response, 'quota-exceeded');
  assert.deepEqual(response.body['violated-policies'], [policy]);
}

/** A service behind a proxy, and the requests of its clients from their addresses. */
async function proxiedService(t: TestContext, options: TestOptions = {}) {
  const settings = { 'trusted-proxy': '127.0.0.1', ...options.settings };
  const service = await serviceFor(t, { ...options, settings });
  const signIn = (address: string, body: object): Promise<TestResponse> =>
    service.as().post('/api/sessions', body, proxiedFrom(address));
  const signUp = (address: string, email: string, token?: string): Promise<TestResponse> =>
    service.as({ token }).post('/api/users', { name: 'Ada', email, password }, proxiedFrom(address));
  /** A user who signed up and signed in from this address. */
  async function personFrom(address: string) {
    const email = 'person@example.com';
    const { id }: { readonly id: number } = (await signUp(address, email)).body;
    const { accessToken } = (await signIn(address, { email, password })).body;
    return { id, email, token: String(accessToken) };
  }
  return { service, signIn, signUp, personFrom };
}

// what has a place in the queue is answered only at the end
describe('in the queue of password hashing', { ...insideOnly, timeout: 20_000 }, () => {
  /** Both threads are busy until the service ends, so that later hashes wait. */
  async function busyService(t: TestContext) {
    const ended = Promise.withResolvers<never>();
    let isBusy = false;
    const busy: DeriveKey = (input) => (isBusy ? ended.promise : deriveKey(input));
    const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 }, deriveKey: busy });
    // first, since otherwise the service waits for the hashes
    t.after(() => {
      hasher.close();
      ended.reject(new Error('the hash was ended'));
    });
    const proxied = await proxiedService(t, { hasher });
    const person = await proxied.personFrom('192.0.2.1');
    isBusy = true;
    for (let thread = 0; thread < 2; thread += 1) hasher.verify('x', null).catch(() => {});
    return { ...proxied, hasher, ...person };
  }

  /** Resolves once the requests, which are answered only when the service ends, are in the queue. */
  async function wait(hasher: PasswordHasher, ...requests: Promise<TestResponse>[]): Promise<void> {
    const expected = hasher.waiting + requests.length;
    for (const request of requests) request.catch(() => {});
    await until(() => hasher.waiting >= expected);
    assert.equal(hasher.waiting, expected);
  }

  test('in the queue of password hashing, an address holds two places, and others aren’t delayed', async (t) => {
    const { signIn, signUp, hasher } = await busyService(t);
    await wait(hasher, signIn('192.0.2.7', wrong('one@example.com')), signUp('192.0.2.7', 'two@example.com'));
    const third = await signIn('192.0.2.7', wrong('three@example.com'));
    assertExceeded(third, 'password-hashing');
    assert.equal(third.headers['retry-after'], '1');
    await wait(hasher, signIn('192.0.2.8', wrong('one@example.com')));
  });

  test('in the queue of password hashing, a user holds two places, from however many addresses', async (t) => {
    const { signUp, hasher, token } = await busyService(t);
    const from = (host: number) => signUp(`192.0.2.${host}`, 'x@example.com', token);
    await wait(hasher, from(7), from(8));
    assertProblem(await from(9), 'quota-exceeded');
  });

  test('in the queue of password hashing, strangers leave places for sign-ins from known networks', async (t) => {
    const { signIn, signUp, hasher, email } = await busyService(t);
    const from = (host: number) => signUp(`198.51.100.${host}`, `user${host}@example.com`);
    await wait(hasher, ...Array.from({ length: 16 }, (_, index) => from(index + 1)));
    const rejected = await from(17);
    assertProblem(rejected, 'unavailable');
    assert.equal(rejected.headers['retry-after'], '1');
    assertProblem(await signIn('192.0.2.7', wrong('one@example.com')), 'unavailable');
    await wait(hasher, signIn('192.0.2.1', wrong(email)));
  });
});

test('signing up and changing a password count as sign-ins of the address; creating a user doesn’t', async (t) => {
  const { service, signIn, signUp, personFrom } = await proxiedService(t, {
    settings: { 'rate-login-address': '4/3600' },
  });
  const { accessToken } = (await signIn('192.0.2.1', service.admin)).body;
  const { id, token, email } = await personFrom('192.0.2.2'); // two of four
  const body = { password: 'another good password', currentPassword: password };
  const change = () => service.as({ token }).patch(`/api/users/${id}`, body, proxiedFrom('192.0.2.2'));
  assert.equal((await change()).status, 200);
  assertExceeded(await change(), 'login-address');
  assertExceeded(await signUp('192.0.2.2', 'one.more@example.com'), 'login-address');
  assertExceeded(await signIn('192.0.2.2', wrong(email)), 'login-address');
  for (let index = 0; index < 5; index += 1)
    assert.equal((await signUp('192.0.2.2', `made${index}@example.com`, accessToken)).status, 201);
});

const accountRates = { 'rate-login-account': '5/3600', 'rate-login-account-total': '50/3600' };

test('failed sign-ins from everywhere lock nobody out where they have signed in or renewed before, nor in that /48', async (t) => {
  const { service, signIn } = await proxiedService(t, { settings: accountRates });
  const { email } = service.admin;
  const { id: sessionId, refreshToken } = (await signIn('192.0.2.1', service.admin)).body;
  const renewed = { headers: proxiedFrom('2001:db8::1') };
  assert.equal((await service.renew({ sessionId, refreshToken }, renewed)).status, 201);
  for (let count = 0; count < 49; count += 1)
    assertProblem(await signIn(`198.51.100.${count % 10}`, wrong(email)), 'invalid-credentials');
  assertExceeded(await signIn('198.51.100.99', wrong(email)), 'login-account-total');
  for (const [address, status] of [
    ['192.0.2.2', 429],
    ['192.0.2.1', 201],
    ['2001:db8:0:1::2', 201],
  ] as const)
    assert.equal((await signIn(address, service.admin)).status, status);
});

test('failed sign-ins from everywhere lock nobody out on the machine itself', async (t) => {
  const settings = { ...accountRates, 'trusted-proxy': '127.0.0.2', 'rate-login-account-total': '3/3600' };
  const service = await serviceFor(t, { settings });
  const ask = (body: object) => service.as().post('/api/sessions', body);
  for (let index = 0; index < 4; index += 1)
    assertProblem(await ask(wrong(service.admin.email)), 'invalid-credentials');
  assert.equal((await ask(service.admin)).status, 201);
});

test('failed sign-ins look the same for an account known there, one unknown there, and none', async (t) => {
  const { service, signIn } = await proxiedService(t, {
    settings: { ...accountRates, 'rate-login-address': '20/3600' },
  });
  const { email } = service.admin;
  await signIn('192.0.2.1', service.admin);
  service.clock.advance(3_600_000); // so that all buckets are full
  const [known, ...others] = [
    shownOf(await signIn('192.0.2.1', wrong(email))),
    shownOf(await signIn('192.0.2.2', wrong(email))),
    shownOf(await signIn('192.0.2.3', wrong('nobody@example.com'))),
  ];
  assert.deepEqual(others, [known, known]);
});

test('failed sign-ins of one account, once they exceed its rate, leave the address’s tokens to other accounts', async (t) => {
  const rates = {
    'rate-login-account': '2/3600',
    'rate-login-address': '4/3600',
    'rate-anonymous': '120/60',
  };
  const { as } = await serviceFor(t, { settings: rates });
  const attempt = (name: string) => as().post('/api/sessions', wrong(`${name}@example.com`));
  const anonymous = '"anonymous";q=120;w=60';
  for (let index = 0; index < 2; index += 1) {
    const failed = await attempt('till');
    assertProblem(failed, 'invalid-credentials');
    assert.equal(failed.headers['ratelimit-policy'], anonymous);
    assert.match(String(failed.headers.ratelimit), /^"anonymous";r=\d+;t=\d+$/);
  }
  for (let index = 0; index < 10; index += 1) {
    const exceeded = await attempt('till');
    assertExceeded(exceeded, 'login-account');
    assert.equal(exceeded.headers['ratelimit-policy'], `${anonymous}, "login-account";q=2;w=3600`);
  }
  for (const name of ['one', 'two']) assertProblem(await attempt(name), 'invalid-credentials');
  assertExceeded(await attempt('three'), 'login-address'); // the fifth password would be checked
});

test('no rate of signing in refills by bodies that arrive long after their heads', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-login-account': '5/60' } });
  const body = wrong(service.admin.email);
  const half = { head: 'POST /api/sessions HTTP/1.1\r\n', body: JSON.stringify(body) };
  const late = await Promise.all(Array.from({ length: 6 }, () => sendHalf(service, half)));
  const attempt = async (): Promise<number> => (await service.as().post('/api/sessions', body)).status;
  for (let index = 0; index < 5; index += 1) await attempt();
  service.clock.advance(24_000);
  const statuses: number[] = [];
  for (const { sendRest } of late) statuses.push((await sendRest()).status, await attempt());
  const checked = statuses.filter((status) => status === 401);
  assert.equal(checked.length, 2, 'as many as 24 seconds allow');
});

test('the log and the metrics have successful and failed sign-ins, with address and account only', async (t) => {
  const { service, signIn, personFrom } = await proxiedService(t, {
    settings: { 'rate-login-account': '2/3600' },
  });
  const { id, email } = await personFrom('192.0.2.1');
  const failed = await signIn('2001:db8::7', wrong(email));
  await signIn('192.0.2.7', wrong('nobody@example.com'));
  await signIn('2001:db8::7', wrong(email));
  const rejected = await signIn('2001:db8::7', wrong(email));
  const [first, second] = securityLines(service, 'authn_login_fail');
  assert.deepEqual(first, {
    time: first?.['time'],
    level: 'warn',
    message: 'authn_login_fail',
    requestId: failed.headers['x-request-id'],
    address: '2001:db8::7',
    principal: null,
    userId: id,
  });
  assert.partialDeepStrictEqual(second, { address: '192.0.2.7', userId: null });
  const about = { userId: id, requestId: rejected.headers['x-request-id'] };
  for (const [name, ...lines] of [
    ['authn_login_fail_max', about],
    ['authn_login_success', { userId: id }],
    ['user_created', { userId: id, role: 'user' }],
  ] as const) {
    const found = securityLines(service, name);
    assert.equal(found.length, lines.length, name);
    assert.partialDeepStrictEqual(found, lines);
  }
  assert.doesNotMatch(service.logged.join('\n'), /example\.com|not that password/);
  if (service.inside === undefined) return;
  for (const [name, count] of [
    ['authn_login_fail', 3],
    ['authn_login_fail_max', 1],
    ['authn_token_reuse', 0],
  ] as const)
    assert.equal(await countedSecurityEvents(service, name), count);
});

test('the log has a line for rejected access, a rate, or a reused refresh token', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '2/3600' } });
  const person = await service.person();
  const { id, sessionId } = person;
  for (const path of ['/api/users', '/orders', '/orders']) await person.get(path);
  const { refreshToken } = (await service.renew(person)).body;
  await service.renew({ sessionId, refreshToken });
  service.clock.advance(60_000);
  await service.renew(person);
  for (const [name, about] of [
    ['authz_fail', { principal: `user:${id}`, code: 'forbidden' }],
    ['excess_rate_limit_exceeded', { principal: `user:${id}`, policies: ['default'] }],
    ['authn_token_reuse', { userId: id, sessionId, address: '127.0.0.1' }],
  ] as const) {
    const [line, ...more] = securityLines(service, name);
    assert.deepEqual(more, []);
    assert.partialDeepStrictEqual(line, about);
  }
});

test('the log has the client’s address in each request’s line, even behind trusted proxies', async (t) => {
  const { service } = await proxiedService(t);
  for (const address of ['2001:db8::7', '192.0.2.9, 127.0.0.1'])
    await service.as().get('/problems', proxiedFrom(address));
  const lines = service.logged.map((line) => JSON.parse(line)).filter(({ path }) => path === '/problems');
  assert.deepEqual(
    lines.map(({ address }) => address),
    ['2001:db8::7', '192.0.2.9'],
  );
});
