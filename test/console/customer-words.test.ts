// What the console says of a customer that was found, to tell them from others of the same name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutCustomer, shownName } from '../../src/console/customers/customer-words.ts';
import { phoneFormats } from '../../src/console/words/phone-numbers.ts';

await phoneFormats.loaded;

const customer = { email: 'anna@example.com', phone: '+49441123456', address: null, reference: null };

for (const [q, shown] of [
  ['anna', 'anna@example.com'],
  ['0441 1234', '0441 123456'],
  ['+49 (0)441 / 12-34', '0441 123456'],
  ['441', '0441 123456'],
  ['44', 'anna@example.com'],
  ['anna 441', 'anna@example.com'],
  ['999', 'anna@example.com'],
] as const)
  test(`a customer who is found by “${q}” is shown with ${shown}`, () => {
    assert.equal(aboutCustomer(customer, q, 'DE'), shown);
  });

test('a customer with an own number is shown with it', () => {
  assert.equal(aboutCustomer({ ...customer, reference: 'K-7' }, 'k-7', 'DE'), 'K-7 · anna@example.com');
});

test('a customer without an e-mail address is shown with their phone number', () => {
  assert.equal(aboutCustomer({ ...customer, email: null }, 'anna', 'FR'), '+49 441 123456');
});

test('zeros are none of the three digits that find a phone number', () => {
  const { email } = customer;
  assert.equal(aboutCustomer({ ...customer, phone: '+494410123456' }, '0012', 'DE'), email);
});

test('a customer is shown with the phone number that was dialled as in the shop’s country', () => {
  const russian = { ...customer, phone: '+79123456789' };
  assert.equal(aboutCustomer(russian, '8 912 345', 'RU'), '8 (912) 345-67-89');
});

for (const [name, shown] of [
  ['Laufkundschaft', 'Walk-in'],
  ['erased', 'Erased customer'],
  ['Ada', 'Ada'],
] as const)
  test(`a customer called ${name} is shown as ${shown}`, () => assert.equal(shownName(name), shown));
