// Postal codes against the public data, read independently of the table in the source.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { postalCodeIssue, readPostalCode } from '../../../src/features/customers/address.ts';
import { postalCodes } from '../../../src/features/customers/postal-codes.ts';
import { generatedFile, postalCodesSource, readTerritories } from '../../tools/generate-postal-codes.ts';

const territories = readTerritories();
const whole = new Map(
  [...territories].flatMap(([country, { patterns }]) =>
    patterns.length === 0 ? [] : [[country, new RegExp(`^(?:${patterns.join('|')})$`)]],
  ),
);

test('the table of postal codes is what the generator writes', () => {
  assert.equal(readFileSync(generatedFile, 'utf8'), postalCodesSource(territories));
});

test('the table of postal codes has every territory with a pattern and no other', () => {
  assert.deepEqual([...postalCodes.keys()].sort(), [...whole.keys()].sort());
});

for (const [country, { examples, prefix = '' }] of territories) {
  if (examples.length === 0) continue;
  test(`every example of ${country} is kept as it is, in lower case, between blanks and with its prefix too`, () => {
    for (const example of examples)
      for (const sent of [example, ` \t${example.toLowerCase()} `, prefix + example])
        assert.equal(readPostalCode(country, sent), example, sent);
  });
  test(`every example of ${country} is right without its separators, and with full-width digits`, () => {
    for (const example of examples) {
      const wide = example.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
      for (const sent of [example.replaceAll(/[ -]/g, ''), wide, example.replaceAll(/[ -]/g, '\u2011')])
        assert.equal(readPostalCode(country, sent), example, sent);
    }
  });
}

const written: readonly (readonly [country: string, sent: string, kept: string])[] = [
  ['KR', '06236', '06236'],
  ['KR', '110110', '110-110'],
  ['TW', '106409', '106409'],
  ['GB', 'BF1 2AY', 'BF1 2AY'],
  ['GB', 'SW1A  1AA', 'SW1A 1AA'],
  ['GB', 'ec1y8sy', 'EC1Y 8SY'],
  ['GB', 'bfpo1', 'BFPO 1'],
  ['LI', '9498', '9498'],
  ['LI', 'FL-9490', '9490'],
  ['AS', '96799-1234', '96799-1234'],
  ['VN', '70010', '70010'],
  ['KH', '120101', '120101'],
  ['MU', '42602', '42602'],
  ['EG', '4460232', '4460232'],
  ['KZ', 'Z05H9F9', 'Z05H9F9'],
  ['LV', '1010', 'LV-1010'],
  ['LV', 'lv 1010', 'LV-1010'],
  ['PL', '00950', '00-950'],
  ['PL', 'PL 00-950', '00-950'],
  ['PT', '1000205', '1000-205'],
  ['AT', 'A-6020', '6020'],
  ['DE', 'D-26133', '26133'],
  ['DE', 'DE-26133', '26133'],
  ['DE', '26 133', '26133'],
  ['DE', '２６１３３', '26133'],
  ['DE', '٢٦١٣٣', '26133'],
  ['DE', '26133\n', '26133'],
  ['DE', '\u200e26133\u200b', '26133'],
  ['CH', 'CH-8001', '8001'],
  ['FR', 'F-75008', '75008'],
  ['FI', 'FIN-00100', '00100'],
  ['FI', 'FI-00100', '00100'],
  ['AT', 'AT-6020', '6020'],
  ['SE', 'S-114 55', '11455'],
  ['LT', 'LT-10309', '10309'],
  ['IN', '110 034', '110034'],
  ['BR', '01.310-100', '01310-100'],
  ['US', '950141234', '95014-1234'],
  ['US', '95014 – 1234', '95014-1234'],
  ['CA', 'h3z-2y7', 'H3Z 2Y7'],
  ['JP', '〒１５４ー００２３', '154-0023'],
  ['NL', '1234ab', '1234 AB'],
  ['HK', ' a  1 ', 'A 1'],
  ['IE', 'd02 x285', 'D02 X285'],
  ['NL', 'NL-1012 AB', '1012 AB'],
  ['JP', '100−0001', '100-0001'],
  ['SE', '11455', '11455'],
  ['GR', '10431', '104 31'],
  ['CZ', 'CZ-11000', '110 00'],
  ['MD', 'MD2004', '2004'],
  ['MT', 'VLT1117', 'VLT 1117'],
  ['IR', '1193653471', '11936-53471'],
  ['TH', '๑๐๒๐๐', '10200'],
  ['AR', 'c1070aam', 'C1070AAM'],
  ['AZ', 'AZ 1000', '1000'],
  ['KY', 'KY11100', 'KY1-1100'],
  ['TR', '34 000', '34000'],
  ['SA', '12345-6789', '12345-6789'],
  ['SA', '123456789', '12345-6789'],
  ['SA', '١٢٣٤٥', '12345'],
];
for (const [country, sent, kept] of written) {
  test(`the postal code ${JSON.stringify(sent)} of ${country} is kept as ${kept}`, () => {
    assert.equal(readPostalCode(country, sent), kept);
    assert.equal(postalCodeIssue(country, sent), undefined);
  });
}

for (const country of whole.keys()) {
  test(`what an issue says a code of ${country} looks like, passes there`, () => {
    const issue = postalCodeIssue(country, '?') ?? '';
    const [, example = ''] = /looks like (.+)\.$/.exec(issue) ?? [];
    assert.equal(issue, `A postal code of ${country} looks like ${example}.`);
    assert.match(example, whole.get(country) ?? /^$/);
    assert.equal(postalCodeIssue(country, example), undefined);
  });
}

for (const [country, { required }] of territories) {
  test(`an address in ${country} ${required ? 'needs a' : 'needs no'} postal code`, () => {
    if (required)
      assert.match(
        postalCodeIssue(country, null) ?? 'passes',
        new RegExp(`^An address in ${country} needs a postal code, such as `),
      );
    else assert.equal(postalCodeIssue(country, null), undefined);
    assert.notEqual(postalCodeIssue(country, ''), undefined, 'an empty one is none');
  });
}

/** What is no code of the country, however it is written. */
const rejected: readonly (readonly [country: string, code: string])[] = [
  ['DE', '2613'],
  ['DE', '261333'],
  ['DE', 'A6133'],
  ['US', '95014-123'],
  ['GB', 'EC1Y8SYX'],
  ['GB', 'XX1A 1AA'],
  ['LI', '9484'],
  ['FR', 'D-75008'],
  ['DE', '26133 Oldenburg'],
  ['GB', 'SW1A_1AA'],
  ['RU', '10337О'],
  ['LI', '9485x'],
  ['LI', 'x9490'],
  ['IE', 'A65'],
  ['CA', 'D3Z 2Y7'],
  ['HK', 'A_1'],
  ['HK', 'ä'],
  ['HK', '1'.repeat(17)],
  ['__proto__', '#'],
  ['constructor', '#'],
  ['', '#'],
];

for (const [country, code] of rejected) {
  test(`the postal code ${JSON.stringify(code)} is rejected in '${country}'`, () =>
    assert.match(postalCodeIssue(country, code) ?? 'passes', /^A postal code /));
}

for (const code of ['1', 'A-1 B', '1234567890123456', '999077']) {
  test(`a territory without a known pattern accepts ${code}`, () => {
    for (const [country, { patterns }] of territories)
      if (patterns.length === 0) assert.equal(postalCodeIssue(country, code), undefined, country);
  });
}

test('an unknown country is no issue of the postal code', () => {
  for (const country of ['ZZ', 'de', '__proto__', 'constructor', '']) {
    assert.equal(postalCodeIssue(country, '26133'), undefined);
    assert.equal(postalCodeIssue(country, null), undefined);
  }
});
