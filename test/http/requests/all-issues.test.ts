// All issues that a request shows are reported together: any two that don't depend on each other. Those that
// only the database shows are reported together after them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { TestResponse, TestService } from '../../support/service.ts';
import { german } from '../../features/orders/order-support.ts';
import { newCustomer, newOrder, newWebhook, rootToken } from '../../support/resource-support.ts';
import { sharedService } from '../../support/http-support.ts';

const absent = Symbol('absent');
const past = '2020-01-01T00:00:00Z';

/**
 * A place in the body, or a query parameter, with its issue; and places whose issues prevent this one from
 * being found.
 */
type Fault = readonly [place: string, value: unknown, ...basis: string[]];

type Row = {
  readonly what: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  /** With the names of `made` in place of ids. */
  readonly path: string;
  /** Has no issue. */
  readonly body: object;
  readonly faults: readonly Fault[];
  /** The places of issues that only the database or the clock shows. */
  readonly stored?: readonly string[];
};

const teas = [
  { name: 'Tea', quantity: 2, unitPrice: 749 },
  { name: 'Tea', quantity: 1, unitPrice: 300 },
];
const unknown: Fault = ['/surplus', 1];
const parameter: Fault = ['?surplus', 1];
const address: readonly Fault[] = [
  ['/line1', 5],
  ['/region', ''],
  ['/postalCode', '1', '/country'],
  ['/country', 'XX', '/postalCode'],
  unknown,
];
const items: readonly Fault[] = [
  ['/items/0/name', ''],
  ['/items/0/sku', 5],
  ['/items/0/total', 7, '/items/0/quantity'],
  ['/items/0/surplus', 1],
  ['/items/1/name', absent],
  ['/items/1/quantity', 0, '/total'],
  ['/total', 7, '/items/1/quantity'],
];
const readOnly: readonly Fault[] = [
  ['/id', 77],
  ['/createdAt', past],
];
const storedMembers = ['/id', '/createdAt', '/updatedAt', '/customerId', '/userId'];
const person: readonly Fault[] = [
  ['/name', ''],
  ['/email', 'x'],
  ['/role', 'x'],
  ['/password', 'password1'],
];
const customer: readonly Fault[] = [
  ['/name', ''],
  ['/email', 'x'],
  ['/phone', '1'],
  ['/userId', 999_999],
  ...within('/address', address),
];

function within(prefix: string, faults: readonly Fault[]): Fault[] {
  return faults.map(([place, value, ...basis]) => [
    prefix + place,
    value,
    ...basis.map((each) => prefix + each),
  ]);
}

/** The ids of the objects that the requests change. */
type Made = Readonly<Record<string, number>>;

async function make(service: TestService, token: string): Promise<Made> {
  const { id: customerId } = await newCustomer(service, token);
  const order = await newOrder(service, token, { customerId, shippingAddress: german });
  const paid = await newOrder(service, token, { customerId, status: 'paid' });
  const refunded = await newOrder(service, token, { customerId, status: 'paid', payment: 'cash' });
  await service.patch(`/orders/${refunded.id}`, { token, body: { status: 'refunded' } });
  const [session] = (await service.get('/api/sessions', { token })).body.data;
  return {
    customerId,
    orderId: order.id,
    paidId: paid.id,
    refundedId: refunded.id,
    userId: (await service.person()).id,
    ownId: session.userId,
    webhookId: (await newWebhook(service, token)).id,
  };
}

const newPerson = { name: 'Ada', email: 'ada@example.com', password: 'a password for tests' };
const changedPerson = { ...newPerson, currentPassword: 'another' };
const newCustomerBody = { name: 'Grace', email: 'g@example.com', phone: '+4944112345678', address: german };
const customerChange: readonly Fault[] = [...customer, ...readOnly, ['/updatedAt', past]];

const rows: readonly Row[] = [
  {
    what: 'a new order',
    method: 'POST',
    path: '/orders',
    body: { customerId: 1, currency: 'EUR', items: teas, total: 1798, shippingAddress: german },
    faults: [
      ['/customerId', 999_999],
      ['/userId', 999_999],
      ['/currency', 'X'],
      ['/status', 'shipped'],
      ['/payment', 'x'],
      ['/note', 5],
      ...items,
      ...within('/shippingAddress', [...address, ['/city', absent]]),
    ],
    stored: storedMembers,
  },
  {
    what: 'a patch of an order',
    method: 'PATCH',
    path: '/orders/{orderId}',
    body: { items: teas, total: 1798, shippingAddress: {} },
    faults: [
      ...readOnly,
      ['/updatedAt', past],
      ['/customerId', 'x'],
      ['/userId', 999_999],
      ['/currency', 'X'],
      ['/status', 'lost'],
      ['/payment', 'x'],
      ['/note', 5],
      ['/reason', ''],
      ...items,
      ...within('/shippingAddress', [...address, ['/city', null]]),
    ],
    stored: ['/id', '/createdAt', '/updatedAt', '/userId', '/shippingAddress/postalCode'],
  },
  {
    what: 'a patch of a refunded order',
    method: 'PATCH',
    path: '/orders/{refundedId}',
    body: {},
    faults: [...readOnly, ['/payment', 'card'], ['/note', 5]],
    stored: ['/id', '/createdAt', '/payment'],
  },
  {
    what: 'an order taken back',
    method: 'PATCH',
    path: '/orders/{paidId}',
    body: { status: 'open', reason: 'by mistake' },
    faults: [...readOnly, ['/reason', absent], ['/note', 5]],
    stored: ['/id', '/createdAt', '/reason'],
  },
  {
    what: 'a new customer',
    method: 'POST',
    path: '/customers',
    body: newCustomerBody,
    faults: [...customer, ['/address/city', absent]],
    stored: storedMembers,
  },
  {
    what: 'a customer replaced',
    method: 'PUT',
    path: '/customers/{customerId}',
    body: newCustomerBody,
    faults: [...customerChange, ['/address/city', absent]],
    stored: storedMembers,
  },
  {
    what: 'a patch of a customer',
    method: 'PATCH',
    path: '/customers/{customerId}',
    body: { address: german },
    faults: [...customerChange, ['/address/city', null]],
    stored: storedMembers,
  },
  { what: 'a new user', method: 'POST', path: '/api/users', body: newPerson, faults: person },
  {
    what: 'a user replaced',
    method: 'PUT',
    path: '/api/users/{ownId}',
    body: changedPerson,
    faults: [...person, ...readOnly, ['/currentPassword', absent]],
    stored: [...storedMembers, '/currentPassword'],
  },
  {
    what: 'a patch of a user',
    method: 'PATCH',
    path: '/api/users/{ownId}',
    body: changedPerson,
    faults: [...person, ...readOnly, ['/currentPassword', absent]],
    stored: [...storedMembers, '/currentPassword'],
  },
  {
    what: 'a suspension',
    method: 'PUT',
    path: '/api/users/{userId}/suspension',
    body: {},
    faults: [
      ['/reason', ''],
      ['/userId', 77],
      ['/createdAt', past],
    ],
    stored: storedMembers,
  },
  {
    what: 'a new key',
    method: 'POST',
    path: '/api/keys',
    body: { name: 'till 3', scopes: ['orders:read'] },
    faults: [
      ['/name', ''],
      ['/scopes/0', 'x'],
      ['/expiresAt', past],
    ],
    stored: ['/expiresAt'],
  },
  {
    what: 'a new webhook',
    method: 'POST',
    path: '/webhooks',
    body: { url: 'https://hooks.example/orders', types: ['order.paid'] },
    faults: [
      ['/url', 'http://127.0.0.1/'],
      ['/types/0', 'x'],
    ],
  },
  {
    what: 'a patch of a webhook',
    method: 'PATCH',
    path: '/webhooks/{webhookId}',
    body: { types: ['order.paid'] },
    faults: [
      ...readOnly,
      ['/url', 'http://127.0.0.1/'],
      ['/types/0', 'x'],
      ['/status', 'disabled'],
      ['/position', 1_000_000],
      ['/lastAt', past],
    ],
    stored: [...storedMembers, '/status', '/position', '/lastAt'],
  },
  {
    what: 'a sign-in',
    method: 'POST',
    path: '/api/sessions',
    body: { email: 'ada@example.com', password: 'x' },
    faults: [
      ['/email', 'x'],
      ['/password', ''],
      ['/code', 5],
      ['/cookie', 5],
    ],
  },
];

describe('all issues that a request shows are reported at once', () => {
  let token = '';
  let made: Made = {};
  const service = sharedService({}, async (started) => {
    token = await rootToken(started);
    made = await make(started, token);
  });

  async function reported(row: Row, faults: readonly Fault[]): Promise<string[]> {
    const query = faults.includes(parameter) ? '?surplus=1' : '';
    const body = bodyWith(row, faults);
    const path = row.path.replace(/\{(\w+)\}/, (_, name: string) => String(made[name]));
    return placesOf(await service().call(row.method, path + query, { token, body }));
  }

  for (const row of rows) {
    test(`any two issues of ${row.what} are reported at once`, async () => {
      const incomplete: string[] = [];
      for (const faults of pairsOf([...row.faults, unknown, parameter])) {
        const places = faults.map(([place]) => place).toSorted();
        const shown = places.filter((place) => row.stored?.includes(place) !== true);
        const expected = shown.length > 0 ? shown : places;
        const found = (await reported(row, faults)).toSorted();
        if (!isDeepStrictEqual(found, expected))
          incomplete.push(`${expected.join(' and ')}: ${found.join(' and ')}`);
      }
      assert.deepEqual(incomplete, []);
    });
  }
});

/** Each one alone, and with each other one that doesn't depend on it. */
function pairsOf(faults: readonly Fault[]): Fault[][] {
  const pairs: Fault[][] = faults.map((fault) => [fault]);
  for (const [index, fault] of faults.entries()) {
    for (const other of faults.slice(index + 1)) if (isIndependent(fault, other)) pairs.push([fault, other]);
  }
  return pairs;
}

function isIndependent([place, , ...basis]: Fault, [other, , ...otherBasis]: Fault): boolean {
  return !basis.includes(other) && !otherBasis.includes(place);
}

/** A copy with another value at a place that exists in the body, or whose parent does. */
function withFault(body: object, [place, value]: Fault): object {
  const copy = structuredClone(body);
  const names = place.split('/').slice(1);
  const last = names.pop() ?? '';
  let parent: object = copy;
  for (const name of names) parent = Reflect.get(parent, name);
  if (value === absent) Reflect.deleteProperty(parent, last);
  else Reflect.set(parent, last, value);
  return copy;
}

function bodyWith({ body }: Row, faults: readonly Fault[]): object {
  let sent = body;
  for (const fault of faults) if (fault !== parameter) sent = withFault(sent, fault);
  return sent;
}

function placesOf({ body }: TestResponse): string[] {
  return (body?.errors ?? []).map((issue: { readonly pointer?: string; readonly parameter?: string }) =>
    issue.pointer === undefined ? `?${issue.parameter}` : issue.pointer.slice(1),
  );
}
