// What tells a found customer from others with the same name.
import type { Customer } from './api-types.ts';

type Contact = Pick<Customer, 'email' | 'phone' | 'address'>;

/** Returns the phone number if that is what was searched for, else the e-mail address, and the city. */
export function aboutCustomer({ email, phone, address }: Contact, q: string): string {
  const contact = isOfPhone(phone, q) ? phone : (email ?? phone);
  return [contact, address?.city].filter(Boolean).join(' · ');
}

/** Returns whether the query has the digits of the phone number, as people write them. */
export function isOfPhone(phone: string | null, q: string): boolean {
  const digits = q
    .replace(/\(0\)/g, '')
    .replace(/[^\d\p{L}]/gu, '')
    .replace(/^0+/, '');
  return phone !== null && /^\d{3,}$/.test(digits) && phone.includes(digits);
}
