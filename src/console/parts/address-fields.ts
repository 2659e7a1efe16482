// The fields of an address. A second line, and a region where the country has none, are there once they are asked for.
import { hasRegion } from './address-order.ts';
import type { Address } from './api-types.ts';
import { button, h } from './elements.ts';
import { countries } from './formats.ts';
import { shopOfPage } from './page-text.ts';
import { choice, field, type Field, textOf } from './forms.ts';
import { browserLocale, language, locale } from './language.ts';
import { t } from './texts.ts';

const labels = {
  name: t('Recipient, if another'),
  line1: t('Street and number'),
  line2: t('Second line'),
  postalCode: t('Postal code'),
  city: t('City'),
  region: t('Region'),
} as const;
type Member = keyof typeof labels;
const rare = ['line2', 'region'] as const;
const addressMembers = Object.keys(labels) as Member[]; // a literal has no other keys

/**
 * Chromium offers to save an address that is typed, whatever `off` says, as if it were that of who types. It takes a
 * field with this token for none of an address.
 */
const noAddress = { autocomplete: 'transaction-amount' };

export class AddressFields {
  readonly elements: readonly HTMLElement[];
  readonly #fields: Readonly<Record<Member, Field>>;
  readonly #country: Field;
  readonly #more = h(
    'p.field',
    button(t('More fields'), () => this.#ask()),
  );

  /** `pointer` is the place of the address in the request: `/shippingAddress`. */
  constructor(pointer: string) {
    const fieldOf = (member: Member): Field =>
      field({ label: labels[member], pointer: `${pointer}/${member}`, attributes: noAddress });
    this.#fields = {
      name: fieldOf('name'),
      line1: fieldOf('line1'),
      line2: fieldOf('line2'),
      postalCode: fieldOf('postalCode'),
      city: fieldOf('city'),
      region: fieldOf('region'),
    };
    const control = choice([['', '—'], ...countryChoices()]);
    this.#country = field({ label: t('Country'), pointer: `${pointer}/country`, control });
    const all = [...Object.values(this.#fields), this.#country].map(({ element }) => element);
    this.elements = [...all, this.#more];
    control.addEventListener('change', () => this.#show());
    for (const member of rare) this.#fields[member].control.addEventListener('input', () => this.#show());
    this.fill(null);
  }

  /** Null empties the fields, except for the country, which becomes that of the shop or the browser's locale. */
  fill(address: Address | null): void {
    for (const member of addressMembers) this.#fields[member].control.value = address?.[member] ?? '';
    this.#country.control.value = address?.country ?? homeCountry();
    for (const member of rare) this.#fields[member].element.hidden = true;
    this.#show();
  }

  #ask(): void {
    for (const member of rare) this.#fields[member].element.hidden = false;
    this.#more.hidden = true;
    this.#fields.line2.control.focus();
  }

  /** What holds something is shown, and stays. */
  #show(): void {
    const isOfCountry = { line2: false, region: hasRegion(this.#country.control.value) };
    for (const member of rare) {
      const { element, control } = this.#fields[member];
      if (isOfCountry[member] || control.value !== '') element.hidden = false;
    }
    this.#more.hidden = rare.every((member) => !this.#fields[member].element.hidden);
  }

  isSame(address: Address | null): boolean {
    const texts = addressMembers.map((member) => textOf(this.#fields[member]));
    return (
      address !== null &&
      texts.every((text, index) => text === address[addressMembers[index] ?? 'name']) &&
      this.#country.control.value === address.country
    );
  }

  /** Returns null if all fields except the country are empty. */
  read(): object | null {
    const texts = addressMembers.map((member) => [member, textOf(this.#fields[member])] as const);
    if (texts.every(([, text]) => text === null)) return null;
    const { line1, city, ...others } = Object.fromEntries(texts);
    return { ...others, line1: line1 ?? '', city: city ?? '', country: textOf(this.#country) ?? '' };
  }
}

export function homeCountry(): string {
  const { country } = shopOfPage();
  if (country !== null) return country;
  // whoever chose German in an English browser is hardly in America; English alone says nothing of a country
  const isForeign = language !== 'en' && locale === `${language}-001`;
  return new Intl.Locale(isForeign ? language : browserLocale).maximize().region ?? '';
}

/** Returns the countries sorted by name, or by code if the browser has no name. */
export function countryChoices(): (readonly [string, string])[] {
  const names = new Intl.DisplayNames(locale, { type: 'region' });
  return countries
    .map((code): [string, string] => [code, names.of(code) ?? code])
    .sort(([, a], [, b]) => a.localeCompare(b));
}
