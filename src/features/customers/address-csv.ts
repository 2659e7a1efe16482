// A postal address as CSV: a column for each member.
import type { CsvMember } from '../../base/csv.ts';
import type { Address } from './address.ts';

const members = ['name', 'line1', 'line2', 'city', 'region', 'postalCode', 'country'] as const;

/** Its columns are called `address.line1` and so on. */
export const addressCells: CsvMember = {
  parts: members.map((name) => `.${name}`),
  write: (address: Address) => members.map((name) => address[name]),
};
