// Each member that a POST, PATCH or PUT may write, by the schemas of the OpenAPI document: it comes back as it
// was sent, survives a PATCH of each other member, and is in the export that an import reads again.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { serviceFor, type TestResponse, type TestService } from '../support/service.ts';
import { importTable } from '../support/import-support.ts';
import { newCustomer, newOrder, newProduct, newWebhook } from '../support/resource-support.ts';

type Values = Readonly<Record<string, unknown>>;
type JsonObject = TestResponse['body'];

type Resource = {
  /** Creates an object, and returns it; `token` is an administrator's. */
  readonly create: (service: TestService, token: string, members: Values) => Promise<JsonObject>;
  /** Two values of each member. */
  readonly values: Readonly<Record<string, readonly [first: unknown, second: unknown]>>;
  /** The members in `values` that POST doesn't have, since they begin with what the service sets. */
  readonly notPosted?: readonly string[];
  /** Members of the body that are not the object's, or that the service sets. */
  readonly others: readonly string[];
  /** What the rows of an import are called, if it reads the CSV that the list writes. */
  readonly table?: string;
};

const addressOf = (line1: string) => ({
  name: 'c/o Sea & Sand',
  line1,
  line2: '2nd floor',
  city: 'Oldenburg',
  region: 'Niedersachsen',
  postalCode: '26133',
  country: 'DE',
});
const itemOf = (quantity: number) => ({ sku: 'TEA-250', name: 'Tea', quantity, unitPrice: 749 });
const pricedItem = (quantity: number) => ({ ...itemOf(quantity), total: quantity * 749 });
const times = ['id', 'createdAt', 'updatedAt'];

/** All types of the shop's first events: a webhook moves on past others at once. */
const everyEvent = [
  'user.created',
  'session.created',
  'customer.created',
  'webhook.created',
  'webhook.changed',
];

const resources: Readonly<Record<string, Resource>> = {
  '/api/users': {
    create: async (service, token, { name, email, role }) => {
      const body = { name: 'Ada', email: 'new@example.com', password: 'a password for tests' };
      const sent = { ...body, ...(name === undefined ? {} : { name, email, role }) };
      return made(await service.post('/api/users', { token, body: sent }));
    },
    values: {
      name: ['Ada King', 'Ada Lovelace'],
      email: ['ada.king@example.com', 'ada.lovelace@example.com'],
      role: ['staff', 'user'],
    },
    others: ['id', 'createdAt', 'password', 'currentPassword'],
  },
  '/customers': {
    create: newCustomer,
    values: {
      name: ['Grace Hopper', 'Ada King'],
      email: ['grace@example.com', 'ada@example.com'],
      phone: ['+4944112345678', '+4944187654321'],
      address: [addressOf('Street 1'), addressOf('Street 2')],
      note: ['Rings twice.', 'Rings\nonce.'],
      reference: ['K-1', 'K-2'],
      metadata: [{ receipt: 'A-1' }, { receipt: 'A-2' }],
      userId: [1, 2],
    },
    others: times,
    table: 'customers',
  },
  '/orders': {
    create: newOrder,
    values: {
      currency: ['CHF', 'USD'],
      items: [[pricedItem(2)], [pricedItem(3), pricedItem(1)]],
      shippingAddress: [addressOf('Street 3'), addressOf('Street 4')],
      note: ['Please ring twice.', 'Please\nring once.'],
      metadata: [{ receipt: 'A-1' }, { receipt: 'A-2' }],
      customerId: [1, 2],
      status: ['open', 'paid'],
      payment: [null, 'card'],
    },
    others: [...times, 'total', 'reason', 'userId'],
  },
  '/products': {
    create: newProduct,
    values: {
      sku: ['TEA-1', 'TEA-2'],
      name: ['Green tea', 'Black tea'],
      unitPrice: [749, 799],
      currency: ['CHF', 'JPY'],
      barcode: ['4006381333931', 'A-7'],
      active: [false, true],
      metadata: [{ receipt: 'A-1' }, { receipt: 'A-2' }],
    },
    others: times,
    table: 'products',
  },
  '/webhooks': {
    create: newWebhook,
    values: {
      url: ['https://hooks.example/one', 'https://hooks.example/two'],
      types: [everyEvent, [...everyEvent, 'order.created']],
      status: ['paused', 'enabled'],
      position: [1, 2],
    },
    notPosted: ['status', 'position'],
    others: [
      'id',
      'lastStatus',
      'lastAt',
      'failingSince',
      'lastError',
      'lastErrorCode',
      'retryAt',
      'createdAt',
    ],
  },
};

/** What is created and removed, but never changed. */
const fixedResources: Readonly<Record<string, Resource>> = {
  '/api/keys': {
    create: async (service, token, members) =>
      made(await service.post('/api/keys', { token, body: members })),
    values: {
      name: ['till 3', 'till 4'],
      scopes: [['orders:read'], ['orders:read', 'orders:write']],
      expiresAt: ['2099-12-31T23:59:59.000Z', null],
    },
    others: [],
  },
};

const everyResource = { ...resources, ...fixedResources };

/** The shop is one object, without an id and a POST: `shop.test.ts` has its members. */
const single = '/shop';

/** The parts of an object that have a PUT, and no members that a GET shows again. */
const withoutMembers = ['/customers/{id}/erasure', '/api/users/{id}/suspension', '/api/users/{id}/totp'];

describe('a member that may be written', () => {
  test('each resource with PATCH or PUT has its members here, and no member is missing', async (t) => {
    const service = await serviceFor(t);
    const { body: document } = await service.get('/openapi.json');
    const changed = Object.entries<JsonObject>(document.paths)
      .filter(([, path]) => 'patch' in path || 'put' in path)
      .map(([path]) => path);
    const known = Object.keys(resources).map((path) => `${path}/{id}`);
    assert.deepEqual(changed.toSorted(), [...known, ...withoutMembers, single].toSorted());
    for (const [path, { values, others }] of Object.entries(resources)) {
      const { patch } = document.paths[`${path}/{id}`];
      const names = [...Object.keys(values), ...others].toSorted();
      assert.deepEqual(membersOf(document, patch), names, `PATCH of ${path}`);
    }
    for (const [path, { values, others, notPosted = [] }] of Object.entries(everyResource)) {
      const posted = membersOf(document, document.paths[path].post);
      const names = Object.keys(values).filter((name) => !notPosted.includes(name));
      const expected = [...names, ...others.filter((name) => posted.includes(name))].toSorted();
      assert.deepEqual(posted, expected, `POST of ${path}`);
    }
  });

  for (const [path, { create, values, notPosted = [] }] of Object.entries(everyResource)) {
    const first = Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, value]));

    test(`a member of ${path} comes back as a POST or a PUT sent it`, async (t) => {
      const { service, token } = await newShop(t);
      const sent = Object.entries(first).filter(([name]) => !notPosted.includes(name));
      const { id } = await create(service, token, Object.fromEntries(sent));
      const { body } = await service.get(`${path}/${id}`, { token });
      for (const [name, value] of sent) assert.deepEqual(body[name], value, `${name} after POST`);
      const { headers } = await service.call('OPTIONS', `${path}/${id}`, { token });
      if (headers.allow?.includes('PUT') !== true) return;
      const second = Object.fromEntries(Object.entries(values).map(([name, [, value]]) => [name, value]));
      const put = await service.put(`${path}/${id}`, { token, body: second });
      assert.equal(put.status, 200, put.text);
      for (const [name, value] of Object.entries(second))
        assert.deepEqual(put.body[name], value, `${name} after PUT`);
    });
  }

  for (const [path, { create, values }] of Object.entries(resources)) {
    test(`a member of ${path} comes back as a PATCH sent it, and survives a PATCH of each other`, async (t) => {
      const { service, token } = await newShop(t);
      const { id } = await create(service, token, {});
      const expected: Record<string, unknown> = {};
      for (const round of [0, 1] as const)
        for (const [name, { [round]: value }] of Object.entries(values)) {
          const response = await service.patch(`${path}/${id}`, { token, body: { [name]: value } });
          assert.equal(response.status, 200, response.text);
          expected[name] = value;
          const { body } = await service.get(`${path}/${id}`, { token });
          for (const [each, was] of Object.entries(expected))
            assert.deepEqual(body[each], was, `${each} after a PATCH of ${name}`);
        }
    });
  }

  for (const [path, { create, values, table }] of Object.entries(resources)) {
    if (table === undefined) continue;
    test(`a member of ${path} is in the table that an import reads again`, async (t) => {
      const from = await newShop(t);
      const to = await newShop(t);
      const first = Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, value]));
      const { id } = await create(from.service, from.token, first);
      const { text } = await from.service.get(path, { token: from.token, headers: { accept: 'text/csv' } });
      const rows = rowOf(id, text);
      const [result] = await importTable(to.service, { token: to.token, text: rows, query: `?of=${table}` });
      assert.equal(result?.status, 201, JSON.stringify(result));
      const { body } = await to.service.get(`${path}/${result?.id}`, { token: to.token });
      for (const [name, value] of Object.entries(first)) assert.deepEqual(body[name], value, name);
    });
  }
});

/** A service with two users and two customers, and the token of an administrator. */
async function newShop(t: TestContext): Promise<{ readonly service: TestService; readonly token: string }> {
  const service = await serviceFor(t);
  const { token } = await service.person('admin');
  await newCustomer(service, token);
  await newCustomer(service, token);
  return { service, token };
}

/** The row of an object, without the columns that the service sets. No cell of the row has a comma. */
function rowOf(id: number, text: string): string {
  const [heading = [], ...rows] = text.split('\r\n').map((line) => line.split(','));
  const row = rows.find(([cell]) => cell === String(id)) ?? [];
  const kept = (cells: readonly string[]) =>
    cells.filter((_, index) => !times.includes(heading[index] ?? ''));
  return [heading, row].map((cells) => kept(cells).join(',')).join('\r\n');
}

/** The sorted names of the members of an operation's body. */
function membersOf(document: JsonObject, operation: JsonObject): string[] {
  const [content] = Object.values<JsonObject>(operation.requestBody.content);
  const name: string = content.schema.$ref.split('/').at(-1);
  return Object.keys(document.components.schemas[name].properties).toSorted();
}

function made({ status, body, text }: TestResponse): JsonObject {
  assert.equal(status, 201, text);
  return body;
}
