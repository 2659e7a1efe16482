// The fields of a customer and of an address.
import type { Address, Customer } from './api-types.ts';
import { h } from './elements.ts';
import { countries } from './formats.ts';
import { choice, field, type Field, textOf } from './forms.ts';

const addressMembers = ['line1', 'line2', 'postalCode', 'city', 'region', 'country'] as const;
type Member = 'name' | 'email' | 'phone' | (typeof addressMembers)[number];
export type CustomerFields = {
  readonly rows: readonly HTMLElement[];
  readonly fields: Readonly<Record<Member, Field>>;
};

export function customerFields(pointer = '', customer?: Customer): CustomerFields {
  const of = (label: string, name: string, value: string | null | undefined, autocomplete: string): Field =>
    field({
      label,
      pointer: `${pointer}/${name}`,
      value: value ?? null,
      attributes: { autocomplete: `off ${autocomplete}`.replace(/ .*/, '') },
    });
  const address: Partial<Address> = customer?.address ?? {};
  const country = field({
    label: 'Country',
    pointer: `${pointer}/address/country`,
    control: choice(
      [['', '—'], ...countryChoices()],
      address.country ?? (customer === undefined ? homeCountry() : ''),
    ),
  });
  const fields = {
    name: of('Name', 'name', customer?.name, 'name'),
    email: of('E-mail', 'email', customer?.email, 'email'),
    phone: of('Phone', 'phone', customer?.phone, 'tel'),
    line1: of('Street and number', 'address/line1', address.line1, 'address-line1'),
    line2: of('Second line', 'address/line2', address.line2, 'address-line2'),
    postalCode: of('Postal code', 'address/postalCode', address.postalCode, 'postal-code'),
    city: of('City', 'address/city', address.city, 'address-level2'),
    region: of('Region', 'address/region', address.region, 'address-level1'),
    country,
  };
  return {
    fields,
    rows: [
      h(
        'div',
        { class: 'grid' },
        Object.values(fields).map(({ row }) => row),
      ),
    ],
  };
}

/** The body of the customer; the address is null if all of its lines are empty. */
export function customerBody({ fields }: CustomerFields): object {
  const { name, email, phone } = fields;
  const parts = Object.fromEntries(addressMembers.map((member) => [member, textOf(fields[member])]));
  const hasAddress = addressMembers.some((member) => member !== 'country' && parts[member] !== null);
  const address = hasAddress
    ? { ...parts, line1: parts['line1'] ?? '', city: parts['city'] ?? '', country: parts['country'] ?? '' }
    : null;
  return { name: textOf(name) ?? '', email: textOf(email), phone: textOf(phone), address };
}

function homeCountry(): string {
  return new Intl.Locale(navigator.language).maximize().region ?? '';
}

/** Sorted by name; a country whose name the browser doesn't know has its code. */
function countryChoices(): (readonly [string, string])[] {
  const names = new Intl.DisplayNames(navigator.language, { type: 'region' });
  return countries
    .map((code): [string, string] => [code, names.of(code) ?? code])
    .sort(([, a], [, b]) => a.localeCompare(b));
}
