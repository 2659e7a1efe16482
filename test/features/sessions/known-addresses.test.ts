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

test('the addresses that an account was used from outlast a restart, and the session', async (t) => {
  const service = await serviceFor(t, { settings });
  const { id: first, accessToken: token } = (await signIn(service, 1)).body;
  await service.delete(`/api/sessions/${first}`, { token, headers: fieldsOf(1) });
  const { id: sessionId, refreshToken } = (await signIn(service, 2)).body;
  const renewed = await service.renew({ sessionId, refreshToken }, { headers: fieldsOf(3) });
  assert.equal(renewed.status, 201);
  await service.restart();
  await assertKnown(service, [1, 2, 3], [4]);
});

test('the eight addresses used last are known, and no more', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings });
  for (const host of [1, 2, 3, 4, 5, 6, 7, 8, 5, 1, 9]) {
    service.clock.advance(1);
    assert.equal((await signIn(service, host)).status, 201);
  }
  assert.equal(countIn(service), 8);
  await assertKnown(service, [1, 3, 4, 5, 6, 7, 8, 9], [2]);
});

test('an address is known for 30 days and then removed', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings });
  await signIn(service, 1);
  service.clock.advance(day);
  await signIn(service, 2);
  service.clock.advance(29 * day - 1);
  await assertKnown(service, [1], []);
  service.clock.advance(1);
  await assertKnown(service, [2], [1]);
  await service.inside?.cleanup.run();
  assert.equal(countIn(service), 1);
});

test('the addresses of a deleted user are deleted', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const person = await service.person();
  assert.equal(countIn(service), 1);
  assert.equal((await person.delete(`/api/users/${person.id}`)).status, 204);
  assert.equal(countIn(service), 0);
});

const fieldsOf = (host: number): Readonly<Record<string, string>> => proxiedFrom(`192.0.2.${host}`);

function signIn(
  service: TestService,
  host: number,
  password = service.admin.password,
): Promise<TestResponse> {
  return service.as().post('/api/sessions', { email: service.admin.email, password }, fieldsOf(host));
}

/** Once strangers have used up the tokens that all unknown addresses share, known ones still have some. */
async function assertKnown(
  service: TestService,
  known: readonly number[],
  unknown: readonly number[],
): Promise<void> {
  const statusOf = async (host: number): Promise<number> =>
    (await signIn(service, host, 'not that password')).status;
  let status = 0;
  for (let attempt = 0; attempt < 21 && status !== 429; attempt += 1) status = await statusOf(200);
  assert.equal(status, 429);
  for (const host of known) assert.equal(await statusOf(host), 401, `${host} is known`);
  for (const host of unknown) assert.equal(await statusOf(host), 429, `${host} is unknown`);
}

function countIn(service: TestService): unknown {
  return service.inside?.database.read.get('SELECT count(*) FROM knownAddresses')?.[0];
}
