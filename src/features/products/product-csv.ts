// Products as CSV, one row for each: how exports write them, and how imports read them.
import { csvTime, type CsvConversion, type CsvTable } from '../../base/csv.ts';
import { decimalAmount, minorUnitsOf } from '../../schema/decimal.ts';
import type { Product } from './product.ts';

export const productTable: CsvTable<Product> = {
  columns: ['id', 'sku', 'name', 'unitPrice', 'currency', 'barcode', 'active', 'createdAt', 'updatedAt'],
  rowsOf({ id, sku, name, unitPrice, currency, barcode, active, createdAt, updatedAt }) {
    const price = decimalAmount(unitPrice, currency);
    const times = [csvTime(createdAt), csvTime(updatedAt)];
    return [[id, sku, name, price, currency, barcode, String(active), ...times]];
  },
};

const flags: Readonly<Record<string, boolean>> = { true: true, false: false, '1': true, '0': false };

/** Reads the rows of an export, without the members that the service sets. */
export const productRows: CsvConversion = {
  columns: productTable.columns,
  objectOf(cells) {
    const product: Record<string, unknown> = {};
    for (const name of ['sku', 'name', 'unitPrice', 'currency', 'barcode', 'active']) {
      const cell = cells.get(name);
      if (cell === undefined) continue;
      if (name === 'unitPrice') product[name] = minorUnitsOf(cell, cells.get('currency') ?? '') ?? cell;
      else if (name === 'active') product[name] = flags[cell.toLowerCase()] ?? cell;
      else product[name] = cell;
    }
    return product;
  },
};
