// The tokens of a sign-in are refunded when its password could not be checked.
import { test } from 'node:test';
import type { PasswordHasher } from '../../src/auth/password.ts';
import { unavailable } from '../../src/problem.ts';
import { assertProblem } from '../http/http-support.ts';
import { cheapHasher } from '../cheap-hasher.ts';
import { executable, serviceFor, type TestResponse } from '../service.ts';

const needsInside = executable === undefined ? {} : { skip: 'needs the inside' };

test('a sign-in that finds the queue of hashing full counts in no rate', needsInside, async (t) => {
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
