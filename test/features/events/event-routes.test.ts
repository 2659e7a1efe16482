// Every route that changes something leaves exactly one event, and no other request leaves any.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { executable, password, type Call, type Person, type TestService } from '../../support/service.ts';
import {
  items,
  newCustomer,
  newKey,
  newOrder,
  newProduct,
  newWebhook,
} from '../../support/resource-support.ts';
import { codeOf, personWithCodes } from '../../support/totp-support.ts';

/** A request that changes something; each test prepares a new one. */
type Prepared = { readonly path: string; readonly call: Call & { readonly body?: object } };

type Row = {
  readonly prepare: (service: TestService, root: Person) => Promise<Prepared>;
  /** Null for a route whose changes have no events. */
  readonly type: string | null;
};

const rows: Readonly<Record<string, Row>> = {
  'POST /backups': {
    type: null,
    prepare: async (_service, { token }) => ({ path: '/backups', call: { token } }),
  },
  'POST /imports': {
    type: 'customer.created',
    prepare: async (_service, { token }) => {
      const body = Buffer.from('{"key":"a","customer":{"name":"Grace"}}\n');
      return { path: '/imports', call: { token, body, headers: { 'content-type': 'application/x-ndjson' } } };
    },
  },
  'POST /api/users': {
    type: 'user.created',
    prepare: async () => ({
      path: '/api/users',
      call: { body: { name: 'Ada', email: 'new@example.com', password } },
    }),
  },
  'PUT /api/users/{id}': {
    type: 'user.changed',
    async prepare(service) {
      const { id, email, token } = await service.person();
      return { path: `/api/users/${id}`, call: { token, body: { name: 'Ada King', email } } };
    },
  },
  'PATCH /api/users/{id}': {
    type: 'user.changed',
    async prepare(service, { token }) {
      const { id } = await service.person();
      return {
        path: `/api/users/${id}`,
        call: { token, body: { role: 'staff', password: 'a new password' } },
      };
    },
  },
  'DELETE /api/users/{id}': {
    type: 'user.deleted',
    async prepare(service, { token }) {
      const person = await service.person();
      await newOrder(service, person.token);
      await newKey(service, person.token);
      return { path: `/api/users/${person.id}`, call: { token } };
    },
  },
  'PUT /api/users/{id}/suspension': {
    type: 'user.suspended',
    async prepare(service, { token }) {
      const { id } = await service.person();
      return { path: `/api/users/${id}/suspension`, call: { token, body: {} } };
    },
  },
  'DELETE /api/users/{id}/suspension': {
    type: 'user.changed',
    async prepare(service, { token }) {
      const { id } = await service.person();
      await service.put(`/api/users/${id}/suspension`, { token, body: {} });
      return { path: `/api/users/${id}/suspension`, call: { token } };
    },
  },
  'POST /api/users/{id}/totp': {
    type: null, // signing in doesn't need a code yet
    async prepare(service) {
      const { id, token } = await service.person();
      return { path: `/api/users/${id}/totp`, call: { token } };
    },
  },
  'PUT /api/users/{id}/totp': {
    type: 'user.changed',
    async prepare(service) {
      const { person, secret } = await personWithCodes(service);
      const body = { code: codeOf(secret, service) };
      return { path: `/api/users/${person.id}/totp`, call: { token: person.token, body } };
    },
  },
  'DELETE /api/users/{id}/totp': {
    type: 'user.changed',
    async prepare(service) {
      const { id, token } = (await personWithCodes(service)).person;
      return { path: `/api/users/${id}/totp`, call: { token } };
    },
  },
  'POST /api/sessions': {
    type: 'session.created',
    prepare: async (_service, { email }) => ({ path: '/api/sessions', call: { body: { email, password } } }),
  },
  'POST /api/sessions/{id}/tokens': {
    type: null,
    async prepare(service) {
      const { sessionId, refreshToken } = await service.person();
      return { path: `/api/sessions/${sessionId}/tokens`, call: { body: { refreshToken } } };
    },
  },
  'POST /api/sessions/current/tokens': {
    type: null,
    async prepare(service) {
      const { email } = await service.person();
      const body = { email, password, cookie: true };
      const signedIn = await service.post('/api/sessions', { body });
      const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
      const { browserKey } = signedIn.body;
      const headers = { cookie: cookie.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' };
      return { path: '/api/sessions/current/tokens', call: { headers, body: { browserKey } } };
    },
  },
  'DELETE /api/sessions': {
    type: 'session.ended',
    async prepare(service, { token }) {
      const { id, email } = await service.person();
      await service.signIn(email, password);
      return { path: `/api/sessions?userId=${id}`, call: { token } };
    },
  },
  'DELETE /api/sessions/{id}': {
    type: 'session.ended',
    async prepare(service) {
      const { sessionId, token } = await service.person();
      return { path: `/api/sessions/${sessionId}`, call: { token } };
    },
  },
  'POST /api/keys': {
    type: 'key.created',
    prepare: async (_service, { token }) => ({
      path: '/api/keys',
      call: { token, body: { name: 'till 3', scopes: ['orders:read'] } },
    }),
  },
  'DELETE /api/keys/{id}': {
    type: 'key.removed',
    prepare: async (service, { token }) => ({
      path: `/api/keys/${(await newKey(service, token)).id}`,
      call: { token },
    }),
  },
  'POST /customers': {
    type: 'customer.created',
    prepare: async (_service, { token }) => ({ path: '/customers', call: { token, body: { name: 'Ada' } } }),
  },
  'PUT /customers/{id}': {
    type: 'customer.changed',
    prepare: async (service, { token }) => ({
      path: `/customers/${(await newCustomer(service, token)).id}`,
      call: { token, body: { name: 'Ada King' } },
    }),
  },
  'PATCH /customers/{id}': {
    type: 'customer.changed',
    prepare: async (service, { token }) => ({
      path: `/customers/${(await newCustomer(service, token)).id}`,
      call: { token, body: { name: 'Ada King' } },
    }),
  },
  'DELETE /customers/{id}': {
    type: 'customer.deleted',
    prepare: async (service, { token }) => ({
      path: `/customers/${(await newCustomer(service, token)).id}`,
      call: { token },
    }),
  },
  'PUT /customers/{id}/erasure': {
    type: 'customer.erased',
    prepare: async (service, { token }) => ({
      path: `/customers/${(await newCustomer(service, token)).id}/erasure`,
      call: { token },
    }),
  },
  'POST /orders': {
    type: 'order.created',
    async prepare(service, { token }) {
      const { id: customerId } = await newCustomer(service, token);
      return { path: '/orders', call: { token, body: { customerId, currency: 'EUR', items } } };
    },
  },
  'PATCH /orders/{id}': {
    type: 'order.paid',
    prepare: async (service, { token }) => ({
      path: `/orders/${(await newOrder(service, token)).id}`,
      call: { token, body: { status: 'paid' } },
    }),
  },
  'POST /products': {
    type: 'product.created',
    prepare: async (_service, { token }) => ({
      path: '/products',
      call: { token, body: { sku: 'TEA-250', name: 'Green tea', unitPrice: 749, currency: 'EUR' } },
    }),
  },
  'PUT /products/{id}': {
    type: 'product.changed',
    async prepare(service, { token }) {
      const { id, sku } = await newProduct(service, token);
      const body = { sku, name: 'Sencha', unitPrice: 749, currency: 'EUR' };
      return { path: `/products/${id}`, call: { token, body } };
    },
  },
  'PATCH /products/{id}': {
    type: 'product.changed',
    prepare: async (service, { token }) => ({
      path: `/products/${(await newProduct(service, token)).id}`,
      call: { token, body: { unitPrice: 799 } },
    }),
  },
  'DELETE /products/{id}': {
    type: 'product.deleted',
    prepare: async (service, { token }) => ({
      path: `/products/${(await newProduct(service, token)).id}`,
      call: { token },
    }),
  },
  'PUT /shop': {
    type: 'shop.changed',
    prepare: async (_service, { token }) => ({ path: '/shop', call: { token, body: { name: 'Tea House' } } }),
  },
  'PATCH /shop': {
    type: 'shop.changed',
    prepare: async (_service, { token }) => ({ path: '/shop', call: { token, body: { timeZone: 'UTC' } } }),
  },
  'POST /webhooks': {
    type: 'webhook.created',
    prepare: async (_service, { token }) => ({
      path: '/webhooks',
      call: { token, body: { url: 'https://hooks.example/', types: ['order.paid'] } },
    }),
  },
  'PATCH /webhooks/{id}': {
    type: 'webhook.changed',
    prepare: async (service, { token }) => ({
      path: `/webhooks/${(await newWebhook(service, token)).id}`,
      call: { token, body: { status: 'paused' } },
    }),
  },
  'DELETE /webhooks/{id}': {
    type: 'webhook.deleted',
    prepare: async (service, { token }) => ({
      path: `/webhooks/${(await newWebhook(service, token)).id}`,
      call: { token },
    }),
  },
  'POST /webhooks/{id}/secrets': {
    type: 'webhook.changed',
    prepare: async (service, { token }) => ({
      path: `/webhooks/${(await newWebhook(service, token)).id}/secrets`,
      call: { token },
    }),
  },
};

describe('the events of requests', { skip: executable !== undefined && 'needs the inside' }, () => {
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

  for (const [name, { prepare, type }] of Object.entries(rows)) {
    const [method = ''] = name.split(' ');
    test(`${name} leaves ${type ?? 'no event'}`, async (t) => {
      if (!isMounted(name)) return t.skip('its feature has been deleted');
      const { path, call } = await prepare(service(), root);
      const left = await leftBy(async () => {
        const { status, text } = await service().call(method, path, call);
        assert.ok(status < 300, text);
      });
      assert.deepEqual(left, type === null ? [] : [type]);
    });

    test(`${name} leaves no event if it is rejected`, async (t) => {
      if (!isMounted(name)) return t.skip('its feature has been deleted');
      const { path, call } = await prepare(service(), root);
      const body = call.body === undefined ? undefined : { ...call.body, colour: 'red' };
      const invalid = { ...call, body, headers: { 'if-match': '"stale"' } };
      const left = await leftBy(async () => {
        const { status } = await service().call(method, path, body === undefined ? { body } : invalid);
        assert.ok([400, 401, 412, 415, 422].includes(status), String(status));
      });
      assert.deepEqual(left, []);
    });
  }

  test('a refresh token used after its successor ends its session, which leaves session.reused', async () => {
    const { sessionId, refreshToken } = await service().person();
    const renew = (sent: string) =>
      service().post(`/api/sessions/${sessionId}/tokens`, { body: { refreshToken: sent } });
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
