// Names of countries, as files have them.
import { countries } from './iso-codes.ts';

/** What people write besides the names of `Intl`. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  AE: ['UAE'],
  CI: ['Ivory Coast'],
  CZ: ['Czech Republic', 'Tschechische Republik'],
  GB: ['UK', 'Great Britain', 'England', 'Scotland', 'Wales', 'Northern Ireland', 'Großbritannien'],
  IE: ['Republic of Ireland'],
  KR: ['Korea', 'Republic of Korea'],
  NL: ['Holland'],
  RU: ['Russian Federation'],
  TR: ['Turkey'],
  US: ['USA', 'United States of America', 'Vereinigte Staaten von Amerika'],
};

/** Returns the code of the country with this code, or with this name in English or German. */
export const countryNamed = createLookUp();

/** Names of `Intl` take a tenth of the service's start, so they are read when a file first has one. */
function createLookUp(): (text: string) => string | undefined {
  let codes: ReadonlyMap<string, string> | undefined;
  return (text) => {
    if (text.length > nameCharsMax) return undefined;
    codes ??= new Map(allNames());
    return codes.get(countryKey(text));
  };
}

/** No country has a longer name. */
const nameCharsMax = 200;

/** Yields the keys of all names and codes, and their codes. */
function* allNames(): Generator<readonly [key: string, code: string]> {
  for (const [code, names] of Object.entries(otherNames))
    for (const name of names) yield [countryKey(name), code];
  for (const language of ['en', 'de']) {
    const names = new Intl.DisplayNames(language, { type: 'region' });
    for (const code of countries) yield [countryKey(names.of(code) ?? code), code];
  }
  for (const code of countries) yield [code.toLowerCase(), code];
}

/** The letters that decide: “Trinidad & Tobago” is “Trinidad and Tobago”, and “United Kingdom (UK)” has no (UK). */
function countryKey(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/[äöü]/gi, '$&e') // as in Oesterreich
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<=\S\s*)\([a-z]{2,3}\)$/v, '')
    .replaceAll(/(?<=\S\s+)(?:and|und|the)(?=\s)|^the\s/gv, '')
    .replaceAll(/\bsaint\b/gv, 'st')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\d]/gv, '');
}
