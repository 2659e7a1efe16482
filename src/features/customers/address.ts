// A postal address: its schemas, and the check of postal codes by country.
import { country, singleLine } from '../../schema/members.ts';
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
import { postalCodes } from './postal-codes.ts';

const part = (description: string, example: string) => nullable(singleLine(200, description, example));
const postalCode = string({
  maxLength: 32,
  pattern: '^[A-Za-z0-9\\s-]+$',
  mustBe: 'a postal code such as 26133',
  reportsFormatForLength: true,
  examples: ['26133'],
  description: 'In its country’s format; required if the country has postal codes. Trimmed and upper-cased.',
});
const addressMembers = {
  name: part('The recipient, if that is not the customer.', 'c/o Sea & Sand'),
  line1: singleLine(200, 'Street and number.', 'Ammerländer Heerstraße 114'),
  line2: part('Second line of the street address.', '2nd floor'),
  city: singleLine(200, 'Town.', 'Oldenburg'),
  region: part('State, province or county.', 'Niedersachsen'),
  postalCode: nullable(postalCode),
  country,
};

export const Address = named('Address', object(addressMembers));
export type Address = Infer<typeof Address>;

export const NewAddress = named(
  'NewAddress',
  object(
    {
      ...addressMembers,
      name: optional(addressMembers.name),
      line2: optional(addressMembers.line2),
      region: optional(addressMembers.region),
      postalCode: optional(addressMembers.postalCode),
    },
    {},
    [ruleFor({ country, postalCode: optional(addressMembers.postalCode) }, postalCodeIssues)],
  ),
);
export type NewAddress = Infer<typeof NewAddress>;

/** Sets absent members to null, and brings the postal code into its normal form. */
export function normalizeAddress(address: NewAddress | null): Address | null {
  if (address === null) return null;
  const { name = null, line1, line2 = null, city, region = null, postalCode = null, country } = address;
  return {
    name,
    line1,
    line2,
    city,
    region,
    postalCode: postalCode === null ? null : normalPostalCode(postalCode),
    country,
  };
}

type PostalPlace = { readonly country: string; readonly postalCode?: string | null };

function postalCodeIssues({ country, postalCode = null }: PostalPlace): Issue[] {
  const detail = postalCodeIssue(country, postalCode === null ? null : normalPostalCode(postalCode));
  return detail === undefined ? [] : [{ pointer: '/postalCode', code: 'postal-code', detail }];
}

const postalCodeLengthMax = 16;

/**
 * Returns a sentence that describes a valid code, or undefined if the code is valid. `postalCode` is a result
 * of `normalPostalCode`, or null. If the country has no known pattern, 1–16 letters, digits, blanks and
 * hyphens are valid. An unknown country is an issue of `country`, not of the postal code.
 */
export function postalCodeIssue(country: string, postalCode: string | null): string | undefined {
  const entry = postalCodes.get(country);
  if (postalCode === null) {
    if (entry?.[2] !== 'required') return undefined;
    return `An address in ${country} needs a postal code, such as ${entry[1]}.`;
  }
  const matches = postalCode.length <= postalCodeLengthMax && (entry?.[0] ?? anyCode).test(postalCode);
  if (matches && postalCode !== '') return undefined; // some patterns match the empty text
  if (entry === undefined)
    return `A postal code must have 1 to ${postalCodeLengthMax} letters A to Z, digits, spaces and hyphens.`;
  return `A postal code of ${country} looks like ${entry[1]}.`;
}

const anyCode = /^[A-Z0-9 \-]+$/;

export function normalPostalCode(text: string): string {
  return text.trim().toUpperCase();
}
