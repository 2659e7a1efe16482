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

export const customerRows: CsvConversion = {
  columns: ['userId', 'name', 'email', 'phone', ...addressMembers, 'note'],
  objectOf(cells) {
    const customer: Record<string, unknown> = {};
    const address: Record<string, string> = {};
    for (const name of customerRows.columns) {
      const cell = cells.get(name);
      if (cell === undefined) continue;
      if (name === 'userId') customer[name] = /^[1-9]\d{0,15}$/.test(cell) ? Number(cell) : cell;
      else if (addressMembers.includes(name)) address[name.slice('address.'.length)] = cell;
      else customer[name] = cell;
    }
    return Object.keys(address).length === 0 ? customer : { ...customer, address };
  },
};
