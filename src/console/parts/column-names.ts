// The names of columns in files: those of the API, and the shop's words for them.
import { t } from './texts.ts';

/** What the service calls a column, and what the shop calls it. Deliveries have columns for an address, too. */
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
  'address.name': t('Recipient'),
  'address.line1': t('Street and number'),
  'address.line2': t('Address line 2'),
  'address.city': t('City'),
  'address.region': t('Region'),
  'address.postalCode': t('Postal code'),
  'address.country': t('Country'),
};

/** Returns the column's own name if the shop has none for it. */
export function columnName(name: string): string {
  return columnNames[name.replace('shippingAddress.', 'address.')] ?? name;
}
