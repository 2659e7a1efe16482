// Requirements sections 7 and 8, sentence by sentence: status codes, the error body, limits.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus } from '../support/http-support.ts';
import { anyone } from '../../src/auth/access.ts';
import { route } from '../../src/http/routing/route.ts';
import { executable, password, serviceFor } from '../support/service.ts';
import { items, address, createFixture, fixtureForSuite } from './requirements-support.ts';

describe('section 7.1, status codes:', () => {
  const fixture = fixtureForSuite();

  test('200: GET, PUT and PATCH succeeded', async () => {
    const { service, token, customerId } = fixture();
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { name: 'Grace' }],
      ['PATCH', { name: 'Grace' }],
    ] as const) {
      await assertStatus(service.call(method, `/customers/${customerId}`, { token, body }), 200);
    }
  });

  test('201: POST created a resource', async () => {
    const { service, token } = fixture();
    await assertStatus(service.post('/customers', { token, body: { name: 'Grace' } }), 201);
  });

  test('204: DELETE succeeded', async () => {
    const { service, token } = fixture();
    const { headers } = await service.post('/customers', { token, body: { name: 'Grace' } });
    await assertStatus(service.delete(headers.location ?? '', { token }), 204);
  });

  test('400: invalid data in the request, in the users interface', async () => {
    const { service, owner, admin } = fixture();
    const email = 'valid@example.com';
    const user = `/api/users/${owner.id}`;
    for (const [method, path, { token }, body] of [
      ['POST', '/api/users', {}, { email, password }],
      ['POST', '/api/users', {}, { name: 'Ada', email: 'ada', password }],
      ['PUT', user, owner, { email }],
      ['PATCH', user, owner, { name: '' }],
      ['GET', '/api/users?limit=0', admin, undefined],
      ['GET', `${user}/orders?status=lost`, owner, undefined],
    ] as readonly [string, string, { token?: string }, object?][])
      await assertStatus(service.call(method, path, { token, body }), 400, `${method} ${path}`);
  });

  test('401: token missing or invalid', async () => {
    const { service } = fixture();
    for (const token of [undefined, 'x.y.z']) await assertStatus(service.get('/orders', { token }), 401);
  });

  test('403: access denied', async () => {
    const { service, owner, other } = fixture();
    await assertStatus(service.get(`/api/users/${owner.id}`, other), 403);
  });

  test('404: unknown id or path', async () => {
    const { service, admin } = fixture();
    const { token } = admin;
    const unknown =
      '/api/users/4711 /orders/4711 /customers/4711 /customers/4711/orders /orders/x /nothing /api /orders/';
    for (const path of unknown.split(' ')) await assertStatus(service.get(path, { token }), 404, path);
    for (const [method, path, body] of [
      ['PUT', '/customers/4711', { name: 'Eve' }],
      ['PATCH', '/customers/4711', { name: 'Eve' }],
      ['DELETE', '/customers/4711', undefined],
      ['PATCH', '/orders/4711', { note: 'x' }],
    ] as const)
      await assertStatus(service.call(method, path, { token, body }), 404, `${method} ${path}`);
  });

  test('422: understood but wrong, such as a missing field or a bad postal code, for orders', async () => {
    const { service, token, customerId } = fixture();
    const order = { customerId, currency: 'EUR' };
    const shippingAddress = { ...address, postalCode: 'ABC' };
    for (const [method, path, body] of [
      ['POST', '/orders', order],
      ['POST', '/orders', { ...order, items, shippingAddress }],
      ['POST', '/customers', { name: 'Grace', address: { ...address, postalCode: '261290' } }],
      ['PATCH', `/customers/${customerId}`, { email: 'grace' }],
      ['GET', '/orders?limit=0', undefined],
      ['GET', `/customers/${customerId}/orders?status=lost`, undefined],
    ] as const)
      await assertStatus(service.call(method, path, { token, body }), 422, `${method} ${path}`);
  });

  test('500: an unexpected error is reported, and the service continues', async (t) => {
    if (executable !== undefined) return t.skip('needs a route that fails');
    const broken = route({
      method: 'GET',
      path: '/broken',
      tag: 'Test',
      summary: 'Fails',
      access: anyone,
      reply: { kind: 'none' },
      handle: (): never => {
        throw new Error('the secret cause');
      },
    });
    const service = await serviceFor(t, { extraRoutes: [broken] });
    const response = await service.get('/broken');
    assert.equal(response.status, 500);
    assert.equal(response.headers['content-type'], 'application/problem+json');
    assert.ok(!response.text.includes('secret cause'));
    const line =
      service.logged.find((each) => each.includes('secret cause')) ??
      assert.fail('the cause is not in the log');
    assert.ok(line.includes(response.body.requestId));
    await assertStatus(service.get('/health/ready'), 200);
  });
});

describe('section 7.2, the error body:', () => {
  const fixture = fixtureForSuite();

  /** One of each: 400, 401, 403, 404, 422. */
  async function rejections() {
    const { service, owner, other, customerId } = fixture();
    const { token } = owner;
    const customer = `/customers/${customerId}`;
    return [
      { status: 400, path: '/api/users', response: await service.post('/api/users', { body: {} }) },
      { status: 401, path: '/orders', response: await service.get('/orders?limit=3') },
      { status: 403, path: customer, response: await service.get(customer, other) },
      { status: 404, path: '/orders/4711', response: await service.get('/orders/4711', owner) },
      { status: 422, path: '/orders', response: await service.post('/orders?x=1', { token, body: {} }) },
    ];
  }

  test('errors are problem details, sent as application/problem+json', async () => {
    for (const { status, response } of await rejections()) {
      assert.equal(response.status, status);
      assert.equal(response.headers['content-type'], 'application/problem+json');
    }
  });

  test('type is a URI that points to the description of the error kind', async () => {
    const { service } = fixture();
    for (const { response } of await rejections()) {
      const { origin, pathname } = new URL(response.body.type);
      assert.equal(origin, `https://localhost:${service.port}`);
      const description = await service.get(pathname, { headers: { accept: 'application/json' } });
      assert.deepEqual([description.status, description.body.title], [200, response.body.title]);
    }
  });

  test('title is a short, readable summary', async () => {
    for (const { response } of await rejections()) assert.match(response.body.title, /^[A-Z][\w ]{3,40}$/);
  });

  test('status is the HTTP status code, as an integer', async () => {
    for (const { status, response } of await rejections()) assert.strictEqual(response.body.status, status);
  });

  test('detail says more exactly what is wrong', async () => {
    for (const { response } of await rejections())
      assert.ok(
        response.body.detail.length > response.body.title.length && response.body.detail.endsWith('.'),
        response.body.detail,
      );
  });

  test('instance is the path of the resource that the error concerns', async () => {
    for (const { path, response } of await rejections()) assert.equal(response.body.instance, path);
  });
});

describe('section 8, limits:', () => {
  test('the number of requests per time span is bounded, for each caller separately', async (t) => {
    const service = await serviceFor(t, {
      settings: { 'rate-default': '3/3600', 'rate-anonymous': '30/3600' },
    });
    const [one, two] = [await service.person(), await service.person()];
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) statuses.push((await service.get('/orders', one)).status);
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
    await assertStatus(service.get('/orders', two), 200);
    for (let index = 0; index < 30; index += 1) statuses.push((await service.get('/orders')).status);
    assert.equal(statuses.at(-1), 429);
  });

  test('input is validated strictly: nothing unknown is ignored, nothing converted', async (t) => {
    const { service, token, customerId } = await createFixture(await serviceFor(t));
    const body = { customerId, currency: 'EUR', items };
    for (const change of [
      { colour: 'red' },
      { customerId: String(customerId) },
      { currency: 'eur' },
      { items: items[0] },
      { items: [{ ...items[0], quantity: '2' }] },
    ]) {
      await assertStatus(
        service.post('/orders', { token, body: { ...body, ...change } }),
        422,
        JSON.stringify(change),
      );
    }
    for (const query of ['colour=red', 'limit=1&limit=1', 'limit=1.0', 'limit=', 'total=1'])
      await assertStatus(service.get(`/orders?${query}`, { token }), 422, query);
    await assertStatus(service.get('/orders?status=open&limit=1&total=true', { token }), 200);
  });
});
