// All issues that a request shows are reported together, and after them, together, those that only the database or
// the clock shows.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestService } from '../../support/service.ts';
import { german } from '../../features/orders/order-support.ts';
import { newCustomer, newOrder, newWebhook, rootToken } from '../../support/resource-support.ts';
import { sharedService } from '../../support/http-support.ts';

const absent = Symbol('absent');
const past = '2020-01-01T00:00:00Z';

/** A place in the body, with a value that has an issue. */
type Fault = readonly [place: string, value: unknown];

type Row = {
  /** With the names of `made` in place of ids. */
  readonly path: string;
  /** Has no issue. */
  readonly body: object;
  /** Those that the request shows. */
  readonly faults: readonly Fault[];
  /** Likewise, but one of `faults` prevents that they are found. */
  readonly apart?: readonly Fault[];
  /** Those that only the database or the clock shows. */
  readonly stored?: readonly Fault[];
};

const teas = [
  { name: 'Tea', quantity: 2, unitPrice: 749 },
  { name: 'Tea', quantity: 1, unitPrice: 300 },
];
const items: readonly Fault[] = [
  ['/items/0/name', ''],
  ['/items/0/sku', 5],
  ['/items/0/total', 7],
  ['/items/0/surplus', 1],
  ['/items/1/name', absent],
];
const order: readonly Fault[] = [['/currency', 'X'], ['/payment', 'x'], ['/note', 5], ...items];
const addressAt = (at: string, city: unknown): readonly Fault[] => [
  [`${at}/line1`, 5],
  [`${at}/region`, ''],
  [`${at}/country`, 'XX'],
  [`${at}/city`, city],
  [`${at}/surplus`, 1],
];
const sums: readonly Fault[] = [...items, ['/total', 7]];
const readOnly: readonly Fault[] = [
  ['/id', 77],
  ['/createdAt', past],
];
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
];
const unknownUser: Fault = ['/userId', 999_999];

const newPerson = { name: 'Ada', email: 'ada@example.com', password: 'a password for tests' };
const ofUser = {
  body: { ...newPerson, currentPassword: 'another' },
  faults: person,
  stored: [...readOnly, ['/currentPassword', absent]],
} as const;
const newCustomerBody = { name: 'Grace', email: 'g@example.com', phone: '+4944112345678', address: german };
const ofCustomer = {
  body: newCustomerBody,
  faults: [...customer, ...addressAt('/address', absent)],
  apart: [...customer, ['/address/postalCode', '1']],
} as const;

const rows: Readonly<Record<string, Row>> = {
  'POST a new order': {
    path: '/orders',
    body: { customerId: 1, currency: 'EUR', items: teas, total: 1798, shippingAddress: german },
    faults: [
      ...order,
      ['/status', 'shipped'],
      ['/items/1/quantity', 0],
      ...addressAt('/shippingAddress', absent),
    ],
    apart: [...sums, ['/shippingAddress/postalCode', '1']],
    stored: [['/customerId', 999_999], unknownUser],
  },
  'PATCH an order': {
    path: '/orders/{orderId}',
    body: { items: teas, total: 1798, shippingAddress: {} },
    faults: [
      ...order,
      ['/customerId', 'x'],
      ['/status', 'lost'],
      ['/reason', ''],
      ['/items/1/quantity', 0],
      ...addressAt('/shippingAddress', null),
    ],
    apart: sums,
    stored: [...readOnly, ['/updatedAt', past], unknownUser, ['/shippingAddress/postalCode', '1']],
  },
  'PATCH a refunded order': {
    path: '/orders/{refundedId}',
    body: {},
    faults: [['/note', 5]],
    stored: [...readOnly, ['/payment', 'card']],
  },
  'PATCH an order that is taken back': {
    path: '/orders/{paidId}',
    body: { status: 'open', reason: 'by mistake' },
    faults: [['/note', 5]],
    stored: [...readOnly, ['/reason', absent]],
  },
  'POST a new customer': { path: '/customers', ...ofCustomer, stored: [unknownUser] },
  'PUT a customer': {
    path: '/customers/{customerId}',
    ...ofCustomer,
    stored: [...readOnly, ['/updatedAt', past], unknownUser],
  },
  'PATCH a customer': {
    path: '/customers/{customerId}',
    body: { address: german },
    faults: [...customer, ...addressAt('/address', null)],
    apart: [...customer, ['/address/postalCode', '1']],
    stored: [...readOnly, ['/updatedAt', past], unknownUser],
  },
  'POST a new user': { path: '/api/users', body: newPerson, faults: person },
  'PUT a user': { path: '/api/users/{ownId}', ...ofUser },
  'PATCH a user': { path: '/api/users/{ownId}', ...ofUser },
  'PUT a suspension': {
    path: '/api/users/{userId}/suspension',
    body: {},
    faults: [['/reason', '']],
    stored: [
      ['/userId', 77],
      ['/createdAt', past],
    ],
  },
  'POST a new key': {
    path: '/api/keys',
    body: { name: 'till 3', scopes: ['orders:read'] },
    faults: [
      ['/name', ''],
      ['/scopes/0', 'x'],
    ],
    stored: [['/expiresAt', past]],
  },
  'POST a new webhook': {
    path: '/webhooks',
    body: { url: 'https://hooks.example/orders', types: ['order.paid'] },
    faults: [
      ['/url', 'http://127.0.0.1/'],
      ['/types/0', 'x'],
    ],
  },
  'PATCH a webhook': {
    path: '/webhooks/{webhookId}',
    body: { types: ['order.paid'] },
    faults: [
      ['/url', 'http://127.0.0.1/'],
      ['/types/0', 'x'],
    ],
    stored: [...readOnly, ['/status', 'disabled'], ['/position', 1_000_000], ['/lastAt', past]],
  },
  'POST a sign-in': {
    path: '/api/sessions',
    body: { email: 'ada@example.com', password: 'x' },
    faults: [
      ['/email', 'x'],
      ['/password', ''],
      ['/code', 5],
      ['/cookie', 5],
    ],
  },
};

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

describe('all issues that a request shows are reported at once', () => {
  let token = '';
  let made: Made = {};
  const service = sharedService({}, async (started) => {
    token = await rootToken(started);
    made = await make(started, token);
  });

  for (const [what, { path, body, faults, apart = [], stored = [] }] of Object.entries(rows))
    test(`all issues of ${what} that the request shows are reported at once, then all others`, async () => {
      const target = path.replace(/\{(\w+)\}/, (_, name: string) => String(made[name]));
      const reported = async (sent: readonly Fault[], query = ''): Promise<string[]> => {
        const [method = ''] = what.split(' ');
        const call = { token, body: sent.reduce(withFault, body) };
        const { errors = [] } = (await service().call(method, target + query, call)).body ?? {};
        return errors
          .map(({ pointer, parameter }: Record<string, string>) => pointer?.slice(1) ?? `?${parameter}`)
          .toSorted();
      };
      const shown: readonly Fault[] = [...faults, ['/surplus', 1]];
      const places = (all: readonly Fault[]): string[] => all.map(([place]) => place);
      const all = [...places(shown), '?surplus'].toSorted();
      assert.deepEqual(await reported([...shown, ...stored], '?surplus=1'), all);
      for (const sent of [apart, stored])
        if (sent.length > 0) assert.deepEqual(await reported(sent), places(sent).toSorted());
      assert.deepEqual(await reported([...stored, ['/surplus', 1]]), ['/surplus'], 'one is enough');
    });
});

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
