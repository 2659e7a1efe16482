// Names of countries in imported tables.
import assert from 'node:assert/strict';
import test from 'node:test';
import { customerRows } from '../../src/features/customers/customers.ts';
import { countryNamed } from '../../src/schema/country-names.ts';
import { countries } from '../../src/schema/iso-codes.ts';

const names = `
  US: USA, U.S.A., us, United States, United States (US), United States of America, Vereinigte Staaten
  GB: UK, England, Großbritannien, Great Britain, United Kingdom (UK), Vereinigtes Königreich
  CZ: Czech Republic, Czechia, Tschechien
  TR: Turkey, Türkiye, Türkei, Tuerkei
  NL: Holland, the Netherlands, Niederlande
  DE: Germany, Deutschland, de, GERMANY
  AT: Austria, Österreich, Oesterreich
  TT: Trinidad and Tobago, Trinidad & Tobago, Trinidad und Tobago
  BA: Bosnia and Herzegovina, Bosnia & Herzegovina, Bosnien und Herzegowina
  LC: Saint Lucia, St. Lucia
  CI: Côte d’Ivoire, Cote d'Ivoire, Ivory Coast
  KR: South Korea, Südkorea, Republic of Korea
  IE: Republic of Ireland`;
for (const line of names.trim().split('\n')) {
  const [code = '', list = ''] = line.trim().split(': ');
  for (const name of list.split(', '))
    test(`${name} is ${code} in a table`, () => {
      const cells = new Map([
        ['name', 'Grace'],
        ['address.line1', 'x'],
        ['address.country', name],
      ]);
      assert.deepEqual(customerRows.objectOf(cells, 'FR'), {
        name: 'Grace',
        address: { line1: 'x', country: code },
      });
    });
}

test('every country is known by its code and its names in English and German', () => {
  for (const code of countries) assert.equal(countryNamed(code), code);
  for (const language of ['en', 'de'])
    for (const code of countries)
      assert.equal(countryNamed(new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? ''), code);
  for (const name of ['', 'Atlantis', 'XX', 'XYZ', 'constructor'])
    assert.equal(countryNamed(name), undefined, name);
});
