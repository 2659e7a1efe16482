// Postal addresses: which postal codes a country has.
import { postalCodes } from './postal-codes.ts';

const postalCodeLengthMax = 16;

/**
 * The sentence that says what would be right, or undefined. Takes the code as `normalPostalCode` gives it,
 * null for none. Where no pattern is known 1–16 letters, digits, blanks and hyphens will do; an unknown
 * country is a fault at `country`, not here.
 */
export function postalCodeIssue(country: string, postalCode: string | null): string | undefined {
  const known = postalCodes.get(country);
  if (postalCode === null) {
    return known?.[2] === 'required'
      ? `An address in ${country} needs a postal code, such as ${known[1]}.`
      : undefined;
  }
  const fits = postalCode.length <= postalCodeLengthMax && (known?.[0] ?? anyCode).test(postalCode);
  if (fits && postalCode !== '') return undefined; // some patterns of the public data match nothing at all
  if (known === undefined)
    return `A postal code must have 1 to ${postalCodeLengthMax} letters A to Z, digits, spaces and hyphens.`;
  return `A postal code of ${country} looks like ${known[1]}.`;
}

const anyCode = /^[A-Z0-9 \-]+$/;

export function normalPostalCode(text: string): string {
  return text.trim().toUpperCase();
}
