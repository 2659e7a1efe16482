// Which telephone numbers are accepted.
import assert from 'node:assert/strict';
import test from 'node:test';
import { phoneFault } from '../../src/schema/phone.ts';

const accepted: readonly string[] = ['+4944112345', '+1234567', '+123456789012345', '+15551234567', '+999999999999999'];

for (const text of accepted) test(`the telephone number ${text} is accepted`, () => assert.equal(phoneFault(text), undefined));

const refused: readonly string[] = [
  '', '+', '4944112345', '004944112345', '+0944112345', '+123456', '+1234567890123456', '++4944112345', '+49 441 12345', '+49-441-12345',
  '+49(441)12345', '+49441.12345', '+4944112345x', '+4944112345;ext=1', ' +4944112345', '+4944112345 ', '+4944112345\n', '\n+4944112345',
  '＋4944112345', '+４944112345', '+4944112345٣', '+49441O2345', 'tel:+4944112345', `+${'1'.repeat(100_000)}`,
];

for (const text of refused) {
  test(`the telephone number ${JSON.stringify(text).slice(0, 30)} is refused`, () => assert.match(phoneFault(text) ?? 'accepted', /7 to 15 digits/));
}

test('the example in the sentence would be right', () => {
  const example = /\+\d+/.exec(phoneFault('') ?? '')?.[0] ?? '';
  assert.equal(phoneFault(example), undefined);
});
