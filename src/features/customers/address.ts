// A postal address: its schemas, and the check of postal codes by country.
import type { CsvMember } from '../../base/csv.ts';
import { country, directionIssue, singleLine } from '../../schema/members.ts';
import { dashes, plainText } from '../../schema/plain-text.ts';
import {
  named,
  nullable,
  object,
  optional,
  ruleFor,
  string,
  type Infer,
  type Issue,
} from '../../schema/schema.ts';
import * as column from '../../storage/table.ts';
import { postalCodes } from './postal-codes.ts';

const part = (description: string, example: string) => nullable(singleLine(200, description, example));
const postalCode = string({
  maxLength: 32,
  pattern: '^[A-Za-z0-9\\s-]+$',
  examples: ['26133'],
  description: 'In its country’s format.',
});
const sentPostalCode = string({
  maxLength: 32,
  pattern: '\\S',
  mustBe: 'a postal code such as 26133',
  reportsFormatForLength: true,
  examples: ['26133'],
  description:
    'As its country writes it; required if the country has postal codes. Letters and digits count: ' +
    'separators are set, and a printed prefix such as `D-` is removed.',
});
const recipientIs = 'The recipient, if that is not the customer.';
const sentRecipient = nullable(singleLine(200, recipientIs, 'c/o Sea & Sand', directionIssue));
const addressMembers = {
  name: part(recipientIs, 'c/o Sea & Sand'),
  line1: singleLine(200, 'Street and number.', 'Ammerländer Heerstraße 114'),
  line2: part('Second line of the street address.', '2nd floor'),
  city: singleLine(200, 'Town.', 'Oldenburg'),
  region: part('State, province or county.', 'Niedersachsen'),
  postalCode: nullable(postalCode),
  country,
};

export const Address = named('Address', object(addressMembers));
export type Address = Infer<typeof Address>;

const sentMembers = {
  ...addressMembers,
  name: optional(sentRecipient),
  line2: optional(addressMembers.line2),
  region: optional(addressMembers.region),
  postalCode: optional(nullable(sentPostalCode)),
};
const { postalCode: sentCode } = sentMembers;
const NewAddress = named(
  'NewAddress',
  object(sentMembers, {}, [ruleFor({ country, postalCode: sentCode }, postalCodeIssues)]),
);
type NewAddress = Infer<typeof NewAddress>;

/** Sets absent members to null, and brings the postal code into its normal form. */
function normalizeAddress(address: NewAddress | null): Address | null {
  if (address === null) return null;
  const { country, postalCode = null } = address;
  const code = postalCode === null ? null : (readPostalCode(country, postalCode) ?? postalCode);
  const given: Readonly<Record<string, unknown>> = { ...address, postalCode: code };
  return Object.fromEntries(parts.map((name) => [name, given[name] ?? null])) as Address; // each of its members
}

const parts = Object.keys(addressMembers) as (keyof Address)[]; // the members of `Address`

/** A column for each member: `address.line1` and so on. */
export const addressCells: CsvMember = {
  parts: parts.map((name) => `.${name}`),
  write: (address: Address) => parts.map((name) => address[name]),
};

/** An address of an object, or null. */
export const addressMember = {
  shown: nullable(Address),
  sent: optional(nullable(NewAddress)),
  normal: normalizeAddress,
  column: column.nullableColumn(column.jsonColumn<Address>()),
  cell: addressCells,
};

type PostalPlace = { readonly country: string; readonly postalCode?: string | null };

function postalCodeIssues({ country, postalCode = null }: PostalPlace): Issue[] {
  const detail = postalCodeIssue(country, postalCode);
  return detail === undefined ? [] : [{ pointer: '/postalCode', code: 'postal-code', detail }];
}

const postalCodeLengthMax = 16;

/**
 * Returns a sentence that describes a valid code, or undefined if the code is valid. An unknown country is an
 * issue of `country`, not of the postal code.
 */
export function postalCodeIssue(country: string, postalCode: string | null): string | undefined {
  const [, examples = '', required] = postalCodes.get(country) ?? [];
  const [example = ''] = examples.split(', ');
  if (postalCode === null)
    return required === undefined
      ? undefined
      : `An address in ${country} needs a postal code, such as ${example}.`;
  if (readPostalCode(country, postalCode) !== undefined) return undefined;
  if (example === '')
    return `A postal code must have 1 to ${postalCodeLengthMax} letters A to Z, digits, spaces and hyphens.`;
  const zerosAdded = /^\d{3,}$/.test(postalCode) ? postalCode.padStart(example.length, '0') : '';
  const right = readPostalCode(country, zerosAdded) ?? example; // spreadsheets drop zeros in front
  return `A postal code of ${country} looks like ${right}.`;
}

/**
 * Returns the code as its country writes it: its letters and digits decide. If the country has no known pattern,
 * 1–16 letters, digits, blanks and hyphens are valid.
 */
export function readPostalCode(country: string, text: string): string | undefined {
  const plain = plainText(text).replaceAll(dashes, '-').trim().toUpperCase();
  const entry = postalCodes.get(country);
  if (entry === undefined) {
    const code = plain.replaceAll(/\s+/g, ' ');
    return code.length <= postalCodeLengthMax && /^[A-Z\d \-]+$/.test(code) ? code : undefined;
  }
  const signs = plain.replace(/^〒/, '').replaceAll(/[\s.\-]/g, '');
  if (!/^[A-Z\d]+$/.test(signs) || signs.length > postalCodeLengthMax) return undefined;
  const [pattern, examples] = entry;
  for (const each of [signs, ...withoutPrintedPrefixes(country, signs), withCountry(country, signs)])
    for (const form of formsOf(each, examples.split(', '))) if (pattern.test(form)) return form;
  return undefined;
}

/** What is printed before codes in addresses, besides the code of the country: its sign on vehicles, or its name. */
const printedPrefixes: ReadonlyMap<string, readonly string[]> = new Map(
  'AT:A BE:B DE:D EE:EST ES:E FI:FIN,SF FR:F HU:H IE:IRL IT:I LI:FL LU:L NO:N PT:P SE:S SG:S,SINGAPORE SI:SLO SM:RSM VA:V'
    .split(' ')
    .map((entry) => [entry.slice(0, 2), entry.slice(3).split(',')] as const),
);

/** Returns what each prefix leaves, since one may begin as another, such as FIN as FI. */
function withoutPrintedPrefixes(country: string, signs: string): string[] {
  return [country, ...(printedPrefixes.get(country) ?? [])]
    .filter((prefix) => signs.startsWith(prefix))
    .map((prefix) => signs.slice(prefix.length));
}

/** In some countries, such as Latvia, postal codes begin with the country's code. */
function withCountry(country: string, signs: string): string {
  return /^\d+$/.test(signs) ? country + signs : signs;
}

/** The letters and digits as in the examples, then with a separator at each place, as the pattern may have it. */
function* formsOf(signs: string, examples: readonly string[]): Generator<string> {
  for (const example of examples) {
    let taken = 0;
    const shaped = example.replaceAll(/[A-Z\d]/g, () => {
      taken += 1;
      return signs.charAt(taken - 1);
    });
    if (taken === signs.length) yield shaped;
  }
  for (const separator of ['-', ' '])
    for (let place = 1; place < signs.length; place++)
      yield signs.slice(0, place) + separator + signs.slice(place);
  yield signs;
}
