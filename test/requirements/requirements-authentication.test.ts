// Requirements section 5, sentence by sentence: authentication.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus } from '../support/http-support.ts';
import { password } from '../support/service.ts';
import { fixtureForSuite } from './requirements-support.ts';
import { idsIn } from '../support/resource-support.ts';

describe('section 5, authentication:', () => {
  const fixture = fixtureForSuite();

  test('a bearer token, a JSON Web Token, goes in the Authorization header of every request', async () => {
    const { service, token } = fixture();
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    await assertStatus(service.get('/orders', { headers: { authorization: `Bearer ${token}` } }), 200);
    await assertStatus(service.get('/orders'), 401); // on the same connection
  });

  test('an API key goes in X-API-Key, or in the query parameter api_key', async () => {
    const { service, token } = fixture();
    const { key } = (
      await service.post('/api/keys', { token, body: { name: 'till', scopes: ['orders:read'] } })
    ).body;
    await assertStatus(service.get('/orders', { headers: { 'x-api-key': key } }), 200);
    await assertStatus(service.get(`/orders?api_key=${key}`), 200);
  });

  test('rule 1: a client obtains a token after a successful login', async () => {
    const { service, owner } = fixture();
    const { email } = owner;
    const { status, body } = await service.post('/api/sessions', { body: { email, password } });
    assert.equal(status, 201);
    await assertStatus(service.get('/orders', { token: body.accessToken }), 200);
    const rejected = await service.post('/api/sessions', { body: { email, password: 'not that password' } });
    assert.deepEqual([rejected.status, rejected.body.accessToken], [401, undefined]);
  });

  test('rule 2: a missing or invalid token gives 401', async () => {
    const { service, token } = fixture();
    for (const authorization of [undefined, '', 'Bearer', 'Bearer x', `Bearer ${token}x`, `Basic ${token}`]) {
      for (const path of ['/orders', '/customers', '/api/users']) {
        await assertStatus(
          service.get(path, { headers: authorization === undefined ? {} : { authorization } }),
          401,
          `${authorization}`,
        );
      }
    }
    await assertStatus(service.get('/orders', { key: 'ord_1_nothing' }), 401);
  });

  test('rule 3: a caller lacking permission gives 403', async () => {
    const { service, token, orders } = fixture();
    await assertStatus(service.get('/api/users', { token }), 403);
    await assertStatus(service.patch(`/orders/${orders[0].id}`, { token, body: { status: 'paid' } }), 403);
  });

  test('rule 4: a user may access only their own data', async () => {
    const { service, owner, other, customerId, orders } = fixture();
    const { token } = other;
    const paths = [
      `/api/users/${owner.id}`,
      `/api/users/${owner.id}/orders`,
      `/api/users/${owner.id}/orders/${orders[0].id}`,
      `/orders/${orders[0].id}`,
      `/customers/${customerId}`,
      `/customers/${customerId}/orders`,
      `/api/sessions/${owner.sessionId}`,
    ];
    for (const path of paths) {
      await assertStatus(service.get(path, { token }), 403, path);
      await assertStatus(service.get(path, { token: owner.token }), 200, path);
    }
    for (const path of ['/orders', '/customers'])
      assert.deepEqual(idsIn(await service.get(path, { token })), []);
  });
});
