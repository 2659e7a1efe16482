// The addresses from which an account was used: how many are known, for how long, and across restarts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxiedFrom } from '../../support/http-support.ts';
import { insideOnly, serviceFor, type TestResponse, type TestService } from '../../support/service.ts';

const settings = {
  'trusted-proxy': '127.0.0.1',
  'public-url': 'https://orders.example.com', // the port changes with a restart
  'rate-login-account-total': '20/86400',
};
const day = 86_400_000;
const stranger = '198.51.100.1';

test('a restart keeps the addresses that an account was used from', async (t) => {
  const service = await serviceFor(t, { settings });
  await signIn(service, '192.0.2.1');
  const { id, refreshToken } = (await signIn(service, '192.0.2.2')).body;
  const renewed = await service.renew({ sessionId: id, refreshToken }, { headers: proxiedFrom('192.0.2.3') });
  assert.equal(renewed.status, 201);
  await service.restart();
  await lockOut(service);
  const statuses = await statusesFrom(service, ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']);
  assert.deepEqual(statuses, [401, 401, 401, 429]);
});

test('a signed-out session leaves its address known', async (t) => {
  const service = await serviceFor(t, { settings });
  const { id, accessToken: token } = (await signIn(service, '192.0.2.1')).body;
  await service.delete(`/api/sessions/${id}`, { token, headers: proxiedFrom('192.0.2.1') });
  await lockOut(service);
  assert.deepEqual(await statusesFrom(service, ['192.0.2.1']), [401]);
});

test('the eight addresses used last are known, and no more', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings });
  const hosts = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((host) => `192.0.2.${host}`);
  for (const host of [...hosts.slice(0, 8), '192.0.2.1', '192.0.2.9']) {
    service.clock.advance(1);
    assert.equal((await signIn(service, host)).status, 201);
  }
  await lockOut(service);
  assert.deepEqual(await statusesFrom(service, hosts), [401, 429, 401, 401, 401, 401, 401, 401, 401]);
  assert.equal(countIn(service), 8);
});

test('a sign-in from a known address makes no other unknown', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings });
  for (const host of [1, 2, 3, 4, 5, 6, 7, 8, 5]) {
    service.clock.advance(1);
    await signIn(service, `192.0.2.${host}`);
  }
  assert.equal(countIn(service), 8);
  await lockOut(service);
  assert.deepEqual(await statusesFrom(service, ['192.0.2.1']), [401]);
});

test('an address is known for 30 days and then removed', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings });
  await signIn(service, '192.0.2.1');
  service.clock.advance(day);
  await signIn(service, '192.0.2.2');
  service.clock.advance(29 * day - 1);
  await lockOut(service);
  assert.deepEqual(await statusesFrom(service, ['192.0.2.1']), [401]);
  service.clock.advance(1);
  assert.deepEqual(await statusesFrom(service, ['192.0.2.1', '192.0.2.2']), [429, 401]);
  await service.inside?.app.cleanup.run();
  assert.equal(countIn(service), 1);
});

test('the addresses of a deleted user are deleted', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { id, token } = await service.person();
  assert.equal(countIn(service), 1);
  assert.equal((await service.delete(`/api/users/${id}`, { token })).status, 204);
  assert.equal(countIn(service), 0);
});

/** Strangers use up the tokens that all unknown addresses share. */
async function lockOut(service: TestService): Promise<void> {
  const statuses = await statusesFrom(service, Array<string>(21).fill(stranger));
  assert.equal(statuses.at(-1), 429);
}

/** The statuses of a wrong password from each. */
async function statusesFrom(service: TestService, addresses: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const address of addresses) {
    const body = { email: service.admin.email, password: 'not that password' };
    const { status } = await service.post('/api/sessions', { headers: proxiedFrom(address), body });
    statuses.push(status);
  }
  return statuses;
}

function signIn(service: TestService, address: string): Promise<TestResponse> {
  return service.post('/api/sessions', { headers: proxiedFrom(address), body: service.admin });
}

function countIn(service: TestService): unknown {
  return service.inside?.database.read.get('SELECT count(*) FROM knownAddresses')?.[0];
}
