// Each member that a POST, PATCH or PUT may write, by the schemas of the OpenAPI document: it comes back as it
// was sent, survives a PATCH of each other member, and is in the export that an import reads again.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { importTable } from '../support/import-support.ts';
import {
  newCustomer,
  newKey,
  newOrder,
  newProduct,
  newWebhook,
  rootService,
} from '../support/resource-support.ts';
import { password, type Person, type TestResponse, type TestService } from '../support/service.ts';

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
  /** Whether it is created and removed, but never changed. */
  readonly isFixed?: true;
  /** Whether an import reads the CSV that the list writes. */
  readonly isImported?: true;
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
const itemOf = (quantity: number) => {
  return { sku: 'TEA-250', name: 'Tea', quantity, unitPrice: 749, total: quantity * 749 };
};
const times = ['id', 'createdAt', 'updatedAt'];
const delivery = ['lastStatus', 'lastAt', 'failingSince', 'lastError', 'lastErrorCode', 'retryAt'];
const metadata = [{ receipt: 'A-1' }, { receipt: 'A-2' }] as const;

/** All types of the shop's first events: a webhook moves on past others at once. */
const everyEvent = ['user', 'session', 'customer', 'webhook'].map((kind) => `${kind}.created`);
everyEvent.push('webhook.changed');

async function newUser(service: TestService, token: string, members: Values): Promise<JsonObject> {
  const { status, body, text } = await service.post('/api/users', {
    token,
    body: { name: 'Ada', email: 'new@example.com', password, ...members },
  });
  assert.equal(status, 201, text);
  return body;
}

const resources: Readonly<Record<string, Resource>> = {
  '/api/users': {
    create: newUser,
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
      metadata,
      userId: [1, 2],
    },
    others: times,
    isImported: true,
  },
  '/orders': {
    create: newOrder,
    values: {
      currency: ['CHF', 'USD'],
      items: [[itemOf(2)], [itemOf(3), itemOf(1)]],
      shippingAddress: [addressOf('Street 3'), addressOf('Street 4')],
      note: ['Please ring twice.', 'Please\nring once.'],
      metadata,
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
      metadata,
    },
    others: times,
    isImported: true,
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
    others: ['id', 'createdAt', ...delivery],
  },
  '/api/keys': {
    create: newKey,
    values: {
      name: ['till 3', 'till 4'],
      scopes: [['orders:read'], ['orders:read', 'orders:write']],
      expiresAt: ['2099-12-31T23:59:59.000Z', null],
    },
    others: [],
    isFixed: true,
  },
};

/** The shop is one object, without an id and a POST (`shop.test.ts` has its members); the others show none again. */
const elsewhere = ['/shop', '/customers/{id}/erasure', '/api/users/{id}/suspension', '/api/users/{id}/totp'];

/** A service with two users and two customers, and an administrator. */
async function newShop(t: TestContext): Promise<{ readonly service: TestService; readonly admin: Person }> {
  const { service } = await rootService(t);
  const admin = await service.person('admin');
  for (let count = 0; count < 2; count += 1) await newCustomer(service, admin.token);
  return { service, admin };
}

function assertHas(body: JsonObject, members: Values, when: string): void {
  for (const [name, value] of Object.entries(members)) assert.deepEqual(body[name], value, `${name} ${when}`);
}

describe('a member that may be written', () => {
  test('each resource with PATCH or PUT has its members here, and no member is missing', async (t) => {
    const { admin } = await newShop(t);
    const { body: document } = await admin.get('/openapi.json');
    const membersOf = (operation: JsonObject): string[] => {
      const [content] = Object.values<JsonObject>(operation.requestBody.content);
      const name: string = content.schema.$ref.split('/').at(-1);
      return Object.keys(document.components.schemas[name].properties).toSorted();
    };
    const changed = Object.entries<JsonObject>(document.paths).flatMap(([path, operations]) =>
      'patch' in operations || 'put' in operations ? [path] : [],
    );
    const known = Object.entries(resources).flatMap(([path, { isFixed }]) =>
      isFixed ? [] : [`${path}/{id}`],
    );
    assert.deepEqual(changed.toSorted(), [...known, ...elsewhere].toSorted());
    for (const [path, { values, others, notPosted = [], isFixed }] of Object.entries(resources)) {
      const names = Object.keys(values);
      const posted = membersOf(document.paths[path].post);
      const own = names.filter((name) => !notPosted.includes(name));
      const expected = [...own, ...others.filter((name) => posted.includes(name))];
      assert.deepEqual(posted, expected.toSorted(), `POST of ${path}`);
      if (isFixed) continue;
      const patched = membersOf(document.paths[`${path}/{id}`].patch);
      assert.deepEqual(patched, [...names, ...others].toSorted(), `PATCH of ${path}`);
    }
  });

  for (const [path, { create, values, notPosted = [], isFixed, isImported }] of Object.entries(resources)) {
    const valuesAt = (round: 0 | 1): Values =>
      Object.fromEntries(Object.entries(values).map(([name, pair]) => [name, pair[round]]));

    test(`a member of ${path} comes back as a POST or a PUT sent it`, async (t) => {
      const { service, admin } = await newShop(t);
      const posted = Object.entries(valuesAt(0)).filter(([name]) => !notPosted.includes(name));
      const sent = Object.fromEntries(posted);
      const one = `${path}/${(await create(service, admin.token, sent)).id}`;
      assertHas((await admin.get(one)).body, sent, 'after POST');
      const { headers } = await service.call('OPTIONS', one, admin);
      if (headers.allow?.includes('PUT') !== true) return;
      const put = await admin.put(one, valuesAt(1));
      assert.equal(put.status, 200, put.text);
      assertHas(put.body, valuesAt(1), 'after PUT');
    });

    if (isFixed) continue;
    test(`a member of ${path} comes back as a PATCH sent it, and survives a PATCH of each other`, async (t) => {
      const { service, admin } = await newShop(t);
      const one = `${path}/${(await create(service, admin.token, {})).id}`;
      const expected: Record<string, unknown> = {};
      for (const round of [0, 1] as const)
        for (const [name, value] of Object.entries(valuesAt(round))) {
          const response = await admin.patch(one, { [name]: value });
          assert.equal(response.status, 200, response.text);
          expected[name] = value;
          assertHas((await admin.get(one)).body, expected, `after a PATCH of ${name}`);
        }
    });

    if (isImported !== true) continue;
    test(`a member of ${path} is in the table that an import reads again`, async (t) => {
      const [from, to] = [await newShop(t), await newShop(t)];
      const { id } = await create(from.service, from.admin.token, valuesAt(0));
      const { text } = await from.admin.get(path, { accept: 'text/csv' });
      const table = { token: to.admin.token, text: rowOf(id, text), query: `?of=${path.slice(1)}` };
      const [result] = await importTable(to.service, table);
      assert.equal(result?.status, 201, JSON.stringify(result));
      assertHas((await to.admin.get(`${path}/${result?.id}`)).body, valuesAt(0), 'after its import');
    });
  }
});

/** The row of an object, without the columns that the service sets. No cell of the row has a comma. */
function rowOf(id: number, text: string): string {
  const [heading = [], ...rows] = text.split('\r\n').map((line) => line.split(','));
  const row = rows.find(([cell]) => cell === String(id)) ?? [];
  const isKept = (index: number): boolean => !times.includes(heading[index] ?? '');
  return [heading, row].map((cells) => cells.filter((_, index) => isKept(index)).join(',')).join('\r\n');
}
