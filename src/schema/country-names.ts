// Names of countries, as files have them.
import { countryAliases } from './country-aliases.ts';
import { countries } from './iso-codes.ts';

/** Returns the code of the country with this name or code, in English, German or its own language. */
export const countryNamed = createLookUp();

/** Names of `Intl` take a tenth of the service's start, so they are read when a file first has one. */
function createLookUp(): (text: string) => string | undefined {
  let codes: ReadonlyMap<string, string> | undefined;
  return (text) => {
    if (text.length > nameCharsMax) return undefined;
    codes ??= new Map([
      ...namesOfIntl(),
      ...countryAliases.map((entry) => [entry.slice(0, -3), entry.slice(-2)] as const),
      ...[...countries].map((code) => [code.toLowerCase(), code] as const),
    ]);
    return codes.get(countryKey(text)) ?? codes.get(countryKey(text.replace(longForm, '')));
  };
}

/** No country has a longer name; the pattern need not be safe on long texts. */
const nameCharsMax = 200;

/** Words for what a country is, which may stand around its name: “Iran, Islamic Republic of”, “Kingdom of Spain”, “Republik Österreich”. */
const longForm =
  /[,\(].*\bof(?: the)?\)?$|^(?:(?:federal|islamic|united|plurinational|bolivarian) )?(?:republic|kingdom|state) of |^(?:bundes)?republik |^königreich /iv;

/** The keys of the names in English and German, also with umlauts written out, and their codes. */
export function* namesOfIntl(): Generator<readonly [key: string, code: string]> {
  for (const language of ['en', 'de']) {
    const names = new Intl.DisplayNames(language, { type: 'region' });
    for (const code of countries) {
      const name = names.of(code) ?? code;
      yield [countryKey(name), code];
      yield [countryKey(name.normalize('NFC').replace(/[äöüÄÖÜ]/g, '$&e')), code];
    }
  }
}

/** The letters that decide: “Trinidad & Tobago” is “Trinidad and Tobago”, and “United Kingdom (UK)” has no (UK). */
export function countryKey(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<=\S\s*)\([a-z]{2,3}\)$/v, '')
    .replaceAll(/(?<=\S\s+)(?:and|und|the)(?=\s)|^the\s/gv, '')
    .replaceAll(/\bsaint\b/gv, 'st')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\d]/gv, '');
}
