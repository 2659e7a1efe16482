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

/** What is kept, and what is sent for it. */
const written: readonly (readonly [country: string, kept: string, sent: string])[] = [
  ['KR', '06236', '06236'],
  ['KR', '110-110', '110110'],
  ['TW', '106409', '106409'],
  ['GB', 'BF1 2AY', 'BF1 2AY'],
  ['GB', 'SW1A 1AA', 'SW1A  1AA'],
  ['GB', 'EC1Y 8SY', 'ec1y8sy'],
  ['GB', 'BFPO 1', 'bfpo1'],
  ['LI', '9498', '9498'],
  ['LI', '9490', 'FL-9490'],
  ['AS', '96799-1234', '96799-1234'],
  ['VN', '70010', '70010'],
  ['KH', '120101', '120101'],
  ['MU', '42602', '42602'],
  ['EG', '4460232', '4460232'],
  ['KZ', 'Z05H9F9', 'Z05H9F9'],
  ['LV', 'LV-1010', '1010|lv 1010'],
  ['PL', '00-950', '00950|PL 00-950'],
  ['PT', '1000-205', '1000205'],
  ['AT', '6020', 'A-6020|AT-6020'],
  ['DE', '26133', 'D-26133|DE-26133|26 133|２６１３３|٢٦١٣٣|26133\n|\u200e26133\u200b'],
  ['CH', '8001', 'CH-8001'],
  ['FR', '75008', 'F-75008'],
  ['FI', '00100', 'FIN-00100|FI-00100'],
  ['SE', '11455', 'S-114 55|11455'],
  ['LT', '10309', 'LT-10309'],
  ['IN', '110034', '110 034'],
  ['BR', '01310-100', '01.310-100'],
  ['US', '95014-1234', '950141234|95014 – 1234'],
  ['CA', 'H3Z 2Y7', 'h3z-2y7'],
  ['JP', '154-0023', '〒１５４ー００２３'],
  ['NL', '1234 AB', '1234ab'],
  ['HK', 'A 1', ' a  1 '],
  ['IE', 'D02 X285', 'd02 x285'],
  ['NL', '1012 AB', 'NL-1012 AB'],
  ['JP', '100-0001', '100−0001'],
  ['GR', '104 31', '10431'],
  ['CZ', '110 00', 'CZ-11000'],
  ['MD', '2004', 'MD2004'],
  ['MT', 'VLT 1117', 'VLT1117'],
  ['IR', '11936-53471', '1193653471'],
  ['TH', '10200', '๑๐๒๐๐'],
  ['AR', 'C1070AAM', 'c1070aam'],
  ['AZ', '1000', 'AZ 1000'],
  ['KY', 'KY1-1100', 'KY11100'],
  ['SG', '018956', 'Singapore 018956|S018956'],
  ['TR', '34000', '34 000'],
  ['SA', '12345-6789', '12345-6789|123456789'],
  ['SA', '12345', '١٢٣٤٥'],
];
for (const [country, kept, sent] of written)
  test(`the postal code ${kept} of ${country} is kept for ${JSON.stringify(sent)}`, () => {
    for (const code of sent.split('|')) {
      assert.equal(readPostalCode(country, code), kept, code);
      assert.equal(postalCodeIssue(country, code), undefined, code);
    }
  });

for (const country of whole.keys()) {
  test(`what an issue says a code of ${country} looks like, passes there`, () => {
    const issue = postalCodeIssue(country, '?') ?? '';
    const [, example = ''] = /looks like (.+)\.$/.exec(issue) ?? [];
    assert.equal(issue, `A postal code of ${country} looks like ${example}.`);
    assert.match(example, whole.get(country) ?? /^$/);
    assert.equal(postalCodeIssue(country, example), undefined);
  });
}

for (const [country, code, whole] of [
  ['DE', '1067', '01067'],
  ['US', '2134', '02134'],
  ['PR', '901', '00901'],
  ['FR', '1000', '01000'],
  ['RU', '10337', '010337'],
  ['DE', '1', '26133'],
] as const)
  test(`the issue of ${code} in ${country} names the zeros in front that a spreadsheet has dropped`, () => {
    assert.equal(postalCodeIssue(country, code), `A postal code of ${country} looks like ${whole}.`);
  });

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
const rejected: Readonly<Record<string, readonly string[]>> = {
  DE: ['2613', '261333', 'A6133', '26133 Oldenburg'],
  US: ['95014-123'],
  GB: ['EC1Y8SYX', 'XX1A 1AA', 'SW1A_1AA'],
  LI: ['9484', '9485x', 'x9490'],
  FR: ['D-75008'],
  RU: ['10337О'],
  IE: ['A65'],
  CA: ['D3Z 2Y7'],
  HK: ['A_1', 'ä', '1'.repeat(17)],
};
for (const [country, codes] of Object.entries(rejected))
  test(`postal codes that ${country} does not have are rejected`, () => {
    for (const code of codes)
      assert.match(postalCodeIssue(country, code) ?? 'passes', /^A postal code /, code);
  });

test('a territory without a known pattern, or that there is not, accepts what looks like a code', () => {
  const without = [...territories].filter(([, { patterns }]) => patterns.length === 0);
  for (const country of [...without.map(([name]) => name), '__proto__', 'constructor', '']) {
    for (const code of ['1', 'A-1 B', '1234567890123456', '999077'])
      assert.equal(postalCodeIssue(country, code), undefined, country);
    assert.match(postalCodeIssue(country, '#') ?? 'passes', /^A postal code /, country);
  }
});

test('an unknown country is no issue of the postal code', () => {
  for (const country of ['ZZ', 'de', '__proto__', 'constructor', '']) {
    assert.equal(postalCodeIssue(country, '26133'), undefined);
    assert.equal(postalCodeIssue(country, null), undefined);
  }
});
