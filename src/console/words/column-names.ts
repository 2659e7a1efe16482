// The shop's words for the members of the API, in files, histories and what forms say.
import { type Payment, type Role, statuses } from './api-types.ts';
import { t } from './texts.ts';

/** What the service calls a member or a column. Deliveries have columns for an address, too. */
const columnNames: Readonly<Record<string, string>> = {
  id: t('Number'),
  status: t('Status'),
  payment: t('Payment'),
  customerId: t('Customer number'),
  'customer.name': t('Customer'),
  userId: t('Account'),
  currency: t('Currency'),
  note: t('Note'),
  metadata: t('Notes of programs'),
  total: t('Total'),
  items: t('Items'),
  'items.number': t('Line'),
  'items.sku': t('SKU'),
  'items.name': t('Item'),
  'items.quantity': t('Quantity'),
  'items.unitPrice': t('Price'),
  'items.total': t('Sum'),
  name: t('Name'),
  email: t('E-mail'),
  phone: t('Phone'),
  reference: t('Own number'),
  sku: t('SKU'),
  unitPrice: t('Price'),
  barcode: t('Barcode'),
  active: t('Sold now'),
  createdAt: t('Created'),
  updatedAt: t('Changed'),
  role: t('Role'),
  timeZone: t('Time zone'),
  country: t('Country'),
  registration: t('Sign-up'),
  password: t('Password'),
  totp: t('One-time codes'),
  suspension: t('Suspension lifted'),
  suspensionReason: t('Reason of the suspension'),
  url: t('Address'),
  types: t('Events'),
  position: t('Position'),
  secret: t('Secret'),
  address: t('Address'),
  shippingAddress: t('Address'),
  'address.name': t('Recipient'),
  'address.line1': t('Street and number'),
  'address.line2': t('Address line 2'),
  'address.city': t('City'),
  'address.region': t('Region'),
  'address.postalCode': t('Postal code'),
  'address.country': t('Country'),
};

/** Returns the service's own name if the shop has none for it; a test finds those. */
export function columnName(name: string): string {
  return columnNames[name.replace('shippingAddress.', 'address.')] ?? name;
}

export const paymentNames: Readonly<Record<Payment, string>> = {
  card: t('Card'),
  cash: t('Cash'),
  transfer: t('Transfer'),
  other: t('Other'),
};

export const roleNames: Readonly<Record<Role, string>> = {
  user: t('User'),
  staff: t('Staff'),
  admin: t('Administrator'),
};

/** What an order or a webhook may be. */
const states = [...statuses, 'enabled', 'paused', 'disabled'] as const;

/** Returns the name of a status, a role or a payment; any other value as it is. */
export function valueText(value: unknown): string {
  const named = Object.entries({ ...paymentNames, ...roleNames }).find(([name]) => name === value);
  const state = states.find((each) => each === value);
  return named?.[1] ?? (state === undefined ? String(value) : t(state));
}
