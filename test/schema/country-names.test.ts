// Names of countries in imported tables.
import assert from 'node:assert/strict';
import test from 'node:test';
import { customerRows } from '../../src/features/customers/customers.ts';
import { countryNamed } from '../../src/schema/country-names.ts';
import { countries } from '../../src/schema/iso-codes.ts';

const names = `
  US: USA, U.S.A., us, United States, United States (US), United States of America, Vereinigte Staaten
  GB: UK, England, Großbritannien, Great Britain, United Kingdom (UK), Vereinigtes Königreich, GBR
  CZ: Czech Republic, Czechia, Tschechien, CZE
  TR: Turkey, Türkiye, Türkei
  NL: Holland, the Netherlands, Niederlande, NLD
  DE: Germany, Deutschland, DEU, de, GERMANY
  AT: Austria, Österreich, Osterreich
  TT: Trinidad and Tobago, Trinidad & Tobago, Trinidad und Tobago
  BA: Bosnia and Herzegovina, Bosnia & Herzegovina, Bosnien und Herzegowina
  LC: Saint Lucia, St. Lucia
  CI: Côte d’Ivoire, Cote d'Ivoire, Ivory Coast
  HK: Hong Kong
  KR: South Korea, Südkorea, KOR, Republic of Korea, 대한민국
  KP: North Korea, Democratic People's Republic of Korea
  CN: China, People's Republic of China, PRC, 中国
  IR: Iran, Islamic Republic of Iran
  BO: Bolivia, Bolivia (Plurinational State of)
  SY: Syrian Arab Republic
  LA: Lao People's Democratic Republic, Laos
  VC: Saint Vincent and the Grenadines
  DE: Federal Republic of Germany, Bundesrepublik Deutschland
  ES: Kingdom of Spain, España
  AT: Republik Österreich, Oesterreich
  TR: Tuerkei
  DK: Daenemark, Danmark
  JP: 日本
  RU: Россия, Russian Federation
  GR: Ελλάδα
  CD: Democratic Republic of the Congo
  CG: Republic of the Congo, Congo
  IE: Republic of Ireland
  VI: Virgin Islands US`;
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

for (const [name, code] of [
  ['Iran, Islamic Republic of', 'IR'],
  ['Korea, Republic of', 'KR'],
  ["Korea, Democratic People's Republic of", 'KP'],
  ['Bolivia, Plurinational State of', 'BO'],
  ['Venezuela, Bolivarian Republic of', 'VE'],
  ['Tanzania, United Republic of', 'TZ'],
  ['Moldova, Republic of', 'MD'],
  ['Micronesia, Federated States of', 'FM'],
  ['Palestine, State of', 'PS'],
  ['Taiwan, Province of China', 'TW'],
  ['Republic of China', 'TW'],
  ['Congo, Democratic Republic of the', 'CD'],
  ['Macedonia, the former Yugoslav Republic of', 'MK'],
  ['Virgin Islands, British', 'VG'],
  ['Republic of Atlantis', undefined],
  ['Germany, Berlin', undefined],
] as const)
  test(`the long name ${name} is ${code ?? 'no country'}`, () => assert.equal(countryNamed(name), code));

test('every country is known by its code and its names in English and German', () => {
  for (const code of countries) assert.equal(countryNamed(code), code);
  for (const language of ['en', 'de'])
    for (const code of countries)
      assert.equal(countryNamed(new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? ''), code);
  for (const [name, code] of [
    ['AND', 'AD'],
    ['CHE', 'CH'],
    ['XKX', 'XK'],
    ['ZWE', 'ZW'],
  ] as const)
    assert.equal(countryNamed(name), code, name);
  for (const name of ['', 'Atlantis', 'XX', 'XYZ', 'constructor'])
    assert.equal(countryNamed(name), undefined, name);
});
