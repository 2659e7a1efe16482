// The tokens of a sign-in are refunded when its password is not checked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PasswordHasher } from '../../src/auth/password.ts';
import { unavailable } from '../../src/problem.ts';
import { assertProblem } from '../http/http-support.ts';
import { cheapHasher } from '../cheap-hasher.ts';
import { executable, serviceFor, type TestResponse } from '../service.ts';

const needsInside = executable === undefined ? {} : { skip: 'needs the inside' };

test('a sign-in that finds the hashing queue full counts against no rate', needsInside, async (t) => {
  const hasher = cheapHasher();
  let isFull = true;
  const filled: PasswordHasher = {
    ...hasher,
    waiting: 0,
    async verify(text, phc, job) {
      if (isFull) throw unavailable('Too many passwords are being hashed; retry in a moment.');
      return hasher.verify(text, phc, job);
    },
  };
  const once = '1/3600';
  const settings = {
    'trusted-proxy': '127.0.0.1',
    'rate-login-account': once,
    'rate-login-account-total': once,
    'rate-login-address': once,
  };
  const service = await serviceFor(t, { settings, hasher: filled });
  const signIn = (password: string): Promise<TestResponse> =>
    service.post('/api/sessions', {
      headers: { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' },
      body: { email: service.admin.email, password },
    });
  for (let index = 0; index < 3; index += 1)
    assertProblem(await signIn(service.admin.password), 'unavailable', 503);
  isFull = false;
  assertProblem(await signIn('not that password'), 'invalid-credentials', 401);
  assertProblem(await signIn(service.admin.password), 'quota-exceeded', 429);
});

test('sign-ins that one account’s bucket rejects leave the address’s to other accounts', async (t) => {
  const settings = { 'rate-login-account': '2/3600', 'rate-login-address': '4/3600' };
  const service = await serviceFor(t, { settings });
  const attempt = (email: string): Promise<TestResponse> =>
    service.post('/api/sessions', { body: { email, password: 'not that password' } });
  for (let index = 0; index < 2; index += 1)
    assertProblem(await attempt('till@example.com'), 'invalid-credentials', 401);
  for (let index = 0; index < 10; index += 1) {
    const { body } = await attempt('till@example.com');
    assert.deepEqual(body['violated-policies'], ['login-account']);
  }
  for (const email of ['one@example.com', 'two@example.com'])
    assertProblem(await attempt(email), 'invalid-credentials', 401);
  const { body } = await attempt('three@example.com'); // the fifth password would be checked
  assert.deepEqual(body['violated-policies'], ['login-address']);
});

test('sign-ins that the bucket of an account’s total rejects count against no other', async (t) => {
  const settings = {
    'trusted-proxy': '127.0.0.1',
    'rate-login-account': '2/3600',
    'rate-login-account-total': '1/3600',
    'rate-login-address': '3/3600',
  };
  const service = await serviceFor(t, { settings });
  const attempt = (email: string): Promise<TestResponse> =>
    service.post('/api/sessions', {
      headers: { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' },
      body: { email, password: 'not that password' },
    });
  assertProblem(await attempt('till@example.com'), 'invalid-credentials', 401);
  for (let index = 0; index < 5; index += 1) {
    const { body } = await attempt('till@example.com');
    assert.deepEqual(body['violated-policies'], ['login-account-total']);
  }
  assertProblem(await attempt('one@example.com'), 'invalid-credentials', 401);
});
