// Which values events show: the schema of an event says what the records of members do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listed } from '../../../src/base/listed.ts';
import { customerMembers } from '../../../src/features/customers/customer-members.ts';
import { Event } from '../../../src/features/events/event.ts';
import { orderMembers } from '../../../src/features/orders/order-members.ts';
import { productMembers } from '../../../src/features/products/product.ts';
import { userMembers } from '../../../src/features/users/user.ts';
import { webhookMembers } from '../../../src/features/webhooks/webhook.ts';
import { namesInEvents } from '../../../src/storage/resource.ts';

test('the description of an event’s changes names each member whose values events show', () => {
  const records = [orderMembers, customerMembers, productMembers, userMembers, webhookMembers];
  const names = [...new Set(records.flatMap(namesInEvents))];
  const { description = '' } = Event.properties?.['changes'] ?? {};
  const sentence = `the values before and after for ${listed(names, 'and')};`;
  assert.ok(description.includes(sentence), `expected "${sentence}" in: ${description}`);
});
