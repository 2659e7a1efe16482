// Customers as CSV, one row for each: how exports write them, and how imports read them.
import { csvColumns, type CsvConversion, type CsvTable } from '../../base/csv.ts';
import { countryNamed } from '../../schema/country-names.ts';
import { cellsIn } from '../../storage/resource.ts';
import { customerMembers, type Customer } from './customer-members.ts';

const { columns, cellsOf, objectOf, mustBe } = csvColumns(cellsIn(customerMembers));
const addressColumns = columns.filter((name) => name.startsWith('address.'));

export const customerTable: CsvTable<Customer> = { columns, rowsOf: (customer) => [cellsOf(customer)] };

/** Reads the rows of an export. An address without a street goes to the note, so that its row isn't lost. */
export const customerRows: CsvConversion = {
  columns,
  mustBe,
  objectOf(cells, country) {
    const customer = objectOf(cells);
    const address: Record<string, string> = {};
    for (const name of addressColumns) {
      const cell = cells.get(name);
      if (cell !== undefined) address[name.slice('address.'.length)] = cell;
    }
    const parts = Object.values(address);
    if (parts.length === 0) return customer;
    if (address['line1'] === undefined) {
      const place = parts.join(', ');
      return { ...customer, note: 'note' in customer ? `${String(customer['note'])}\n${place}` : place };
    }
    const { country: named } = address;
    if (named !== undefined) address['country'] = countryNamed(named) ?? named;
    return { ...customer, address: country === undefined ? address : { country, ...address } };
  },
};
