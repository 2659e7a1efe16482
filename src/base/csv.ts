// Tables as text (RFC 4180), for spreadsheets: a header line, then rows; every line ends with CR LF.

type CsvCell = string | number | null;

/** Converts objects to rows. An object may have several rows. */
export type CsvTable<T> = {
  readonly columns: readonly string[];
  /** Returns the cells at the beginning of all rows of an object; by default none. */
  readonly sharedCellsOf?: (object: T) => readonly CsvCell[];
  /** Returns the further cells of each row. */
  readonly rowsOf: (object: T) => readonly (readonly CsvCell[])[];
};

/** Converts rows to objects, whose members are checked later. */
export type CsvConversion = {
  readonly columns: readonly string[];
  /** Receives the non-empty cells by the names of their columns, and the file's country, if it has one. */
  readonly objectOf: (cells: ReadonlyMap<string, string>, country: string | undefined) => object;
};

/** How a member of an object is written to the cells of a row, and read from one. */
export type CsvMember = {
  /** What follows the member's name in the headings of its columns; by default it has one column. */
  readonly parts?: readonly string[];
  /** Returns a cell for each column. Never called for null. */
  readonly write: (value: never, object: never) => readonly CsvCell[];
  /** Receives all cells of the row, too. Without it, an import doesn't read the member. */
  readonly read?: (cell: string, cells: ReadonlyMap<string, string>) => unknown;
};

/** For members that the service sets. */
export const writtenCell: CsvMember = { write: (value: string | number) => [value] };
export const timeCell: CsvMember = { write: (timestamp: string) => [csvTime(timestamp)] };
export const textCell: CsvMember = { ...writtenCell, read: (cell) => cell };
/** A cell that isn't an id stays text, which the schema rejects. */
export const idCell: CsvMember = {
  ...writtenCell,
  read: (cell) => (/^[1-9]\d{0,15}$/.test(cell) ? Number(cell) : cell),
};

const flags: Readonly<Record<string, boolean>> = { true: true, false: false, '1': true, '0': false };
export const flagCell: CsvMember = {
  write: (flag: boolean) => [String(flag)],
  read: (cell) => flags[cell.toLowerCase()] ?? cell,
};

type CsvColumns = {
  readonly columns: readonly string[];
  /** Returns the cells of an object's row; empty ones for a member that it leaves out. */
  readonly cellsOf: (object: Readonly<Record<string, unknown>>) => readonly CsvCell[];
  /** Returns the members of a row. Empty cells are absent, and so are their members. */
  readonly objectOf: (cells: ReadonlyMap<string, string>) => Record<string, unknown>;
};

/** Returns the columns of these members, in this order. */
export function csvColumns(cells: Readonly<Record<string, CsvMember>>): CsvColumns {
  const all = Object.entries(cells).map(([name, cell]) => ({ name, parts: [''], ...cell }));
  return {
    columns: all.flatMap(({ name, parts }) => parts.map((part) => name + part)),
    cellsOf(object) {
      return all.flatMap(({ name, parts, write }) => {
        const value = object[name] ?? null;
        return value === null ? parts.map(() => null) : write(value as never, object as never); // its own member
      });
    },
    objectOf(cells) {
      const object: Record<string, unknown> = {};
      for (const { name, read } of all) {
        const cell = cells.get(name);
        if (cell !== undefined && read !== undefined) object[name] = read(cell, cells);
      }
      return object;
    },
  };
}

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** Returns the lines of an object. Shared cells are converted once: a hundred rows may have a long note. */
export function csvLines<T>({ sharedCellsOf = () => [], rowsOf }: CsvTable<T>, object: T): string {
  const start = sharedCellsOf(object)
    .map((cell) => `${cellText(cell)},`)
    .join('');
  return rowsOf(object)
    .map((cells) => start + csvLine(cells))
    .join('');
}

/**
 * Formats a timestamp in UTC so that spreadsheets of any language recognize it: without its fraction, and
 * without the letters of RFC 3339, which would make it text.
 */
export function csvTime(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)}`;
}

function cellText(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = withFormulaGuard(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A spreadsheet would evaluate a cell that begins with one of these (CWE-1236), so an apostrophe is added before
 * it, which makes it text. Some programs treat full-width signs as plain ones and drop
 * control characters. If the list separator is a semicolon or a tab, spreadsheets split cells at it, and end
 * the row at a line break even within quotes. So the text after a separator or a line break is treated like
 * the beginning of a cell, also if quotes follow: written twice, they are an empty quoted text there, which
 * spreadsheets drop. A table that was saved anew with semicolons is split at commas in other regions; a minus
 * after a comma counts if a call, a sheet or a program follows, since prices end like that ("20,-").
 * Text with apostrophes before such a sign gets another apostrophe: removing one returns the original text.
 */
function withFormulaGuard(cell: string): string {
  const guarded = cell.replace(laterFormulaStart, "$&'");
  return formulaStart.test(cell) ? `'${guarded}` : guarded;
}

const beforeSign = `(?=["']*[=+\\-@＝＋－＠])`;
const beforeFormula = `(?=["']*(?:[=+@＝＋＠]|[-－][^,]*[(|!]))`;
const formulaStart = /^'*[=+\-@\u0000-\u001f\u007f-\u009f＝＋－＠]/;
const laterFormulaStart = new RegExp(`[;\t\r\n]${beforeSign}|,${beforeFormula}`, 'g');

/** Removes the apostrophes that `withFormulaGuard` has added to a cell. */
export function withoutFormulaGuard(cell: string): string {
  return cell.replace(guardedStart, '').replace(guardedLaterStart, '');
}

const guardedStart = /^'(?='*[=+\-@\u0000-\u001f\u007f-\u009f＝＋－＠])/;
const guardedLaterStart = new RegExp(`(?<=[;\t\r\n])'${beforeSign}|(?<=,)'${beforeFormula}`, 'g');
