// The console's texts for events, and their links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceEvent } from '../../src/console/words/api-types.ts';
import { changeTexts, eventText, hrefOf } from '../../src/console/words/event-words.ts';

for (const [type, subject, text, href] of [
  ['order.paid', '/orders/7', 'Order 7 paid', '#/orders/7'],
  ['order.corrected', '/orders/7', 'Order 7 taken back by one step', '#/orders/7'],
  ['customer.changed', '/customers/3', 'Customer 3 changed: E-mail and Address', '#/customers/3'],
  ['customer.deleted', '/customers/3', 'Customer 3 deleted', undefined],
  ['customer.erased', '/customers/3', 'Customer 3 erased', '#/customers/3'],
  ['user.created', '/api/users/2', 'Account 2 created', '#/people/2'],
  ['user.deleted', '/api/users/2', 'Account 2 deleted', undefined],
  ['session.reused', '/api/sessions/9', 'Sign-in 9 ended: an old token was used', undefined],
] as const) {
  test(`${type} of ${subject} reads "${text}" and leads to ${href ?? 'no view'}`, () => {
    const event = {
      id: 1,
      type,
      subject,
      actor: null,
      reason: null,
      createdAt: '',
      changes: type.endsWith('.changed') ? { email: null, address: null } : { status: ['open', 'paid'] },
    } as unknown as ServiceEvent;
    assert.deepEqual([eventText(type, event), hrefOf(event)], [text, href]);
  });
}

test('an event names its account where the name is known, and no number of a customer', () => {
  const changes = { customerId: null };
  const account = { subject: '/api/users/4', changes: {} };
  assert.equal(eventText('user.created', account, 'Till'), 'Account Till created');
  assert.equal(eventText('order.changed', { subject: '/orders/7', changes }), 'Order 7 changed: Customer');
});

test('an event names what has changed of an account', () => {
  const changes = { totp: null, role: null };
  const event = { type: 'user.changed', subject: '/api/users/4', changes } as unknown as ServiceEvent;
  assert.equal(eventText('user.changed', event), 'Account 4 changed: One-time codes and Role');
});

for (const [member, text] of [
  ['suspension', 'Account 4 changed: Suspension lifted'],
  ['suspensionReason', 'Account 4 changed: Reason of the suspension'],
] as const)
  test(`an event of a changed ${member} says which it was`, () => {
    const event = { type: 'user.changed', subject: '/api/users/4', changes: { [member]: null } };
    assert.equal(eventText('user.changed', event as unknown as ServiceEvent), text);
  });

const tea = { sku: null, name: 'Tea', quantity: 2, unitPrice: 749 };
const pot = { sku: 'POT', name: 'Pot', quantity: 1, unitPrice: 3900 };
const money = (minorUnits: number, currency: string): string => `${minorUnits} ${currency}`;

for (const [title, type, changes, texts] of [
  ['a role', 'user.changed', { role: ['staff', 'admin'], email: null }, ['Role Staff → Administrator']],
  ['a step taken back', 'order.corrected', { status: ['paid', 'open'] }, ['Status paid → open']],
  ['a usual step, which its name says', 'order.paid', { status: ['open', 'paid'] }, []],
  [
    'how an order was paid',
    'order.paid',
    { status: ['open', 'paid'], payment: [null, 'cash'] },
    ['Payment: Cash'],
  ],
  ['a payment that is said later', 'order.changed', { payment: [null, 'card'] }, ['Payment not said → Card']],
  ['a member of a newer service', 'order.changed', { channel: ['till', 'web'] }, ['channel till → web']],
  ['a corrected payment', 'order.changed', { payment: ['cash', 'card'] }, ['Payment Cash → Card']],
  [
    'items and a total',
    'order.changed',
    {
      items: [
        [tea, pot],
        [{ ...tea, quantity: 3 }, pot],
      ],
      total: [5_398, 6_147],
    },
    ['− 2 × Tea, 749 EUR', '+ 3 × Tea, 749 EUR', 'Total 5398 EUR → 6147 EUR'],
  ],
  [
    'a currency, and amounts in the old and the new one',
    'order.changed',
    { currency: ['USD', 'EUR'], items: [[tea], [pot]], total: [1_498, 3_900] },
    ['Currency USD → EUR', '− 2 × Tea, 749 USD', '+ 1 × Pot, 3900 EUR', 'Total 1498 USD → 3900 EUR'],
  ],
  ['items that are too many to be kept', 'order.changed', { items: null }, []],
] as const)
  test(`an event shows the old and the new values of ${title}`, () =>
    assert.deepEqual(changeTexts({ type, changes }, money, 'EUR'), texts));

test('an event shows no amounts where the currency is unknown', () => {
  const changes = { items: [[tea], [pot]], total: [1_498, 3_900] };
  assert.deepEqual(changeTexts({ type: 'order.changed', changes }, money), []);
});
