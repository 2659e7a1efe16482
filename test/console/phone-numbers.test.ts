// How phone numbers are written: against the example numbers of libphonenumber.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  callingCodeOf,
  phoneFormats,
  phoneFromAbroad,
  writtenPhone,
} from '../../src/console/words/phone-numbers.ts';

await phoneFormats.loaded;

type Vector = Readonly<Record<'country' | 'type' | 'national' | 'international' | 'e164', string>>;
const source = new URL('../data/phone-numbers.json', import.meta.url);
const { numbers } = JSON.parse(readFileSync(source, 'utf8')) as { numbers: Vector[] }; // the file is ours

// newer metadata has no such numbers of Zimbabwe
for (const { country, type, national, international, e164 } of numbers.filter(
  ({ e164 }) => e164 !== '+2631312345',
))
  test(`the ${type} number ${e164} is ${international} and, in ${country}, ${national}`, () => {
    assert.equal(writtenPhone(e164, null), international);
    assert.equal(writtenPhone(e164, country), national);
  });

for (const [phone, country, text] of [
  ['+41446681800', 'DE', '+41 44 668 18 00'],
  ['+14155550132', 'CA', '(415) 555-0132'],
  ['+494', 'FR', '+49 4'],
  ['+494', 'DE', '+49 4'],
  ['+97', null, '+97'],
] as const)
  test(`${phone} is ${text} in a shop of ${country}`, () => {
    assert.equal(writtenPhone(phone, country), text);
  });

for (const [dialled, country, text] of [
  ['044 412 11 11', 'CH', '+41 44 412 11 11'],
  ['02-312-3456', 'KR', '+82 2-312-3456'],
  ['06 1234567', 'IT', '+39 06 123 4567'],
  ['12', 'CH', undefined],
] as const)
  test(`${dialled} in ${country} is ${text} from abroad`, () => {
    assert.equal(phoneFromAbroad(dialled, country), text);
  });

test('a country has one calling code', () => {
  assert.deepEqual(['IE', 'CA', 'ZZ'].map(callingCodeOf), ['+353', '+1', '+']);
});
