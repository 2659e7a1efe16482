// Products as CSV, one row for each: how exports write them, and how imports read them.
import { csvColumns, type CsvConversion, type CsvTable } from '../../base/csv.ts';
import { cellsIn } from '../../storage/resource.ts';
import { productMembers, type Product } from './product.ts';

const { columns, cellsOf, objectOf, mustBe } = csvColumns(cellsIn(productMembers));

export const productTable: CsvTable<Product> = { columns, rowsOf: (product) => [cellsOf(product)] };

/** Reads the rows of an export, without the members that the service sets. */
export const productRows: CsvConversion = { columns, objectOf, mustBe };
