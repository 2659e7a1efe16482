// Writes src/schema/phone-plans.ts and src/console/words/phone-formats.ts from the metadata of google/libphonenumber
// (Apache-2.0), in the package libphonenumber-js (MIT): node test/tools/generate-phone-plans.ts
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { jsonOf } from './npm-package.ts';

const version = '1.13.16';

/** A country, by the positions of the package's format 4; 0 is an absent text. */
type Text = string | 0 | null | undefined;
type Format = readonly [
  pattern: string,
  format: string,
  leading?: string[],
  rule?: Text,
  optional?: unknown,
  abroad?: Text,
];
type Country = readonly [
  callingCode: string,
  internationalPrefix: string,
  pattern: string,
  lengths: readonly number[],
  formats?: readonly Format[] | 0,
  nationalPrefix?: Text,
  rule?: Text,
  prefixForParsing?: Text,
  transform?: Text,
  optional?: unknown,
];
type Metadata = {
  readonly version: number;
  readonly country_calling_codes: Record<string, string[]>;
  readonly countries: Record<string, Country>;
};

/**
 * Prefixes that are no longer dialled, which the metadata has dropped and contacts still have: until 2019 Mexican
 * mobiles were +52 1, and 01, 044 or 045 in Mexico.
 */
const formerPrefixes: Readonly<Record<string, string>> = { MX: '0(?:[12]|4[45])|1' };

/** A country's row: see the head of the generated file. */
function rowOf(name: string, country: Country, main: Country): string {
  const [callingCode, abroad, pattern, lengths, , nationalPrefix, , parsed, transform] = country;
  const prefixForParsing = parsed || formerPrefixes[name];
  const fields = [
    name,
    callingCode,
    pattern,
    lengths
      .filter((length) => length <= 15)
      .map((length) => length.toString(16))
      .join(''),
    nationalPrefix || '',
    prefixForParsing || '',
    transform || '',
    abroad === '00' ? '' : abroad,
    demandOf(prefixForParsing || nationalPrefix || '', main),
  ];
  const row = fields.join('/').replace(/\/+$/, '');
  assert.match(row, /^[^\s;`]+$/, name);
  return row;
}

/**
 * Which numbers the country writes with the prefix: `*` for all, or the pattern of some. Its formats decide, the first
 * that fits; those whose prefix is optional don't write it.
 */
function demandOf(prefix: string, [, , , , formats, nationalPrefix, rule, , , optional]: Country): string {
  if (prefix === '' || new RegExp(`^(?:${prefix})`).exec('')) return '';
  const judged = (formats || []).map((format) => {
    const written = (format[3] || rule || '').replaceAll(/\$\d/g, '');
    const demands = Boolean(nationalPrefix) && /\d/.test(written) && !(format[4] || optional);
    return { demands, fits: fitOf(format) };
  });
  if (judged.every(({ demands }) => !demands)) return '';
  if (judged.every(({ demands }) => demands)) return '*';
  let pattern = '';
  for (const { demands, fits } of judged.reverse()) {
    if (demands) pattern = pattern === '' ? fits : `${fits}|${pattern}`;
    else if (pattern !== '') pattern = `(?!${fits})(?:${pattern})`;
  }
  return pattern;
}

function fitOf([pattern, , leading = []]: Format): string {
  const counts = [...pattern.matchAll(/\\d(?:\{(\d+)(?:,(\d+))?\})?/g)];
  assert.equal(pattern.replaceAll(/\\d(?:\{[\d,]+\})?|[()]/g, ''), '', pattern);
  const least = counts.reduce((sum, [, from = '1']) => sum + Number(from), 0);
  const most = counts.reduce((sum, [, from = '1', to = from]) => sum + Number(to), 0);
  const start = leading.at(-1) ?? '';
  const length = `(?=\\d{${least === most ? least : `${least},${most}`}}$)`;
  return length + (start.includes('|') ? `(?:${start})` : start);
}

/** A calling code's row: see the head of the generated file. Its main country has the formats. */
function formatRowOf(
  callingCode: string,
  names: readonly string[],
  [, , , , formats, , rule]: Country,
): string {
  const fields = (formats || []).flatMap(([pattern, format, leading = [], ownRule, , abroad]) => {
    const home = format.replace(/\$\d/, (group) => (ownRule || rule || '$1').replace('$1', group));
    const shown = abroad || format;
    const texts = [pattern, leading.at(-1) ?? '', shown, home === shown ? '' : home];
    for (const text of texts) assert.doesNotMatch(text, /[\/;_]/, callingCode);
    return texts.map((text) => text.replaceAll('\\d', 'd').replaceAll(' ', '_'));
  });
  return [callingCode, names.join(''), ...fields].join('/');
}

/** Whitespace in the rows means nothing, so that they have lines of a readable length. */
function wrapped(rows: readonly string[]): string {
  return rows
    .map((row) => `${row};`)
    .flatMap((row) => row.match(/.{1,106}/g) ?? [])
    .reduce((text, line) => {
      const length = text.length - text.lastIndexOf('\n') - 1;
      return length + line.length < 108 ? `${text} ${line}` : `${text}\n  ${line}`;
    });
}

/** A module of rows. */
function sourceOf(about: string, fields: string, name: string, rows: readonly string[]): string {
  return `// ${about} Written by test/tools/generate-phone-plans.ts; don't edit.
// From the metadata of google/libphonenumber (Apache-2.0), in libphonenumber-js ${version} (MIT).
${fields}
export const ${name}: readonly (readonly string[])[] = String.raw\`
  ${wrapped(rows)}
\`
  .replaceAll(/\\s/g, '')
  .split(';')
  .slice(0, -1)
  .map((row) => row.split('/'));
`;
}

const plans = 'How phone numbers are dialled in each country.';
const planFields = `\
// A country's fields: its code of ISO 3166-1; its calling code; the pattern of its numbers, without a prefix; their
// possible lengths, as hexadecimal digits; the national prefix; what is removed before a number, if that is more
// than the prefix; what is put in its place; how international calls begin, if not with 00; and which numbers the
// country writes with the prefix: a pattern, or * for all. Blanks mean nothing. The first country of a calling
// code is its main one. Territories without numbers of
// their own (AQ, BV, GS, HM, PN, TF, UM) are missing.
`;
const formats = 'How phone numbers are written in each country.';
const formatFields = `\
// The fields of a calling code: the code; its countries; then for each format the pattern of a number without the
// code (d is a digit), how such numbers begin, how they are written abroad, and at home if that differs (_ is a
// blank). Other blanks mean nothing.
`;

const [metadata] = jsonOf(`libphonenumber-js@${version}`, 'metadata.max.json');
const { version: format, countries, country_calling_codes: codes } = metadata as Metadata; // its types
assert.equal(format, 4);
function countryOf(name: string | undefined = ''): Country {
  const country = countries[name];
  assert(country !== undefined, name);
  return country;
}
const planRows = Object.values(codes).flatMap((names) =>
  names.map((name) => rowOf(name, countryOf(name), countryOf(names[0]))),
);
const formatRows = Object.entries(codes).map(([callingCode, names]) =>
  formatRowOf(callingCode, names, countryOf(names[0])),
);
for (const [path, text] of [
  ['schema/phone-plans.ts', sourceOf(plans, planFields, 'phonePlanRows', planRows)],
  ['console/words/phone-formats.ts', sourceOf(formats, formatFields, 'phoneFormatRows', formatRows)],
] as const)
  writeFileSync(new URL(`../../src/${path}`, import.meta.url), text);
