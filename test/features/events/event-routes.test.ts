// Every route that changes something leaves exactly one event, and no other request leaves any.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { insideOnly, password, type Call, type Person, type TestService } from '../../support/service.ts';
import {
  items,
  newCustomer,
  newKey,
  newOrder,
  newProduct,
  newWebhook,
} from '../../support/resource-support.ts';
import { codeOf, personWithCodes } from '../../support/totp-support.ts';

/** A request of the administrator that changes something, or what its call has besides. */
type Prepared = readonly [path: string, body?: object | undefined, call?: Call];
type Preparation = (service: TestService, root: Person) => Promise<Prepared>;

/** The event of each route, null for one whose changes have no events; each test prepares a new request. */
const rows: Readonly<Record<string, readonly [type: string | null, prepare: Preparation]>> = {
  'POST /backups': [null, async () => ['/backups']],
  'POST /imports': [
    'customer.created',
    async () => {
      const body = Buffer.from('{"key":"a","customer":{"name":"Grace"}}\n');
      return ['/imports', body, { headers: { 'content-type': 'application/x-ndjson' } }];
    },
  ],
  'POST /api/users': [
    'user.created',
    async () => ['/api/users', { name: 'Ada', email: 'new@example.com', password }, byNobody],
  ],
  'PUT /api/users/{id}': [
    'user.changed',
    async (service) => {
      const { id, email, token } = await service.person();
      return [`/api/users/${id}`, { name: 'Ada King', email }, { token }];
    },
  ],
  'PATCH /api/users/{id}': [
    'user.changed',
    async (service) => [await newUser(service), { role: 'staff', password: 'a new password' }],
  ],
  'DELETE /api/users/{id}': [
    'user.deleted',
    async (service) => {
      const { id, token } = await service.person();
      await newOrder(service, token);
      await newKey(service, token);
      return [`/api/users/${id}`];
    },
  ],
  'PUT /api/users/{id}/suspension': [
    'user.suspended',
    async (service) => [`${await newUser(service)}/suspension`, {}],
  ],
  'DELETE /api/users/{id}/suspension': [
    'user.changed',
    async (service, { token }) => {
      const path = `${await newUser(service)}/suspension`;
      await service.put(path, { token, body: {} });
      return [path];
    },
  ],
  'POST /api/users/{id}/totp': [
    null, // signing in doesn't need a code yet
    async (service) => {
      const { id, token } = await service.person();
      return [`/api/users/${id}/totp`, undefined, { token }];
    },
  ],
  'PUT /api/users/{id}/totp': [
    'user.changed',
    async (service) => {
      const { person, secret } = await personWithCodes(service);
      const { id, token } = person;
      return [`/api/users/${id}/totp`, { code: codeOf(secret, service) }, { token }];
    },
  ],
  'DELETE /api/users/{id}/totp': [
    'user.changed',
    async (service) => {
      const { id, token } = (await personWithCodes(service)).person;
      return [`/api/users/${id}/totp`, undefined, { token }];
    },
  ],
  'POST /api/sessions': [
    'session.created',
    async (_service, { email }) => ['/api/sessions', { email, password }, byNobody],
  ],
  'POST /api/sessions/{id}/tokens': [
    null,
    async (service) => {
      const { sessionId, refreshToken } = await service.person();
      return [`/api/sessions/${sessionId}/tokens`, { refreshToken }, byNobody];
    },
  ],
  'POST /api/sessions/current/tokens': [
    null,
    async (service) => {
      const { email } = await service.person();
      const signedIn = await service.post('/api/sessions', { body: { email, password, cookie: true } });
      const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
      const { browserKey } = signedIn.body;
      const headers = { cookie: cookie.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' };
      return ['/api/sessions/current/tokens', { browserKey }, { ...byNobody, headers }];
    },
  ],
  'DELETE /api/sessions': [
    'session.ended',
    async (service) => {
      const { id, email } = await service.person();
      await service.signIn(email, password);
      return [`/api/sessions?userId=${id}`];
    },
  ],
  'DELETE /api/sessions/{id}': [
    'session.ended',
    async (service) => {
      const { sessionId, token } = await service.person();
      return [`/api/sessions/${sessionId}`, undefined, { token }];
    },
  ],
  'POST /api/keys': ['key.created', async () => ['/api/keys', { name: 'till 3', scopes: ['orders:read'] }]],
  'DELETE /api/keys/{id}': ['key.removed', async (...of) => [await pathOf('/api/keys', newKey, ...of)]],
  'POST /customers': ['customer.created', async () => ['/customers', { name: 'Ada' }]],
  'PUT /customers/{id}': ['customer.changed', async (...of) => [await customer(...of), { name: 'Ada King' }]],
  'PATCH /customers/{id}': [
    'customer.changed',
    async (...of) => [await customer(...of), { name: 'Ada King' }],
  ],
  'DELETE /customers/{id}': ['customer.deleted', async (...of) => [await customer(...of)]],
  'PUT /customers/{id}/erasure': ['customer.erased', async (...of) => [`${await customer(...of)}/erasure`]],
  'POST /orders': [
    'order.created',
    async (service, { token }) => {
      const { id: customerId } = await newCustomer(service, token);
      return ['/orders', { customerId, currency: 'EUR', items }];
    },
  ],
  'PATCH /orders/{id}': [
    'order.paid',
    async (...of) => [await pathOf('/orders', newOrder, ...of), { status: 'paid' }],
  ],
  'POST /products': [
    'product.created',
    async () => ['/products', { sku: 'TEA-250', name: 'Green tea', unitPrice: 749, currency: 'EUR' }],
  ],
  'PUT /products/{id}': [
    'product.changed',
    async (service, { token }) => {
      const { id, sku } = await newProduct(service, token);
      return [`/products/${id}`, { sku, name: 'Sencha', unitPrice: 749, currency: 'EUR' }];
    },
  ],
  'PATCH /products/{id}': ['product.changed', async (...of) => [await product(...of), { unitPrice: 799 }]],
  'DELETE /products/{id}': ['product.deleted', async (...of) => [await product(...of)]],
  'PUT /shop': ['shop.changed', async () => ['/shop', { name: 'Tea House' }]],
  'PATCH /shop': ['shop.changed', async () => ['/shop', { timeZone: 'UTC' }]],
  'POST /webhooks': [
    'webhook.created',
    async () => ['/webhooks', { url: 'https://hooks.example/', types: ['order.paid'] }],
  ],
  'PATCH /webhooks/{id}': ['webhook.changed', async (...of) => [await webhook(...of), { status: 'paused' }]],
  'DELETE /webhooks/{id}': ['webhook.deleted', async (...of) => [await webhook(...of)]],
  'POST /webhooks/{id}/secrets': ['webhook.changed', async (...of) => [`${await webhook(...of)}/secrets`]],
};

const byNobody: Call = { token: undefined };

async function newUser(service: TestService): Promise<string> {
  return `/api/users/${(await service.person()).id}`;
}

/** Makes an object of the administrator, and returns its path. */
async function pathOf(
  list: string,
  make: (service: TestService, token: string) => Promise<{ readonly id: number }>,
  service: TestService,
  { token }: Person,
): Promise<string> {
  return `${list}/${(await make(service, token)).id}`;
}

type Maker = (...of: Parameters<Preparation>) => Promise<string>;
const customer: Maker = (...of) => pathOf('/customers', newCustomer, ...of);
const product: Maker = (...of) => pathOf('/products', newProduct, ...of);
const webhook: Maker = (...of) => pathOf('/webhooks', newWebhook, ...of);

describe('the events of requests', insideOnly, () => {
  let root: Person;
  const service = sharedService({}, async (started) => {
    root = await started.person('admin');
  });
  function typesAfter(id: number): string[] {
    const rows = service().inside?.database.read.all<[string]>('SELECT type FROM events WHERE id > ?', id);
    return (rows ?? []).map(([type]) => type);
  }
  function latest(): number {
    return service().inside?.database.read.get<[number]>('SELECT max(id) FROM events')?.[0] ?? 0;
  }
  async function leftBy(change: () => Promise<unknown>): Promise<string[]> {
    const before = latest();
    await change();
    return typesAfter(before);
  }
  function isMounted(name: string): boolean {
    const mounted = service().inside?.app.router.mounted ?? [];
    return mounted.some(({ route: { method, path } }) => `${method} ${path}` === name);
  }

  test('every route that changes something has a row', () => {
    const mounted = service().inside?.app.router.mounted ?? [];
    const changing = mounted.filter(({ route: { method } }) => method !== 'GET');
    const names = changing.map(({ route: { method, path } }) => `${method} ${path}`);
    assert.deepEqual(
      names.filter((name) => rows[name] === undefined),
      [],
    );
  });

  for (const [name, [type, prepare]] of Object.entries(rows)) {
    const [method = ''] = name.split(' ');
    test(`${name} leaves ${type ?? 'no event'}`, async (t) => {
      if (!isMounted(name)) return t.skip('its feature has been deleted');
      const [path, body, call] = await prepare(service(), root);
      const left = await leftBy(async () => {
        const { status, text } = await service().call(method, path, { token: root.token, body, ...call });
        assert.ok(status < 300, text);
      });
      assert.deepEqual(left, type === null ? [] : [type]);
    });

    test(`${name} leaves no event if it is rejected`, async (t) => {
      if (!isMounted(name)) return t.skip('its feature has been deleted');
      const [path, body, call] = await prepare(service(), root);
      const headers = { 'if-match': '"stale"' };
      const sent = body === undefined ? body : { ...body, colour: 'red' };
      const left = await leftBy(async () => {
        const invalid = { token: root.token, ...call, body: sent, headers };
        const { status } = await service().call(method, path, body === undefined ? {} : invalid);
        assert.ok([400, 401, 412, 415, 422].includes(status), String(status));
      });
      assert.deepEqual(left, []);
    });
  }

  test('a refresh token used after its successor ends its session, which leaves session.reused', async () => {
    const { sessionId, refreshToken } = await service().person();
    const renew = (sent: string) => service().renew({ sessionId, refreshToken: sent });
    await renew((await renew(refreshToken)).body.refreshToken);
    assert.deepEqual(await leftBy(() => renew(refreshToken)), ['session.reused']);
  });

  test('a read, a failed sign-in and a rejected status change leave no event', async () => {
    const { id } = await newOrder(service(), root.token);
    assert.deepEqual(
      await leftBy(async () => {
        await service().get(`/orders/${id}`, { token: root.token });
        await service().post('/api/sessions', { body: { email: root.email, password: 'not the password' } });
        await service().patch(`/orders/${id}`, { token: root.token, body: { status: 'delivered' } });
      }),
      [],
    );
  });
});
