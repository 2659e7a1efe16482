// Postal codes against the public data, read independently of the table in the source.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { normalPostalCode, postalCodeIssue } from '../../../src/features/customers/address.ts';
import { postalCodes } from '../../../src/features/customers/postal-codes.ts';
import { generatedFile, postalCodesSource, readTerritories } from '../../tools/generate-postal-codes.ts';

const territories = readTerritories();
const whole = new Map(
  [...territories].flatMap(([country, { pattern }]) =>
    pattern === null ? [] : [[country, new RegExp(`^(?:${pattern})$`)]],
  ),
);

test('the table of postal codes is what the generator writes', () => {
  assert.equal(readFileSync(generatedFile, 'utf8'), postalCodesSource(territories));
});

test('the table of postal codes has every territory with a pattern and no other', () => {
  assert.deepEqual([...postalCodes.keys()].sort(), [...whole.keys()].sort());
});

for (const [country, { examples }] of territories) {
  if (examples.length === 0) continue;
  test(`every example of ${country} passes there, in lower case and between blanks too`, () => {
    for (const example of examples) {
      assert.equal(postalCodeIssue(country, example), undefined, example);
      assert.equal(
        postalCodeIssue(country, normalPostalCode(` \t${example.toLowerCase()} `)),
        undefined,
        example,
      );
    }
  });
  test(`every example of ${country} is invalid wherever the public pattern doesn't match it`, () => {
    for (const example of examples) {
      const others = [...whole].filter(([, pattern]) => !pattern.test(example));
      assert.ok(others.length > 0, example);
      for (const [other] of others)
        assert.match(postalCodeIssue(other, example) ?? `passes in ${other}`, / looks like /, example);
    }
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

const rejected: readonly (readonly [country: string, code: string])[] = [
  ['DE', '2613'],
  ['DE', '261333'],
  ['DE', 'A6133'],
  ['DE', '26133\n'],
  ['DE', '26 133'],
  ['DE', ' 26133'],
  ['DE', '２６１３３'],
  ['DE', '٢٦١٣٣'],
  ['US', '95014-123'],
  ['US', '9501-41234'],
  ['US', '95014--1234'],
  ['US', '950141234'],
  ['GB', 'EC1Y8SYX'],
  ['GB', 'XX1A 1AA'],
  ['GB', 'ec1y 8sy'],
  ['GB', 'EC1Y  8SY'],
  ['LI', '9484'],
  ['LI', '9498'],
  ['LI', '9485x'],
  ['LI', 'x9490'],
  ['IE', 'A65'],
  ['IE', 'B65 F4E2'],
  ['CA', 'H3Z-2Y7'],
  ['CA', 'D3Z 2Y7'],
  ['HK', 'A_1'],
  ['HK', 'ä'],
  ['HK', 'abc'],
  ['HK', '1'.repeat(17)],
  ['HK', '1\n'],
  ['HK', '1\u00a01'],
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
    for (const [country, { pattern }] of territories)
      if (pattern === null) assert.equal(postalCodeIssue(country, code), undefined, country);
  });
}

test('an unknown country is no issue of the postal code', () => {
  for (const country of ['ZZ', 'de', '__proto__', 'constructor', '']) {
    assert.equal(postalCodeIssue(country, '26133'), undefined);
    assert.equal(postalCodeIssue(country, null), undefined);
  }
});
