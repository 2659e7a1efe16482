// What the console knows of the API, compared with the service: its closed lists, the members of objects, and words for
// them. What is new in the service fails here until the console knows it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as access from '../../src/auth/access.ts';
import type * as api from '../../src/console/words/api-types.ts';
import {
  eventTypes as knownTypes,
  payments,
  roles,
  scopes,
  statuses,
} from '../../src/console/words/api-types.ts';
import { columnName } from '../../src/console/words/column-names.ts';
import { stages } from '../../src/console/words/statuses.ts';
import type { KeptBackups } from '../../src/features/backups/backup-routes.ts';
import {
  customerResource,
  type Customer,
  type CustomerContent,
} from '../../src/features/customers/customers.ts';
import { type Event, eventTypes } from '../../src/features/events/event.ts';
import type { Key } from '../../src/features/keys/key.ts';
import { orderTable } from '../../src/features/orders/order-csv.ts';
import { type Order, type OrderContent, orderMembers } from '../../src/features/orders/order-members.ts';
import * as order from '../../src/features/orders/order-status.ts';
import { productResource, type Product, type ProductContent } from '../../src/features/products/products.ts';
import type { Sales } from '../../src/features/sales/sales.ts';
import type { SoldItems } from '../../src/features/sales/sold-items-store.ts';
import type { Session, Tokens } from '../../src/features/sessions/session.ts';
import { type Shop, type ShopContent, shopMembers } from '../../src/features/shop/shop.ts';
import type { Suspension } from '../../src/features/users/suspension-store.ts';
import type { Totp } from '../../src/features/users/totp-store.ts';
import { type User, type UserContent, userMembers } from '../../src/features/users/user.ts';
import { type Webhook, type WebhookContent, webhookMembers } from '../../src/features/webhooks/webhook.ts';
import { contentNames } from '../../src/resource/resource-members.ts';
import { texts } from '../support/source-text.ts';

type Accepts<Shown, Sent extends Shown> = readonly [Shown, Sent];
/** The compiler checks that the console's types accept what the service sends. */
export type Accepted = [
  Accepts<api.Order, Order>,
  Accepts<api.Customer, Customer>,
  Accepts<api.User, User>,
  Accepts<api.Session, Session>,
  Accepts<api.Tokens, Tokens>,
  Accepts<api.Key, Key>,
  Accepts<api.Webhook, Webhook>,
  Accepts<api.ServiceEvent, Event>,
  Accepts<api.StatusCounts, order.OrderCounts>,
  Accepts<api.Sales, Sales>,
  Accepts<api.KeptBackups, KeptBackups>,
  Accepts<api.SoldItems, SoldItems>,
  Accepts<api.Suspension, Suspension>,
  Accepts<api.Totp, Totp>,
  Accepts<api.Product, Product>,
  Accepts<api.Shop, Shop>,
];

type None<Unknown extends never> = Unknown;
/** The compiler names a member that requests set and that the console doesn't know; metadata are for programs. */
export type Known = [
  None<Exclude<keyof OrderContent, keyof api.Order | 'metadata'>>,
  None<Exclude<keyof CustomerContent, keyof api.Customer | 'userId' | 'metadata'>>,
  None<Exclude<keyof ProductContent, keyof api.Product | 'metadata'>>,
  None<Exclude<keyof ShopContent, keyof api.Shop>>,
  None<Exclude<keyof UserContent, keyof api.User>>,
  None<Exclude<keyof WebhookContent, keyof api.Webhook>>,
];

suite('what the console knows of the API', () => {
  test('the console has the same statuses, in their order', () => assert.deepEqual(statuses, order.statuses));

  for (const status of order.statuses)
    test(`the console knows what may become of an order that is ${status}`, () => {
      const { next, before, payment } = order.stages[status];
      const { changes, ...known } = stages[status];
      assert.deepEqual(known, { next, before, isPaid: payment === 'changeable' });
      assert.equal(changes, status === 'open' ? 'all' : status === 'paid' ? 'delivery' : 'note');
    });

  test('the console’s labels have a colour or a form for each status', () => {
    const text = texts.get('src/console/console.css') ?? '';
    const without = statuses.filter((status) => !new RegExp(`^[^{]*\\.${status}\\b`, 'm').test(text));
    assert.deepEqual(without, []);
  });

  for (const [what, own, all] of [
    ['ways of payment', payments, order.payments],
    ['roles', roles, access.roles],
    ['scopes of API keys', scopes, access.scopes],
    ['types of events', knownTypes, eventTypes],
  ] as const)
    test(`the console has the same ${what}`, () => assert.deepEqual(new Set<string>(own), new Set(all)));

  for (const [what, members] of [
    ['orders', orderMembers],
    ['customers', customerResource.members],
    ['products', productResource.members],
    ['the shop', shopMembers],
    ['users', userMembers],
    ['webhooks', webhookMembers],
  ] as const)
    test(`the console has a word for each member of ${what} that a change may name`, () => {
      const named = contentNames(members).filter((name) => name !== 'total'); // it changes with the items
      assert.deepEqual(
        named.filter((name) => columnName(name) === name),
        [],
      );
    });

  test('the console has a heading for each column of a list’s file', () => {
    const tables = [orderTable, customerResource.csv, productResource.csv];
    const columns = tables.flatMap((table) => table.columns);
    assert.deepEqual(
      columns.filter((name) => columnName(name) === name),
      [],
    );
  });
});
