// The requirements, sentence by sentence, over HTTP. Sections 6 (events) and 9 (versioning) leave everything
// open.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { assertStatus } from '../support/http-support.ts';
import { executable, password, serviceFor, type TestResponse } from '../support/service.ts';
import { items, address, createFixture, fixtureForSuite } from './requirements-support.ts';
import { idsIn } from '../support/resource-support.ts';

describe('section 1', () => {
  const fixture = fixtureForSuite();

  test('JSON over HTTP: bodies are JSON, in both directions', async () => {
    const { service, owner, customerId } = fixture();
    const response = await service.post('/orders', {
      token: owner.token,
      body: { customerId, currency: 'EUR', items },
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(response.headers['content-type'], 'application/json');
    assert.equal(typeof JSON.parse(response.text), 'object');
  });

  test('resources are at plural nouns, addressed by URIs: a created one is at its location', async () => {
    const { service, admin } = fixture();
    const bodies = {
      '/api/users': { name: 'Ada', email: 'plural@example.com', password },
      '/customers': { name: 'Grace' },
      '/api/keys': { name: 'till', scopes: ['orders:read'] },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const made = await service.post(path, { token: admin.token, body });
      assert.equal(made.headers.location, `${path}/${made.body.id}`);
      assert.equal(
        (await service.get(made.headers.location ?? '', { token: admin.token })).body.id,
        made.body.id,
      );
    }
  });

  test('interface 1 manages user records at /api/users', async () => {
    const { service, admin, owner } = fixture();
    assert.ok(idsIn(await service.get('/api/users', { token: admin.token })).includes(owner.id));
  });

  test('interface 2 manages orders at /orders and customers at /customers', async () => {
    const { service, owner, customerId, orders } = fixture();
    assert.equal(
      (await service.get(`/orders/${orders[0].id}`, { token: owner.token })).body.id,
      orders[0].id,
    );
    assert.equal((await service.get(`/customers/${customerId}`, { token: owner.token })).body.id, customerId);
  });

  test('a customer has many orders', async () => {
    const { service, owner, customerId, orders } = fixture();
    const ids = idsIn(await service.get(`/customers/${customerId}/orders`, { token: owner.token }));
    for (const { id } of orders) assert.ok(ids.includes(id));
  });

  test('rule 1: POST creates, GET reads, PUT replaces, PATCH updates partly, DELETE removes', async () => {
    const { service, token } = fixture();
    const made = await service.post('/customers', {
      token,
      body: { name: 'Grace', phone: '+4944112345678', address },
    });
    const path = made.headers.location ?? '';
    assert.deepEqual((await service.get(path, { token })).body, made.body);
    const patched = await service.patch(path, { token, body: { name: 'Grace Hopper' } });
    assert.deepEqual([patched.body.name, patched.body.phone], ['Grace Hopper', '+4944112345678']);
    const replaced = await service.put(path, { token, body: { name: 'Grace Murray Hopper' } });
    assert.deepEqual(
      [replaced.body.name, replaced.body.phone, replaced.body.address],
      ['Grace Murray Hopper', null, null],
    );
    await assertStatus(service.delete(path, { token }), 204);
    await assertStatus(service.get(path, { token }), 404);
  });

  test('rule 2: a request carries all it needs: a restart changes nothing, no cookie is set', async (t) => {
    const service = await serviceFor(t, { settings: { 'public-url': 'https://orders.example.com' } });
    const { owner, orders } = await createFixture(service);
    const before = await service.get(`/orders/${orders[0].id}`, { token: owner.token });
    await service.restart();
    const after = await service.get(`/orders/${orders[0].id}`, { token: owner.token });
    assert.deepEqual([after.status, after.text, after.headers.etag], [200, before.text, before.headers.etag]);
    assert.equal(before.headers['set-cookie'], undefined);
  });

  test('rule 3: GET has no side effects', async () => {
    const { service, admin, owner, customerId, orders } = fixture();
    const paths = [
      '/api/users',
      `/api/users/${owner.id}`,
      `/api/users/${owner.id}/orders`,
      `/api/users/${owner.id}/orders/${orders[0].id}`,
      '/customers',
      `/customers/${customerId}`,
      `/customers/${customerId}/orders`,
      '/orders',
      `/orders/${orders[0].id}`,
      '/api/sessions',
      `/api/sessions/${owner.sessionId}`,
    ];
    const readAll = (): Promise<string[]> =>
      Promise.all(paths.map(async (path) => (await service.get(path, { token: admin.token })).text));
    assert.deepEqual(await readAll(), await readAll());
  });

  test('rule 4: responses are cacheable in principle', async () => {
    const { service, token, orders } = fixture();
    for (const path of [`/orders/${orders[0].id}`, '/orders']) {
      const { headers } = await service.get(path, { token });
      assert.match(headers['cache-control'] ?? '', /no-cache/); // stored, but revalidated before each use
      await assertStatus(service.get(path, { token, headers: { 'if-none-match': headers.etag ?? '' } }), 304);
    }
  });

  test('rule 5: the client states the format with Accept, the service with Content-Type', async () => {
    const { service, token, orders } = fixture();
    const asking = (accept: string): Promise<TestResponse> =>
      service.get(`/orders/${orders[0].id}`, { token, headers: { accept } });
    for (const accept of ['application/json', '*/*', 'application/*;q=0.5, text/html'])
      assert.equal((await asking(accept)).headers['content-type'], 'application/json');
    await assertStatus(asking('text/html'), 406);
  });

  for (const [method, path] of [
    ['GET', '/api/getUsers'],
    ['POST', '/api/createUser'],
    ['DELETE', '/api/deleteUser/1'],
  ] as const) {
    test(`rule 6: URIs contain no verbs, so ${method} ${path} is nothing`, async () => {
      const { service, admin } = fixture();
      const { token } = admin;
      await assertStatus(
        service.call(method, path, { token, body: method === 'POST' ? {} : undefined }),
        404,
      );
    });
  }

  test('rule 6: no path of the service has a verb', { skip: executable !== undefined }, () => {
    const { service } = fixture();
    const paths = (service.inside?.router.mounted ?? []).map(({ route }) => route.path);
    assert.ok(paths.length > 10);
    const verbs =
      'get|list|read|create|add|make|update|change|set|replace|delete|remove|login|logout|refresh|cancel|pay';
    const verb = new RegExp(`/(${verbs})(?![a-z])`);
    assert.match('/api/getUsers', verb);
    for (const path of paths) assert.doesNotMatch(path, verb);
  });

  test('rule 7: all traffic uses HTTPS', async (t) => {
    const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const ca = readFileSync(join(service.folder, 'tls', 'cert.pem'), 'utf8');
    assert.deepEqual(
      await outcomeOf(
        httpsRequest({ host: 'localhost', port: service.port, path: '/health/live', ca, agent: false }),
      ),
      200,
    );
    assert.notEqual(
      await outcomeOf(
        httpRequest({ host: 'localhost', port: service.port, path: '/health/live', agent: false }),
      ),
      200,
    );
  });

  test('rule 7: requests that reached the proxy by plain HTTP are rejected', async () => {
    const { service, token } = fixture();
    for (const scheme of ['http', 'https'])
      await assertStatus(service.get('/orders', { token, headers: { 'x-forwarded-proto': scheme } }), 403); // not a trusted proxy
  });

  /** The status of the response, or undefined if there was none. */
  function outcomeOf(request: ReturnType<typeof httpRequest>): Promise<number | 'none'> {
    const { promise, resolve } = Promise.withResolvers<number | 'none'>();
    request.on('response', (response) => resolve(response.resume().statusCode ?? 'none'));
    request.on('error', () => resolve('none'));
    request.end();
    return promise;
  }
});
