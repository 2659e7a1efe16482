// Customers as CSV, one row for each: how exports write them, and how imports read them.
import { csvTime, type CsvConversion, type CsvTable } from '../../base/csv.ts';
import { addressCells, addressColumns } from './address-csv.ts';
import type { Customer } from './customer.ts';

const addressMembers = addressColumns('address');

export const customerTable: CsvTable<Customer> = {
  columns: ['id', 'userId', 'name', 'email', 'phone', ...addressMembers, 'note', 'createdAt', 'updatedAt'],
  rowsOf({ id, userId, name, email, phone, address, note, createdAt, updatedAt }) {
    const times = [csvTime(createdAt), csvTime(updatedAt)];
    return [[id, userId, name, email, phone, ...addressCells(address), note ?? null, ...times]];
  },
};

/** Reads the rows of an export. An address without a street goes to the note, so that its row isn't lost. */
export const customerRows: CsvConversion = {
  columns: customerTable.columns,
  objectOf(cells, country) {
    const customer: Record<string, unknown> = {};
    const address: Record<string, string> = {};
    for (const name of ['id', 'userId', 'name', 'email', 'phone', ...addressMembers, 'note']) {
      const cell = cells.get(name);
      if (cell === undefined) continue;
      if (name === 'id' || name === 'userId') customer[name] = idOf(cell);
      else if (addressMembers.includes(name)) address[name.slice('address.'.length)] = cell;
      else customer[name] = cell;
    }
    const parts = Object.values(address);
    if (parts.length === 0) return customer;
    if (address['line1'] === undefined) {
      const place = parts.join(', ');
      return { ...customer, note: 'note' in customer ? `${String(customer['note'])}\n${place}` : place };
    }
    return { ...customer, address: country === undefined ? address : { country, ...address } };
  },
};

/** A cell that isn't an id stays text, which the schema rejects. */
function idOf(cell: string): number | string {
  return /^[1-9]\d{0,15}$/.test(cell) ? Number(cell) : cell;
}
