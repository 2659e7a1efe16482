// A postal address as CSV: a column for each member.
import type { CsvCell } from '../../base/csv.ts';
import type { Address } from './address.ts';

const members = ['name', 'line1', 'line2', 'city', 'region', 'postalCode', 'country'] as const;

/** `address.line1` and so on. */
export function addressColumns(member: string): string[] {
  return members.map((name) => `${member}.${name}`);
}

export function addressCells(address: Address | null): CsvCell[] {
  return members.map((name) => address?.[name] ?? null);
}
