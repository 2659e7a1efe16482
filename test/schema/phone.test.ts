// Which telephone numbers are accepted.
import assert from 'node:assert/strict';
import test from 'node:test';
import { phone } from '../../src/schema/members.ts';
import { check } from '../../src/schema/schema-check.ts';

const accepted: readonly string[] = [
  '+4944112345',
  '+1234567',
  '+123456789012345',
  '+15551234567',
  '+999999999999999',
];

for (const text of accepted)
  test(`the telephone number ${text} is accepted`, () => assert.deepEqual(check(phone, text), []));

const refused: readonly string[] = [
  '',
  '+',
  '4944112345',
  '004944112345',
  '+0944112345',
  '+123456',
  '+1234567890123456',
  '++4944112345',
  '+49 441 12345',
  '+49-441-12345',
  '+49(441)12345',
  '+49441.12345',
  '+4944112345x',
  '+4944112345;ext=1',
  ' +4944112345',
  '+4944112345 ',
  '+4944112345\n',
  '\n+4944112345',
  '＋4944112345',
  '+４944112345',
  '+4944112345٣',
  '+49441O2345',
  'tel:+4944112345',
  `+${'1'.repeat(100_000)}`,
];

for (const text of refused) {
  test(`the telephone number ${JSON.stringify(text).slice(0, 30)} is refused`, () =>
    assert.equal(check(phone, text).length, 1));
}

test('the example in the sentence would be right', () => {
  const example = /\+\d+/.exec(check(phone, 'call me now')[0]?.detail ?? '')?.[0] ?? '';
  assert.deepEqual(check(phone, example), []);
});
