// What customers are called, and what tells one from others with the same name.
import type { Customer, Order } from '../words/api-types.ts';
import { writtenPhone } from '../words/phone-numbers.ts';
import { erasedName } from '../words/statuses.ts';
import { t } from '../words/texts.ts';

/** The shop’s customer for sales without a name; there is one of them, with its name in one of the languages. */
export const walkInNames: readonly string[] = ['Walk-in', 'Laufkundschaft'];
export const walkInName = t('Walk-in');

/** The names that are no person's are said in the console's language. */
export function shownName(name: string): string {
  if (walkInNames.includes(name)) return walkInName;
  return name === erasedName ? t('Erased customer') : name;
}

/** The customer of an order. Users may not see the customers of others. */
export function customerName({ customer, customerId }: Pick<Order, 'customer' | 'customerId'>): string {
  if (customer === undefined || customer === null) return t('Customer {id}', { id: customerId });
  return shownName(customer.name);
}

type Contact = Pick<Customer, 'reference' | 'email' | 'phone' | 'address'>;

/**
 * What tells a customer from others of the same name: own number, e-mail address or phone number, and address.
 * `home` is the shop's country.
 */
export function aboutCustomer(customer: Contact, q: string, home: string | null): string {
  const { reference, address } = customer;
  return [reference, contactText(customer, q, home), address?.line1, address?.city]
    .filter(Boolean)
    .join(' · ');
}

/** Returns the phone number if that is what was searched for, else the e-mail address. */
export function contactText(
  { email, phone }: Pick<Contact, 'email' | 'phone'>,
  q: string,
  home: string | null,
): string {
  if (phone === null) return email ?? '';
  return isOfPhone(phone, q, home) || email === null ? writtenPhone(phone, home) : email;
}

/** Returns whether the query has digits of the phone number, as people write them from abroad or at home. */
export function isOfPhone(phone: string, q: string, home: string | null): boolean {
  const digits = digitsOf(q.replaceAll('(0)', ''));
  return (
    digits !== undefined &&
    [phone, writtenPhone(phone, home)].some((each) => digitsOf(each)?.includes(digits))
  );
}

/** Returns three digits or more, without the zeros before them; undefined if there are letters. */
function digitsOf(text: string): string | undefined {
  const [, digits] = /^0*([1-9]\d{2,})$/.exec(text.replace(/[^\d\p{L}]/gu, '')) ?? [];
  return digits;
}
