// Orders as CSV: a row for each item, with the members of its order.
import { csvTime, type CsvCell, type CsvTable } from '../../base/csv.ts';
import { decimalAmount } from '../../schema/decimal.ts';
import { addressCells, addressColumns } from '../customers/address-csv.ts';
import type { Order } from './order.ts';

/** Filtering by `items.number` 1 leaves one row per order; sums over all rows are those of `items.total`. */
export const orderTable: CsvTable<Order> = {
  columns: [
    'id',
    'status',
    'createdAt',
    'updatedAt',
    'customerId',
    'customer.name',
    'userId',
    'currency',
    'total',
    'note',
    ...addressColumns('shippingAddress'),
    'items.number',
    'items.sku',
    'items.name',
    'items.quantity',
    'items.unitPrice',
    'items.total',
  ],
  sharedCellsOf: cellsOfOrder,
  rowsOf({ currency, items }) {
    return items.map(({ sku, name, quantity, unitPrice, total }, index) => [
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
  const { id, status, createdAt, updatedAt, customerId, customer, userId, currency, total, note } = order;
  return [
    id,
    status,
    csvTime(createdAt),
    csvTime(updatedAt),
    customerId,
    customer?.name ?? null,
    userId,
    currency,
    decimalAmount(total, currency),
    note,
    ...addressCells(order.shippingAddress),
  ];
}
