// Orders as CSV: a row for each item, with the members of its order.
import { csvTime, type CsvCell, type CsvTable } from '../../base/csv.ts';
import { decimalAmount } from '../../schema/decimal.ts';
import { addressCells, addressColumns } from '../customers/address-csv.ts';
import type { Order } from './order.ts';

/** Only the row of an order's first item has the total, so that a sum over all rows counts it once. */
export const orderTable: CsvTable<Order> = {
  columns: [
    'id',
    'status',
    'payment',
    'createdAt',
    'updatedAt',
    'customerId',
    'customer.name',
    'userId',
    'currency',
    'note',
    ...addressColumns('shippingAddress'),
    'total',
    'items.number',
    'items.sku',
    'items.name',
    'items.quantity',
    'items.unitPrice',
    'items.total',
  ],
  sharedCellsOf: cellsOfOrder,
  rowsOf({ currency, total: orderTotal, items }) {
    return items.map(({ sku, name, quantity, unitPrice, total }, index) => [
      index === 0 ? decimalAmount(orderTotal, currency) : null,
      index + 1,
      sku,
      name,
      quantity,
      decimalAmount(unitPrice, currency),
      decimalAmount(total, currency),
    ]);
  },
};

function cellsOfOrder(order: Order): CsvCell[] {
  const { id, status, payment, createdAt, updatedAt, customerId, customer, userId, currency, note } = order;
  return [
    id,
    status,
    payment,
    csvTime(createdAt),
    csvTime(updatedAt),
    customerId,
    customer?.name ?? null,
    userId,
    currency,
    note,
    ...addressCells(order.shippingAddress),
  ];
}
