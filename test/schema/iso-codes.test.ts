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

test('every country code is two capital letters', () => {
  for (const code of countries) assert.match(code, /^[A-Z]{2}$/);
});

for (const code of [
  '',
  'de',
  'De',
  'DEU',
  'D',
  ' DE',
  'UK',
  'EU',
  'AN',
  'CS',
  'SU',
  'YU',
  'ZZ',
  'XX',
  'AA',
  '276',
  'constructor',
]) {
  test(`the country '${code}' is not known`, () => assert.equal(countries.has(code), false));
}

test('the currencies are the 178 codes of ISO 4217 of 2026 without the 13 that have no minor unit', () => {
  assert.equal(currencies.size, 178 - 13);
  for (const code of currencies) assert.match(code, /^[A-Z]{3}$/);
});

for (const code of [
  'EUR',
  'USD',
  'GBP',
  'JPY',
  'CHF',
  'BHD',
  'CLF',
  'UYW',
  'XAF',
  'XOF',
  'XPF',
  'XCD',
  'XCG',
  'XAD',
  'ZWG',
  'SLE',
  'VED',
  'BYN',
  'MRU',
  'STN',
]) {
  test(`the currency ${code} is known`, () => assert.ok(currencies.has(code)));
}

const withdrawn = ['DEM', 'FRF', 'HRK', 'BGN', 'ANG', 'CUC', 'SLL', 'ZWL', 'VEF', 'BYR', 'MRO', 'STD', 'LTL'];
const uncountable = [
  'XAG',
  'XAU',
  'XBA',
  'XBB',
  'XBC',
  'XBD',
  'XDR',
  'XPD',
  'XPT',
  'XSU',
  'XTS',
  'XUA',
  'XXX',
];
for (const code of [
  ...withdrawn,
  ...uncountable,
  '',
  'eur',
  'Eur',
  'EU',
  'EURO',
  ' EUR',
  'BTC',
  'ABC',
  '978',
  'constructor',
]) {
  test(`the currency '${code}' is not known`, () => assert.equal(currencies.has(code), false));
}

test("the platform's currencies are known, except for withdrawn ones and those without a minor unit", () => {
  const except = new Set([...withdrawn, ...uncountable]);
  const missing = Intl.supportedValuesOf('currency').filter(
    (code) => !currencies.has(code) && !except.has(code),
  );
  assert.deepEqual(missing, []);
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
