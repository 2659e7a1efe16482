// How far one client can affect the sign-ins of others: places in the queue of hashing, token buckets, and
// log lines.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { createPasswordHasher, type PasswordHasher } from '../../../src/auth/password.ts';
import type { DeriveKey } from '../../../src/auth/password-hashing.ts';
import { deriveKey } from '../../support/cheap-hasher.ts';
import { assertProblem, proxiedFrom, shownOf } from '../../support/http-support.ts';
import { securityLines } from '../../support/security-line-support.ts';
import { until } from '../../support/storage-support.ts';
import {
  insideOnly,
  password,
  serviceFor,
  type TestResponse,
  type Call,
  type TestService,
} from '../../support/service.ts';

/** What has a place in the queue is answered only at the end. */
const queueOptions = { ...insideOnly, timeout: 20_000 };
const proxied = { 'trusted-proxy': '127.0.0.1' };

function from(address: string): Call {
  return { headers: proxiedFrom(address) };
}

function signIn(service: TestService, address: string, body: object): Promise<TestResponse> {
  return service.post('/api/sessions', { ...from(address), body });
}

const wrong = (email: string): object => ({ email, password: 'not that password' });

describe('in the queue of password hashing', queueOptions, () => {
  type Busy = { service: TestService; hasher: PasswordHasher; token: string; id: number; email: string };

  /** Both threads are busy until the service ends, so that later hashes wait. */
  async function busyService(t: TestContext): Promise<Busy> {
    const ended = Promise.withResolvers<never>();
    let isBusy = false;
    const busy: DeriveKey = (input) => (isBusy ? ended.promise : deriveKey(input));
    const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 }, deriveKey: busy });
    // first, since otherwise the service waits for the hashes
    t.after(() => {
      hasher.close();
      ended.reject(new Error('the hash was ended'));
    });
    const service = await serviceFor(t, { hasher, settings: proxied });
    const { token, id, email } = await personFrom(service, '192.0.2.1');
    isBusy = true;
    for (let thread = 0; thread < 2; thread += 1) hasher.verify('x', null).catch(() => {});
    return { service, hasher, token, id, email };
  }

  async function waiting({ hasher }: Busy, count: number): Promise<void> {
    await until(() => hasher.waiting >= count);
    assert.equal(hasher.waiting, count);
  }

  /** Requests that are answered only when the service ends. */
  function leave(response: Promise<TestResponse>): void {
    response.catch(() => {});
  }

  test('in the queue of password hashing, an address holds two places, and others aren’t delayed', async (t) => {
    const busy = await busyService(t);
    const { service } = busy;
    leave(signIn(service, '192.0.2.7', wrong('one@example.com')));
    leave(service.post('/api/users', { ...from('192.0.2.7'), body: newUser('two@example.com') }));
    await waiting(busy, 2);
    const third = await signIn(service, '192.0.2.7', wrong('three@example.com'));
    assertProblem(third, 'quota-exceeded');
    assert.deepEqual(third.body['violated-policies'], ['password-hashing']);
    assert.equal(third.headers['retry-after'], '1');
    leave(signIn(service, '192.0.2.8', wrong('one@example.com')));
    await waiting(busy, 3);
  });

  test('in the queue of password hashing, a user holds two places, from however many addresses', async (t) => {
    const busy = await busyService(t);
    const change = (address: string): Promise<TestResponse> =>
      busy.service.post('/api/users', {
        ...from(address),
        token: busy.token,
        body: newUser('x@example.com'),
      });
    leave(change('192.0.2.7'));
    leave(change('192.0.2.8'));
    await waiting(busy, 2);
    assertProblem(await change('192.0.2.9'), 'quota-exceeded');
  });

  test('in the queue of password hashing, strangers leave places for sign-ins from known networks', async (t) => {
    const busy = await busyService(t);
    const signUp = (host: number): Promise<TestResponse> =>
      busy.service.post('/api/users', {
        ...from(`198.51.100.${host}`),
        body: newUser(`user${host}@example.com`),
      });
    for (let host = 1; host <= 16; host += 1) leave(signUp(host));
    await waiting(busy, 16);
    const rejected = await signUp(17);
    assertProblem(rejected, 'unavailable');
    assert.equal(rejected.headers['retry-after'], '1');
    assertProblem(await signIn(busy.service, '192.0.2.7', wrong('one@example.com')), 'unavailable');
    leave(signIn(busy.service, '192.0.2.1', wrong(busy.email)));
    await waiting(busy, 17);
  });
});

test('signing up counts as a sign-in of the address; an administrator creating a user doesn’t', async (t) => {
  const service = await serviceFor(t, { settings: { ...proxied, 'rate-login-address': '3/3600' } });
  const { accessToken: token } = (await signIn(service, '192.0.2.1', service.admin)).body;
  for (let index = 0; index < 3; index += 1) {
    const body = newUser(`user${index}@example.com`);
    assert.equal((await service.post('/api/users', { ...from('192.0.2.2'), body })).status, 201);
  }
  const body = newUser('one.more@example.com');
  const rejected = await service.post('/api/users', { ...from('192.0.2.2'), body });
  assertProblem(rejected, 'quota-exceeded');
  assert.deepEqual(rejected.body['violated-policies'], ['login-address']);
  assertProblem(await signIn(service, '192.0.2.2', wrong('user0@example.com')), 'quota-exceeded');
  for (let index = 0; index < 5; index += 1) {
    const made = { ...from('192.0.2.2'), token, body: newUser(`made${index}@example.com`) };
    assert.equal((await service.post('/api/users', made)).status, 201);
  }
});

test('a password change counts as a sign-in of the address', async (t) => {
  const service = await serviceFor(t, { settings: { ...proxied, 'rate-login-address': '3/3600' } });
  const { id, token } = await personFrom(service, '192.0.2.1'); // two, by its sign-up and its sign-in
  const body = { password: 'another good password', currentPassword: password };
  let last = 0;
  for (let index = 0; index < 4 && last !== 429; index += 1)
    last = (
      await service.patch(`/api/users/${id}`, { ...from('192.0.2.1'), token, body, isUndescribed: true })
    ).status;
  assert.equal(last, 429);
});

const settings = { ...proxied, 'rate-login-account': '5/3600', 'rate-login-account-total': '50/3600' };

/** Uses up the tokens that the account's owner, who has signed in once, has left. */
async function attack(service: TestService, email: string): Promise<void> {
  for (let count = 0; count < 49; count += 1) {
    const address = `198.51.100.${count % 10}`;
    assertProblem(await signIn(service, address, wrong(email)), 'invalid-credentials');
  }
  const rejected = await signIn(service, '198.51.100.99', wrong(email));
  assertProblem(rejected, 'quota-exceeded');
  assert.deepEqual(rejected.body['violated-policies'], ['login-account-total']);
}

test('failed sign-ins from everywhere lock nobody out at an address where they have signed in before', async (t) => {
  const service = await serviceFor(t, { settings });
  assert.equal((await signIn(service, '192.0.2.1', service.admin)).status, 201);
  await attack(service, service.admin.email);
  assertProblem(await signIn(service, '192.0.2.2', service.admin), 'quota-exceeded');
  assert.equal((await signIn(service, '192.0.2.1', service.admin)).status, 201);
});

test('failed sign-ins from everywhere lock nobody out where their session was renewed, nor in that /48', async (t) => {
  const service = await serviceFor(t, { settings });
  const { id, refreshToken } = (await signIn(service, '192.0.2.1', service.admin)).body;
  const renewed = await service.renew({ sessionId: id, refreshToken }, from('2001:db8::1'));
  assert.equal(renewed.status, 201);
  await attack(service, service.admin.email);
  assert.equal((await signIn(service, '2001:db8:0:1::2', service.admin)).status, 201);
});

test('failed sign-ins from everywhere lock nobody out on the machine itself', async (t) => {
  const direct = { ...settings, 'trusted-proxy': '127.0.0.2', 'rate-login-account-total': '3/3600' };
  const service = await serviceFor(t, { settings: direct });
  for (let index = 0; index < 4; index += 1)
    assertProblem(
      await service.post('/api/sessions', { body: wrong(service.admin.email) }),
      'invalid-credentials',
    );
  assert.equal((await service.post('/api/sessions', { body: service.admin })).status, 201);
});

test('failed sign-ins look the same for an account known there, one unknown there, and none', async (t) => {
  const service = await serviceFor(t, { settings: { ...settings, 'rate-login-address': '20/3600' } });
  await signIn(service, '192.0.2.1', service.admin);
  service.clock.advance(3_600_000); // so that all buckets are full
  const shown = async (address: string, email: string): Promise<object> =>
    shownOf(await signIn(service, address, wrong(email)));
  const known = await shown('192.0.2.1', service.admin.email);
  assert.deepEqual(known, await shown('192.0.2.2', service.admin.email));
  assert.deepEqual(known, await shown('192.0.2.3', 'nobody@example.com'));
});

test('the log and the metrics have successful and failed sign-ins, with address and account only', async (t) => {
  const service = await serviceFor(t, { settings: { ...proxied, 'rate-login-account': '2/3600' } });
  const { id, email } = await personFrom(service, '192.0.2.1');
  const failed = await signIn(service, '2001:db8::7', wrong(email));
  await signIn(service, '192.0.2.7', wrong('nobody@example.com'));
  await signIn(service, '2001:db8::7', wrong(email));
  const rejected = await signIn(service, '2001:db8::7', wrong(email));
  const [first, second] = securityLines(service, 'authn_login_fail');
  assert.deepEqual(
    { ...first, time: undefined },
    {
      time: undefined,
      level: 'warn',
      message: 'authn_login_fail',
      requestId: failed.headers['x-request-id'],
      address: '2001:db8::7',
      principal: null,
      userId: id,
    },
  );
  assert.deepEqual([second?.['address'], second?.['userId']], ['192.0.2.7', null]);
  const [max] = securityLines(service, 'authn_login_fail_max');
  assert.deepEqual([max?.['requestId'], max?.['userId']], [rejected.headers['x-request-id'], id]);
  assert.deepEqual(
    securityLines(service, 'authn_login_success').map(({ userId }) => userId),
    [id],
  );
  assert.deepEqual(
    securityLines(service, 'user_created').map(({ userId, role }) => [userId, role]),
    [[id, 'user']],
  );
  assert.doesNotMatch(service.logged.join('\n'), /example\.com|not that password/);
  const { accessToken: token } = (await signIn(service, '192.0.2.1', service.admin)).body;
  const { text } = await service.get('/metrics', { ...from('192.0.2.1'), token });
  assert.match(text, /^orderly_security_events_total\{event="authn_login_fail"\} 3$/m);
  assert.match(text, /^orderly_security_events_total\{event="authn_login_fail_max"\} 1$/m);
  assert.match(text, /^orderly_security_events_total\{event="authn_token_reuse"\} 0$/m);
});

test('the log has rejected access, exceeded rates and reused refresh tokens, one line per request', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '2/3600' } });
  const { id, token, sessionId, refreshToken } = await service.person();
  await service.get('/api/users', { token });
  await service.get('/orders', { token });
  await service.get('/orders', { token });
  const { body } = await service.renew({ sessionId, refreshToken });
  await service.renew({ sessionId, refreshToken: body.refreshToken });
  service.clock.advance(60_000);
  await service.renew({ sessionId, refreshToken });
  const principal = `user:${id}`;
  const [denied, limited, reused] = ['authz_fail', 'excess_rate_limit_exceeded', 'authn_token_reuse'].map(
    (name) => securityLines(service, name),
  );
  assert.deepEqual(
    denied?.map((line) => [line['principal'], line['code']]),
    [[principal, 'forbidden']],
  );
  assert.deepEqual(
    limited?.map((line) => [line['principal'], line['policies']]),
    [[principal, ['default']]],
  );
  if (service.inside !== undefined)
    assert.deepEqual(
      reused?.map((line) => [line['userId'], line['sessionId'], line['address']]),
      [[id, sessionId, '127.0.0.1']],
    );
});

test('the log has the client’s address in each request’s line, even behind trusted proxies', async (t) => {
  const service = await serviceFor(t, { settings: proxied });
  await service.get('/problems', from('2001:db8::7'));
  await service.get('/problems', from('192.0.2.9, 127.0.0.1'));
  const addresses = service.logged
    .map((line) => JSON.parse(line))
    .filter(({ path }) => path === '/problems')
    .map(({ address }) => address);
  assert.deepEqual(addresses, ['2001:db8::7', '192.0.2.9']);
});

function newUser(email: string): object {
  return { name: 'Ada Lovelace', email, password };
}

/** A user who signed up and signed in from this address. */
async function personFrom(
  service: TestService,
  address: string,
): Promise<{ readonly id: number; readonly token: string; readonly email: string }> {
  const email = 'person@example.com';
  const { id } = (await service.post('/api/users', { ...from(address), body: newUser(email) })).body;
  return { id, email, token: (await signIn(service, address, { email, password })).body.accessToken };
}
