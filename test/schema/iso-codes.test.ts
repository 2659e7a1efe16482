// Which codes of countries and currencies are known.
import assert from 'node:assert/strict';
import test from 'node:test';
import { readFileSync } from 'node:fs';
import { currencyDigits } from '../../src/schema/decimal.ts';
import { countries, currencies, withdrawnCurrencies } from '../../src/schema/iso-codes.ts';
import { readTerritories } from '../tools/generate-postal-codes.ts';

test('the countries are the territories of the postal data: the 249 of ISO 3166-1, and AC, TA and XK', () => {
  assert.deepEqual([...countries].sort(), [...readTerritories().keys()].sort());
  assert.equal(countries.size, 249 + 3);
  for (const code of ['AC', 'TA', 'XK']) assert.ok(countries.has(code), code);
});

type ByDigits = Readonly<Record<string, string>>;
const { listOne, jdkOnly } = JSON.parse(
  readFileSync(new URL('../data/currency-digits.json', import.meta.url), 'utf8'),
) as { readonly listOne: ByDigits; readonly jdkOnly: ByDigits }; // our own file
const codesOf = (digits: ByDigits): string[] => Object.values(digits).flatMap((codes) => codes.split(' '));

for (const [what, digits] of Object.entries({ listOne, jdkOnly }))
  test(`amounts have the digits of the public tables: ${what}`, () => {
    for (const [count, codes] of Object.entries(digits))
      for (const code of codes.split(' '))
        if (currencies.has(code) || withdrawnCurrencies.has(code))
          assert.equal(currencyDigits(code), Number(count), code);
  });

test('the currencies are those of list one of 2024-06-25, but for the amendments since', () => {
  const before = codesOf(listOne);
  const added = [...currencies].filter((code) => !before.includes(code));
  const gone = before.filter((code) => !currencies.has(code));
  assert.deepEqual(
    [added, gone.sort()],
    [
      ['XAD', 'XCG'],
      ['ANG', 'BGN', 'CUC'],
    ],
  );
  for (const code of gone) assert.ok(withdrawnCurrencies.has(code), code);
});

test('every withdrawn currency that a JDK knows is known', () => {
  const known = (code: string): boolean => currencies.has(code) || withdrawnCurrencies.has(code);
  assert.deepEqual(
    codesOf(jdkOnly).filter((code) => !known(code)),
    [],
  );
});
