// The rows of a file as lines of a table with the API's names, which the service reads.
import { priceIssue, priceReadings, priceText, typedPrice } from '../parts/formats.ts';
import { type FileRow, rowText } from '../parts/table-text.ts';
import { t } from '../parts/texts.ts';
import { inTurns } from '../parts/turns.ts';
import { type ImportKind, isOfService, membersOf } from './import-columns.ts';
import type { Fault, Line } from './import-run.ts';

/** What a person says of the file. */
export type Choices = {
  readonly kind: ImportKind;
  /** The member of each column. */
  readonly columns: readonly string[];
  /** The currency, or the country, of rows that name none. */
  readonly given: string;
  /** The sign before decimals, once it was asked for. */
  readonly sign?: string;
};

export type Lines = {
  readonly kind: ImportKind;
  readonly country: string | undefined;
  readonly members: readonly string[];
  readonly good: readonly Line[];
  readonly faults: readonly Fault[];
  /** The columns that hold something and are left out. */
  readonly leftOut: ReadonlySet<string>;
  /** Returns what is sent of a row. */
  readonly valuesOf: (row: FileRow) => ReadonlyMap<string, string>;
};

/** The message is a price that can be read in two ways. */
export class AmbiguousPrice extends Error {}

type Table = { readonly heading: readonly string[]; readonly rows: readonly FileRow[] };

/** Throws `AmbiguousPrice` unless the sign of decimals is known. */
export async function linesOf({ heading, rows }: Table, choices: Choices): Promise<Lines> {
  const { kind, columns, given } = choices;
  const ofCompany = columns.includes('company') ? ['name', 'note'] : [];
  const ofPrice = kind === 'products' ? ['currency'] : [];
  const names = new Set([...columns, ...ofCompany, ...ofPrice]);
  const members = [...names].filter((name) => name !== '' && name !== 'company');
  const leftOut = new Set<string>();
  const good: Line[] = [];
  const faults: Fault[] = [];
  const valuesOf = ({ cells }: FileRow): ReadonlyMap<string, string> =>
    kind === 'products'
      ? productOf(membersOf(cells, columns), choices)
      : customerOf(membersOf(cells, columns));
  await inTurns(rows, (row) => {
    const { cells } = row;
    for (const [index, name] of heading.entries())
      if (columns[index] === '' && !isOfService(name) && (cells[index] ?? '').trim() !== '')
        leftOut.add(name);
    try {
      checkLength(cells, heading);
      const values = valuesOf(row);
      const texts = members.map((name) => values.get(name) ?? '');
      good.push({ ...row, text: rowText(texts, ',') });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push({ ...row, problem: error.message });
    }
  });
  return {
    kind,
    country: kind === 'customers' ? given : undefined,
    members,
    good,
    faults,
    leftOut,
    valuesOf,
  };
}

function checkLength(cells: readonly string[], heading: readonly string[]): void {
  if (cells.slice(heading.length).every((cell) => cell.trim() === '')) return;
  const counts = { cells: cells.length, columns: heading.length };
  throw new RangeError(t('The row has {cells} cells, and the first row {columns}.', counts));
}

function productOf(values: Map<string, string>, { given, sign }: Choices): Map<string, string> {
  const currency = values.get('currency')?.toUpperCase() ?? given;
  values.set('currency', currency);
  const price = values.get('unitPrice');
  if (price === undefined) return values;
  const amount = typedPrice(price, currency, sign);
  if (amount !== undefined) return values.set('unitPrice', priceText(amount, currency));
  if (sign === undefined && priceReadings(price, currency) !== undefined) throw new AmbiguousPrice(price);
  throw new RangeError(priceIssue(price, currency));
}

/** A country alone is no address. */
function customerOf(values: Map<string, string>): Map<string, string> {
  const isAddress = [...values.keys()].some((name) => /^address\.(?!country$)/.test(name));
  if (!isAddress) values.delete('address.country');
  return values;
}
