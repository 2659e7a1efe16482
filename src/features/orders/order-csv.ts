// Orders as CSV: a row for each item, with the members of its order.
import {
  amountCell,
  csvColumns,
  timeCell,
  writtenCell,
  type CsvMember,
  type CsvTable,
} from '../../base/csv.ts';
import { decimalAmount } from '../../schema/decimal.ts';
import { metadataMember } from '../../storage/metadata.ts';
import { addressCells } from '../customers/address.ts';
import type { Order } from './order-members.ts';

/** The cells that all rows of an order have, in the order of the file. */
const sharedCells = {
  id: writtenCell,
  status: writtenCell,
  payment: writtenCell,
  createdAt: timeCell,
  updatedAt: timeCell,
  customerId: writtenCell,
  customer: { parts: ['.name'], write: ({ name }: NonNullable<Order['customer']>) => [name] },
  userId: writtenCell,
  currency: writtenCell,
  note: writtenCell,
  metadata: metadataMember.cell,
  shippingAddress: addressCells,
} satisfies Record<Exclude<keyof Order, 'items' | 'total'>, CsvMember>;
const { columns, cellsOf } = csvColumns(sharedCells);

/** Only the row of an order's first item has the total, so that a sum over all rows counts it once. */
export const orderTable: CsvTable<Order> = {
  columns: [
    ...columns,
    'total',
    'items.number',
    'items.sku',
    'items.name',
    'items.quantity',
    'items.unitPrice',
    'items.total',
  ],
  sharedCellsOf: cellsOf,
  rowsOf({ currency, total: orderTotal, items }) {
    return items.map(({ sku, name, quantity, unitPrice, total }, index) => [
      index === 0 ? amountCell(decimalAmount(orderTotal, currency)) : null,
      index + 1,
      sku,
      name,
      quantity,
      amountCell(decimalAmount(unitPrice, currency)),
      amountCell(decimalAmount(total, currency)),
    ]);
  },
};
