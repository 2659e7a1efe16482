// The names of columns in files: those of the API, and the shop's words for them.

/** What the service calls a column, and what the shop calls it. Deliveries have columns for an address, too. */
const columnNames: Readonly<Record<string, string>> = {
  id: 'Number',
  status: 'Status',
  customerId: 'Customer number',
  'customer.name': 'Customer',
  userId: 'Account',
  currency: 'Currency',
  note: 'Note',
  total: 'Total',
  'items.number': 'Line',
  'items.sku': 'SKU',
  'items.name': 'Item',
  'items.quantity': 'Quantity',
  'items.unitPrice': 'Price',
  'items.total': 'Sum',
  name: 'Name',
  email: 'E-mail',
  phone: 'Phone',
  sku: 'SKU',
  unitPrice: 'Price',
  barcode: 'Barcode',
  active: 'Sold now',
  createdAt: 'Created',
  updatedAt: 'Changed',
  'address.name': 'Recipient',
  'address.line1': 'Street and number',
  'address.line2': 'Address line 2',
  'address.city': 'City',
  'address.region': 'Region',
  'address.postalCode': 'Postal code',
  'address.country': 'Country',
};

/** Returns the column's own name if the shop has none for it. */
export function columnName(name: string): string {
  return columnNames[name.replace('shippingAddress.', 'address.')] ?? name;
}
