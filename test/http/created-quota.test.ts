// What counts as created: each kind of object that a user can make draws on the same quota.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { items, newCustomer, rootToken } from '../resources/resource-support.ts';
import { password, serviceFor } from '../service.ts';
import { assertProblem } from './http-support.ts';

const email = 'grace@example.com';
const made: readonly (readonly [path: string, body: (customerId: number) => object])[] = [
  ['/customers', () => ({ name: 'Grace Hopper' })],
  ['/orders', (customerId) => ({ customerId, currency: 'EUR', items })],
  ['/api/keys', () => ({ name: 'till 3', scopes: ['orders:read'] })],
  ['/api/users', () => ({ name: 'Grace Hopper', email, password })],
];

for (const [path, body] of made)
  test(`an object made at ${path} is one of a user’s quota, and with none left none is made`, async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-created': '2/86400' } });
    const { id, token } = await service.person();
    const { id: customerId } = await newCustomer(service, await rootToken(service), { userId: id });
    await newCustomer(service, token);
    const last = await service.post(path, { token, body: body(customerId) });
    assert.equal(last.status, 201, last.text);
    assert.match(String(last.headers['ratelimit']), /"created";r=0;/);
    const another = { ...body(customerId), ...(path === '/api/users' ? { email: `2${email}` } : {}) };
    assertProblem(await service.post(path, { token, body: another }), 'quota-exceeded', 429);
  });
