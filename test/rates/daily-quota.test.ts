// The rate of changes: what counts as one, and that nothing exceeds it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { items, newCustomer, newKey, newOrder, rootToken } from '../support/resource-support.ts';
import { password, serviceFor, type TestResponse } from '../support/service.ts';
import { assertProblem, assertStatus } from '../support/http-support.ts';

const email = 'grace@example.com';
const made: readonly (readonly [path: string, body: (customerId: number) => object])[] = [
  ['/customers', () => ({ name: 'Grace Hopper' })],
  ['/orders', (customerId) => ({ customerId, currency: 'EUR', items })],
  ['/api/keys', () => ({ name: 'till 3', scopes: ['orders:read'] })],
  ['/api/users', () => ({ name: 'Grace Hopper', email, password })],
];

for (const [path, body] of made)
  test(`an object created at ${path} counts against the user’s quota, which bounds them`, async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-created': '2/86400' } });
    const { id, token } = await service.person();
    const { id: customerId } = await newCustomer(service, await rootToken(service), { userId: id });
    await newCustomer(service, token);
    const last = await service.post(path, { token, body: body(customerId) });
    assert.equal(last.status, 201, last.text);
    const another = { ...body(customerId), ...(path === '/api/users' ? { email: `2${email}` } : {}) };
    assertProblem(await service.post(path, { token, body: another }), 'quota-exceeded', 429);
  });

test('sign-ups from one address share a quota', async (t) => {
  const settings = { 'rate-created': '2/86400', 'trusted-proxy': '127.0.0.1' };
  const service = await serviceFor(t, { settings });
  const signUp = (name: string, address: string): Promise<TestResponse> =>
    service.post('/api/users', {
      body: { name, email: `${name}@example.com`, password },
      headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
    });
  for (const name of ['ada', 'bob']) await assertStatus(signUp(name, '192.0.2.1'), 201);
  const rejected = await signUp('eve', '192.0.2.1');
  assertProblem(rejected, 'quota-exceeded', 429);
  assert.deepEqual(rejected.body['violated-policies'], ['created']);
  await assertStatus(signUp('eve', '192.0.2.2'), 201);
});

test('a change counts against the user’s quota, and no replayed response does', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-created': '4/86400' } });
  const [{ token }, staff] = [await service.person(), await service.person('staff')];
  const path = `/orders/${(await newOrder(service, token)).id}`; // and its customer
  const change = (note: string, by = token): Promise<TestResponse> =>
    service.patch(path, { token: by, body: { note }, headers: { 'idempotency-key': note } });
  await assertStatus(change('first'), 200);
  assert.equal((await change('first')).headers['idempotency-replayed'], 'true');
  await assertStatus(change('second'), 200);
  assertProblem(await change('third'), 'quota-exceeded', 429);
  assertProblem(await service.delete('/customers/1', { token }), 'quota-exceeded', 429);
  await assertStatus(change('third', staff.token), 200);
});

test('a user with no change left can still delete keys and sign out', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-created': '2/86400' } });
  const { token, email, password } = await service.person();
  const { id, key } = await newKey(service, token, { scopes: ['customers:write'] });
  const { id: customerId } = await newCustomer(service, token);
  const change = { key, body: { name: 'changed' } };
  assertProblem(await service.patch(`/customers/${customerId}`, change), 'quota-exceeded', 429);
  const other = (await service.post('/api/sessions', { body: { email, password } })).body;
  for (const path of [`/api/keys/${id}`, `/api/sessions/${other.id}`, '/api/sessions'])
    await assertStatus(service.delete(path, { token }), 204, path);
});
