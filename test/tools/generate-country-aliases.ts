// Writes src/schema/country-aliases.ts from i18n-iso-countries (MIT), the locales of CLDR (Unicode-3.0), and a list of our
// own: node test/tools/generate-country-aliases.ts
import { writeFileSync } from 'node:fs';
import { countryKey, namesOfIntl } from '../../src/schema/country-names.ts';
import { countries } from '../../src/schema/iso-codes.ts';
import { jsonOf } from './npm-package.ts';

const packages = { names: 'i18n-iso-countries@7.14.0', cldr: 'cldr-localenames-full@48.2.0' } as const;

/** What neither has: parts of countries, former names, names of everyday use, and names that look like another's. */
const own = `
  GB: England, Scotland, Schottland, Wales, Northern Ireland, Nordirland, Britain, Great Britain and Northern Ireland
  US: America, Amerika
  CN: PRC, Volksrepublik China
  TW: Republic of China, Republik China
  KP: Democratic People's Republic of Korea, Korea Democratic People's Republic of, DPRK
  KR: Korea, Republik Korea
  CD: Congo Democratic Republic of the, Congo The Democratic Republic of the, DR Congo, Democratic Republic of Congo
  CG: Congo, Kongo
  RU: Russische Föderation
  NL: Holland
  GR: Hellas
  SK: Slovak Republic
  JP: Nippon
  MM: Burma, Birma
  CV: Cape Verde, Kapverden
  MK: Macedonia, Mazedonien
  BY: Weissrussland
  IE: Republic of Ireland, Eire
  AE: UAE, VAE
  VA: Vatican, Vatikan, Holy See
  MD: Moldau
  LA: Lao PDR
  BL: Saint-Barthélemy
  PF: Tahiti
  VG: Virgin Islands British
  VI: Virgin Islands US
  CH: Suisse, Svizzera
  BE: Belgique
  LU: Luxemburg
  TR: Turkiye
  XK: XKX
  HK: 香港
  MO: 澳門, 澳门
  TW: 台湾
  FR: Metropolitan France, France métropolitaine`;

type Names = Readonly<Record<string, string | readonly string[]>>;

/** Pairs of a code and a name. */
function* publicNames(): Generator<readonly [code: string, name: string]> {
  const [en, de, codes] = jsonOf(packages.names, 'langs/en.json', 'langs/de.json', 'codes.json');
  for (const { countries: all } of [en, de] as { countries: Names }[])
    // the package's form
    for (const [code, known] of Object.entries(all)) for (const name of [known].flat()) yield [code, name];
  for (const [code, alpha3] of codes as [string, string][]) yield [code, alpha3];
  const files = jsonOf(
    packages.cldr,
    'main/en/territories.json',
    'main/de/territories.json',
  ) as Territories[];
  for (const { main } of files)
    for (const { localeDisplayNames } of Object.values(main))
      for (const [code, name] of Object.entries(localeDisplayNames.territories))
        if (code.includes('-alt-')) yield [code.slice(0, 2), name];
}

/** CLDR's form. */
type Territories = {
  readonly main: Record<
    string,
    { readonly localeDisplayNames: { readonly territories: Record<string, string> } }
  >;
};

/** The name of each country in its own language. */
function* ownNames(): Generator<readonly [code: string, name: string]> {
  for (const code of countries) {
    const { baseName } = new Intl.Locale(`und-${code}`).maximize();
    yield [code, new Intl.DisplayNames(baseName, { type: 'region' }).of(code) ?? code];
  }
}

function* listed(): Generator<readonly [code: string, name: string]> {
  for (const line of own.trim().split('\n')) {
    const [code = '', names = ''] = line.trim().split(': ');
    for (const name of names.split(', ')) yield [code, name];
  }
}

/** Keys, the first of two countries' having one name; what `Intl` has is left out. */
function aliases(): string[] {
  const known = new Set([...namesOfIntl()].map(([key]) => key));
  const found = new Map<string, string>();
  for (const [code, name] of [...listed(), ...publicNames(), ...ownNames()]) {
    const key = countryKey(name);
    if (countries.has(code) && !countries.has(key.toUpperCase()) && !known.has(key) && !found.has(key))
      found.set(key, code);
  }
  return [...found].map(([key, code]) => `${key}:${code}`).sort();
}

function wrapped(entries: readonly string[]): string {
  let text = '';
  let length = Infinity;
  for (const entry of entries) {
    const isFull = length + entry.length > 107;
    text += `${isFull ? '\n  ' : ' '}${entry}`;
    length = isFull ? entry.length + 2 : length + entry.length + 1;
  }
  return text;
}

const text = `// Names of countries that \`Intl\` doesn't have in English and German, and the codes of ISO 3166-1 alpha-3. Written by
// test/tools/generate-country-aliases.ts; don't edit. From i18n-iso-countries 7.14.0 (MIT), CLDR 48.2 (Unicode-3.0),
// which also has each country's name in its own language, and a list of the tool's.

export const countryAliases: readonly string[] = \`${wrapped(aliases())}
\`
  .trim()
  .split(/\\s+/);
`;
writeFileSync(new URL('../../src/schema/country-aliases.ts', import.meta.url), text);
