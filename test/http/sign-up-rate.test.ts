// How many accounts one address may create in a day.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rootToken } from '../resources/resource-support.ts';
import { password, serviceFor, type TestResponse, type TestService } from '../service.ts';
import { assertProblem } from './http-support.ts';

function signUpFrom(service: TestService) {
  let count = 0;
  return (address: string, token?: string): Promise<TestResponse> => {
    count += 1;
    return service.post('/api/users', {
      body: { name: 'Grace Hopper', email: `grace${count}@example.com`, password },
      headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
      ...(token === undefined ? {} : { token }),
    });
  };
}

for (const [same, other] of [
  [['192.0.2.1', '192.0.2.1'], '192.0.2.2'],
  [['2001:db8::1', '2001:db8::2'], '2001:db8:0:1::1'],
] as const)
  test(`sign-ups from ${same.join(' and ')} share one bucket, whoever is signed in`, async (t) => {
    const service = await serviceFor(t, {
      settings: { 'rate-sign-up': '2/86400', 'trusted-proxy': '127.0.0.1' },
    });
    const signUp = signUpFrom(service);
    const { token } = await service.person();
    for (const address of same) assert.equal((await signUp(address)).status, 201);
    const rejected = await signUp(same[0]);
    assertProblem(rejected, 'quota-exceeded', 429);
    assert.deepEqual(rejected.body['violated-policies'], ['sign-up']);
    assertProblem(await signUp(same[1], token), 'quota-exceeded', 429);
    assert.equal((await signUp(same[0], await rootToken(service))).status, 201, 'an administrator');
    assert.equal((await signUp(other)).status, 201);
  });

test('a /48 of IPv6 creates ten times as many users as an address of it', async (t) => {
  const service = await serviceFor(t, {
    settings: { 'rate-sign-up': '1/86400', 'trusted-proxy': '127.0.0.1' },
  });
  const signUp = signUpFrom(service);
  for (let subnet = 1; subnet <= 10; subnet += 1)
    assert.equal((await signUp(`2001:db8:7:${subnet}::1`)).status, 201);
  for (let count = 0; count < 2; count += 1) {
    const rejected = await signUp('2001:db8:7:ff::1');
    assertProblem(rejected, 'quota-exceeded', 429);
    assert.deepEqual(rejected.body['violated-policies'], ['sign-up-network']);
  }
  assert.equal((await signUp('2001:db8:8:1::1')).status, 201);
});

test('a sign-up that fails does not count, nor does one on the machine itself', async (t) => {
  const service = await serviceFor(t, {
    settings: { 'rate-sign-up': '1/86400', 'trusted-proxy': '127.0.0.1' },
  });
  const taken = { name: 'Root', email: service.admin.email, password };
  const headers = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' };
  assertProblem(await service.post('/api/users', { body: taken, headers }), 'email-taken');
  for (const email of ['ada@example.com', 'bob@example.com'])
    assert.equal((await service.post('/api/users', { body: { ...taken, email } })).status, 201);
  assert.equal((await signUpFrom(service)('192.0.2.1')).status, 201);
});
