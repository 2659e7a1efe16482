// Which telephone numbers are accepted, and their form in E.164.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { countries } from '../../src/schema/iso-codes.ts';
import { hasPhonePlan, phone, toE164, sentPhone } from '../../src/schema/phone.ts';
import { schemaIssues } from '../../src/schema/schema-check.ts';
import type { Issue } from '../../src/schema/schema.ts';

type Country = string | undefined;

function issuesIn(country: Country, sent: string): Issue[] {
  return schemaIssues(
    sentPhone(() => country),
    sent,
  );
}

const accepted: readonly (readonly [country: Country, sent: string, kept: string])[] = [
  [undefined, '+4944112345678', '+4944112345678'], // the example of issues
  [undefined, '+4944112345', '+4944112345'],
  [undefined, '+1234567', '+1234567'],
  [undefined, '+123456789012345', '+123456789012345'],
  [undefined, '+49 441 12345', '+4944112345'],
  [undefined, '+49-441-12345', '+4944112345'],
  [undefined, '+49(441)12345', '+4944112345'],
  [undefined, '(+49) 441/123.45', '+4944112345'],
  [undefined, ' +4944112345 ', '+4944112345'],
  [undefined, '+49 (0)441 12345', '+4944112345'],
  [undefined, '+49(0) 441 12345', '+4944112345'],
  [undefined, '+39 (0)6 1234 5678', '+390612345678'],
  ['DE', '+33 1 23 45 67 89', '+33123456789'],
  ['DE', '0441 / 123 45', '+4944112345'],
  ['DE', '(0441) 12345-0', '+49441123450'],
  ['US', '1 (212) 555-0123', '+12125550123'],
  ['DE', '0049 441 12345', '+4944112345'],
  ['DE', '0049 (0)441 12345', '+4944112345'],
  ['DE', '00 39 06 1234 5678', '+390612345678'],
  ['US', '011 49 441 12345', '+4944112345'],
  ['ES', '0034 912 345 678', '+34912345678'],
  ['JP', '010 49 441 12345', '+4944112345'],
  ['RU', '8 10 49 441 12345', '+4944112345'],
  ['AU', '0011 49 441 12345', '+4944112345'],
  ['BR', '00 21 49 441 12345', '+4944112345'],
  ['JM', '876-555-0123', '+18765550123'],
  ['RU', '495 123-45-67', '+74951234567'],
  ['BR', '0 11 91234-5678', '+5511912345678'],
  ['BY', '8 (029) 123-45-67', '+375291234567'],
  ['AU', '1300 123 456', '+611300123456'],
  ['AR', '011 15-4321-1200', '+5491143211200'],
  ['RU', '8 800 555-35-35', '+78005553535'],
  ['RU', '800 555-35-35', '+78005553535'],
  ['AG', '460-1234', '+12684601234'],
  ['JM', '(212) 555-0123', '+12125550123'],
  ['DE', '\u202a0441 12345\u202c', '+4944112345'],
  ['DE', '0441\u00a012345', '+4944112345'],
  ['DE', '0441\u201112345', '+4944112345'],
  ['DE', '0441–12345', '+4944112345'],
  ['JP', '０３ー１２３４−５６７８', '+81312345678'],
  ['EG', '٠١٠٠ ١٢٣ ٤٥٦٧', '+201001234567'],
  [undefined, '\u202a+49 441 12345\u202c', '+4944112345'],
  [undefined, '＋49 ４41 12345', '+4944112345'],
  [undefined, 'tel:+49-441-12345', '+4944112345'],
  [undefined, '+44 07911 123456', '+447911123456'],
  [undefined, '+44 (0)7911 123456', '+447911123456'],
  [undefined, '+34 (0)912 345 678', '+34912345678'],
  [undefined, '+7 (8)495 123-45-67', '+74951234567'],
  [undefined, '+36 (06) 1 123 4567', '+3611234567'],
  [undefined, '+5491143211200', '+5491143211200'],
  ['TR', '532 123 45 67', '+905321234567'],
  ['SA', '٠٥٠١٢٣٤٥٦٧', '+966501234567'],
  ['KZ', '8 (701) 123-45-67', '+77011234567'],
  ['SM', '0549 882312', '+3780549882312'],
  ['BR', '+55 (011) 91234-5678', '+5511912345678'],
  ['DE', '+49 (0) 151 / 123 456 78', '+4915112345678'],
  ['DE', '\u2068+49 151 12345678\u2069', '+4915112345678'],
  ['DE', '0151\u202f12345678', '+4915112345678'],
  [undefined, '+52 1 55 1234 5678', '+525512345678'],
  [undefined, '+52 55 1234 5678', '+525512345678'],
  ['MX', '01 55 1234 5678', '+525512345678'],
  ['MX', '044 55 1234 5678', '+525512345678'],
  ['MX', '1 55 1234 5678', '+525512345678'],
  ['MX', '55 1234 5678', '+525512345678'],
  [undefined, '+390612345678', '+390612345678'],
];
for (const [country, sent, kept] of accepted) {
  test(`${sent} in ${country ?? 'no country'} is ${kept}`, () => {
    assert.deepEqual(issuesIn(country, sent), []);
    assert.equal(toE164(sent, country), kept);
    assert.deepEqual(schemaIssues(phone, kept), []);
  });
}

const rejected: readonly (readonly [country: Country, sent: string, sentence?: RegExp])[] = [
  [undefined, ''],
  [undefined, '+'],
  [undefined, '4944112345'],
  [undefined, '004944112345'],
  [undefined, '0441 12345', /begins with \+ and its calling code.*--default-country/],
  [undefined, '+0944112345', /such as|as in/],
  [undefined, '+123456', /7 to 15 digits/],
  [undefined, '+1234567890123456', /7 to 15 digits/],
  [undefined, '++4944112345'],
  [undefined, '+49+44112345'],
  [undefined, '+4944112345x'],
  [undefined, '+4944112345;ext=1'],
  [undefined, '+4944112345\n'],
  [undefined, '+49\t44112345'],
  [undefined, '\n+4944112345'],
  [undefined, '+49441O2345'],
  [undefined, '+49 441 12345 and some more words'],
  [undefined, `+${'1'.repeat(100_000)}`],
  [undefined, '+49 441 12345 ext. 12', /without an extension/],
  [undefined, '+49 441 12345 x12', /without an extension/],
  [undefined, 'tel:0441-12345;phone-context=+49', /without an extension/],
  ['US', '1-800-FLOWERS'],
  ['US', '310-1234', /10 digits/],
  ['US', '123 456 7890', /10 digits/],
  ['HU', '1 123 4567', /begins with 06/],
  ['AU', '412 345 678', /begins with 0/],
  ['IT', '39 06 1234 5678', /no phone number of IT/],
  ['DE', 'call me', /or a number of DE in its national form/],
  ['DE', '44112345', /begins with 0/],
  ['DE', '0', /7 to 15 digits/],
  ['DE', '()', /begins with 0/],
  ['DE', '++49 441 12345'],
  ['DE', '0441 12345678901234', /7 to 15 digits/],
  ['US', '555-0123', /10 digits/],
  ['DE', '00441 12345', /begins with \+ and its calling code/], // 00 for 0
  ['DE', '00 999 12345678', /begins with \+/],
  ['US', '0049 441 12345', /begins with \+/],
];
for (const [country, sent, sentence = /(such as|as in) \+4944112345678/] of rejected) {
  test(`${JSON.stringify(sent).slice(0, 30)} in ${country ?? 'no country'} is rejected`, () => {
    const issues = issuesIn(country, sent);
    assert.equal(issues.length, 1);
    assert.match(issues[0]?.detail ?? '', sentence);
  });
}

test('every country has a table of its numbers, but those without numbers of their own', () => {
  const missing = [...countries].filter((country) => !hasPhonePlan(country));
  assert.deepEqual(missing, ['AQ', 'BV', 'GS', 'HM', 'PN', 'TF', 'UM']);
});

type Vector = Readonly<Record<'country' | 'type' | 'national' | 'international' | 'e164', string>>;
const source = new URL('../data/phone-numbers.json', import.meta.url);
const { numbers } = JSON.parse(readFileSync(source, 'utf8')) as { numbers: Vector[] }; // the file is ours

for (const { country, type, national, international, e164 } of numbers) {
  test(`the ${type} number ${national} of ${country} is ${e164}, as is ${international}`, () => {
    for (const sent of [national, national.replaceAll(/\D/g, ''), international, e164, `tel:${e164}`]) {
      assert.deepEqual(issuesIn(country, sent), [], sent);
      assert.equal(toE164(sent, country), e164, sent);
    }
    assert.equal(toE164(international, undefined), e164);
  });
}
