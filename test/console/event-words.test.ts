// The console's texts for events, and their links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceEvent } from '../../src/console/api-types.ts';
import { eventText, hrefOf } from '../../src/console/event-words.ts';

for (const [type, subject, text, href] of [
  ['order.paid', '/orders/7', 'Order 7 paid', '#/orders/7'],
  ['order.corrected', '/orders/7', 'Order 7 taken back by one step', '#/orders/7'],
  ['customer.changed', '/customers/3', 'Customer 3 changed: e-mail and address', '#/customers/3'],
  ['customer.deleted', '/customers/3', 'Customer 3 deleted', undefined],
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
    assert.deepEqual([eventText(event), hrefOf(event)], [text, href]);
  });
}
