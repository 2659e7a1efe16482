// Every route that changes something leaves exactly one event, and no other request leaves any.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import {
  items,
  newCustomer,
  newKey,
  newOrder,
  newProduct,
  newWebhook,
} from '../../support/resource-support.ts';
import { insideOnly, password, type Call, type Person, type TestService } from '../../support/service.ts';
import { codeOf, personWithCodes } from '../../support/totp-support.ts';

let root: Person;
const running = sharedService({}, async (started) => {
  root = await started.person('admin');
});

/** A request that changes something: by the administrator, unless its call says otherwise. */
type Prepared = readonly [path: string, body?: object | undefined, call?: Call];
type Row = readonly [type: string | null, prepare: () => Promise<Prepared> | Prepared];
type Maker = (service: TestService, token: string) => Promise<{ readonly id: number }>;

const byNobody: Call = { token: undefined };
const made = async (list: string, make: Maker): Promise<string> =>
  `${list}/${(await make(running(), root.token)).id}`;
const customer = (): Promise<string> => made('/customers', newCustomer);
const product = (): Promise<string> => made('/products', newProduct);
const webhook = (): Promise<string> => made('/webhooks', newWebhook);
const user = async (): Promise<string> => `/api/users/${(await running().person()).id}`;
const coded = async () => {
  const { person, secret } = await personWithCodes(running());
  return { path: `/api/users/${person.id}/totp`, token: person.token, secret };
};
const tea = { sku: 'TEA-250', name: 'Green tea', unitPrice: 749, currency: 'EUR' };

/** The event of each route, null for one whose changes have no events; each test prepares a new request. */
const rows: Readonly<Record<string, Row>> = {
  'POST /backups': [null, () => ['/backups']],
  'POST /imports': [
    'customer.created',
    () => {
      const body = Buffer.from('{"key":"a","customer":{"name":"Grace"}}\n');
      return ['/imports', body, { headers: { 'content-type': 'application/x-ndjson' } }];
    },
  ],
  'POST /api/users': [
    'user.created',
    () => ['/api/users', { name: 'Ada', email: 'new@example.com', password }, byNobody],
  ],
  'PUT /api/users/{id}': [
    'user.changed',
    async () => {
      const { id, email, token } = await running().person();
      return [`/api/users/${id}`, { name: 'Ada King', email }, { token }];
    },
  ],
  'PATCH /api/users/{id}': [
    'user.changed',
    async () => [await user(), { role: 'staff', password: 'a new password' }],
  ],
  'DELETE /api/users/{id}': [
    'user.deleted',
    async () => {
      const { id, token } = await running().person();
      await newOrder(running(), token);
      await newKey(running(), token);
      return [`/api/users/${id}`];
    },
  ],
  'PUT /api/users/{id}/suspension': ['user.suspended', async () => [`${await user()}/suspension`, {}]],
  'DELETE /api/users/{id}/suspension': [
    'user.changed',
    async () => {
      const path = `${await user()}/suspension`;
      await root.put(path, {});
      return [path];
    },
  ],
  'POST /api/users/{id}/totp': [
    null, // signing in doesn't need a code yet
    async () => {
      const { id, token } = await running().person();
      return [`/api/users/${id}/totp`, undefined, { token }];
    },
  ],
  'PUT /api/users/{id}/totp': [
    'user.changed',
    async () => {
      const { path, token, secret } = await coded();
      return [path, { code: codeOf(secret, running()) }, { token }];
    },
  ],
  'DELETE /api/users/{id}/totp': [
    'user.changed',
    async () => {
      const { path, token } = await coded();
      return [path, undefined, { token }];
    },
  ],
  'POST /api/sessions': [
    'session.created',
    () => ['/api/sessions', { email: root.email, password }, byNobody],
  ],
  'POST /api/sessions/{id}/tokens': [
    null,
    async () => {
      const { sessionId, refreshToken } = await running().person();
      return [`/api/sessions/${sessionId}/tokens`, { refreshToken }, byNobody];
    },
  ],
  'POST /api/sessions/current/tokens': [
    null,
    async () => {
      const { email } = await running().person();
      const signedIn = await running().as().post('/api/sessions', { email, password, cookie: true });
      const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
      const { browserKey } = signedIn.body;
      const headers = { cookie: cookie.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' };
      return ['/api/sessions/current/tokens', { browserKey }, { ...byNobody, headers }];
    },
  ],
  'DELETE /api/sessions': [
    'session.ended',
    async () => {
      const { id, email } = await running().person();
      await running().signIn(email, password);
      return [`/api/sessions?userId=${id}`];
    },
  ],
  'DELETE /api/sessions/{id}': [
    'session.ended',
    async () => {
      const { sessionId, token } = await running().person();
      return [`/api/sessions/${sessionId}`, undefined, { token }];
    },
  ],
  'POST /api/keys': ['key.created', () => ['/api/keys', { name: 'till 3', scopes: ['orders:read'] }]],
  'DELETE /api/keys/{id}': ['key.removed', async () => [await made('/api/keys', newKey)]],
  'POST /customers': ['customer.created', () => ['/customers', { name: 'Ada' }]],
  'PUT /customers/{id}': ['customer.changed', async () => [await customer(), { name: 'Ada King' }]],
  'PATCH /customers/{id}': ['customer.changed', async () => [await customer(), { name: 'Ada King' }]],
  'DELETE /customers/{id}': ['customer.deleted', async () => [await customer()]],
  'PUT /customers/{id}/erasure': ['customer.erased', async () => [`${await customer()}/erasure`]],
  'POST /orders': [
    'order.created',
    async () => {
      const { id: customerId } = await newCustomer(running(), root.token);
      return ['/orders', { customerId, currency: 'EUR', items }];
    },
  ],
  'PATCH /orders/{id}': ['order.paid', async () => [await made('/orders', newOrder), { status: 'paid' }]],
  'POST /products': ['product.created', () => ['/products', tea]],
  'PUT /products/{id}': ['product.changed', async () => [await product(), { ...tea, sku: 'TEA-500' }]],
  'PATCH /products/{id}': ['product.changed', async () => [await product(), { unitPrice: 799 }]],
  'DELETE /products/{id}': ['product.deleted', async () => [await product()]],
  'PUT /shop': ['shop.changed', () => ['/shop', { name: 'Tea House' }]],
  'PATCH /shop': ['shop.changed', () => ['/shop', { timeZone: 'UTC' }]],
  'POST /webhooks': [
    'webhook.created',
    () => ['/webhooks', { url: 'https://hooks.example/', types: ['order.paid'] }],
  ],
  'PATCH /webhooks/{id}': ['webhook.changed', async () => [await webhook(), { status: 'paused' }]],
  'DELETE /webhooks/{id}': ['webhook.deleted', async () => [await webhook()]],
  'POST /webhooks/{id}/secrets': ['webhook.changed', async () => [`${await webhook()}/secrets`]],
};

describe('the events of requests', insideOnly, () => {
  function eventsAfter(id: number): (readonly [id: number, type: string])[] {
    const { read } = running().inside?.database ?? assert.fail('it is inside');
    return read.all<[number, string]>('SELECT id, type FROM events WHERE id > ? ORDER BY id', id);
  }
  async function leftBy(change: () => Promise<unknown>): Promise<string[]> {
    const [before = 0] = eventsAfter(0).at(-1) ?? [];
    await change();
    return eventsAfter(before).map(([, type]) => type);
  }
  const mounted = (): readonly string[] => {
    const { router } = running().inside ?? assert.fail('it is inside');
    return router.mounted.map(({ route: { method, path } }) => `${method} ${path}`);
  };

  test('every route that changes something has a row', () => {
    const changing = mounted().filter((name) => !name.startsWith('GET '));
    assert.deepEqual(
      changing.filter((name) => rows[name] === undefined),
      [],
    );
  });

  for (const [name, [type, prepare]] of Object.entries(rows)) {
    const [method = ''] = name.split(' ');
    test(`${name} leaves ${type ?? 'no event'}, and none if it is rejected`, async (t) => {
      if (!mounted().includes(name)) return t.skip('its feature has been deleted');
      const [path, body, call] = await prepare();
      const rejected = await leftBy(async () => {
        const headers = { 'if-match': '"stale"' };
        const invalid = { token: root.token, ...call, body: { ...body, colour: 'red' }, headers };
        const { status } = await running().call(method, path, body === undefined ? {} : invalid);
        assert.ok([400, 401, 412, 415, 422].includes(status), String(status));
      });
      assert.deepEqual(rejected, []);
      const left = await leftBy(async () => {
        const { status, text } = await running().call(method, path, { token: root.token, body, ...call });
        assert.ok(status < 300, text);
      });
      assert.deepEqual(left, type === null ? [] : [type]);
    });
  }

  test('a refresh token used after its successor ends its session, which leaves session.reused', async () => {
    const { sessionId, refreshToken } = await running().person();
    const renew = (sent: string) => running().renew({ sessionId, refreshToken: sent });
    await renew((await renew(refreshToken)).body.refreshToken);
    assert.deepEqual(await leftBy(() => renew(refreshToken)), ['session.reused']);
  });

  test('a read, a failed sign-in and a rejected status change leave no event', async () => {
    const path = await made('/orders', newOrder);
    const left = await leftBy(async () => {
      await root.get(path);
      await running().as().post('/api/sessions', { email: root.email, password: 'not the password' });
      await root.patch(path, { status: 'delivered' });
    });
    assert.deepEqual(left, []);
  });
});
