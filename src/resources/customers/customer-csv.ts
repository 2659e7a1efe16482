// Customers as CSV: a row for each.
import { csvTime, type CsvTable } from '../../csv.ts';
import { addressCells, addressColumns } from './address-csv.ts';
import type { Customer } from './customer.ts';

export const customerTable: CsvTable<Customer> = {
  columns: ['id', 'userId', 'name', 'email', 'phone', ...addressColumns('address'), 'createdAt', 'updatedAt'],
  rowsOf({ id, userId, name, email, phone, address, createdAt, updatedAt }) {
    const times = [csvTime(createdAt), csvTime(updatedAt)];
    return [[id, userId, name, email, phone, ...addressCells(address), ...times]];
  },
};
