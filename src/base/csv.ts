// Tables as text (RFC 4180), for spreadsheets: a header line, then rows; every line ends with CR LF.

/** A cell of digits, a sign and a point, which no spreadsheet takes for a formula: it has no apostrophe. */
type CsvAmount = { readonly amount: string };
type CsvCell = string | number | CsvAmount | null;

export function amountCell(amount: string): CsvAmount {
  return { amount };
}

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
  readonly objectOf: (
    cells: ReadonlyMap<string, string>,
    country: string | undefined,
  ) => Readonly<Record<string, unknown>>;
  /** What the cells of a column must be, if that differs from what the member must be. */
  readonly mustBe: ReadonlyMap<string, MustBe>;
};

/** How a member of an object is written to the cells of a row, and read from one. */
export type CsvMember = {
  /** What follows the member's name in the headings of its columns; by default it has one column. */
  readonly parts?: readonly string[];
  /** Returns a cell for each column. Never called for null. */
  readonly write: (value: never, object: never) => readonly CsvCell[];
  /** Receives all cells of the row, too. Without it, an import doesn't read the member. */
  readonly read?: (cell: string, cells: ReadonlyMap<string, string>) => unknown;
  /** What the issue asks for if `read` could not convert the cell, and the schema rejects its type. */
  readonly mustBe?: MustBe;
};

/** The end of a sentence; it may depend on the row's other members. */
type MustBe = (object: Readonly<Record<string, unknown>>) => string;

/** For members that the service sets. */
export const writtenCell: CsvMember = { write: (value: string | number) => [value] };
export const timeCell: CsvMember = { write: (timestamp: string) => [csvTime(timestamp)] };
export const textCell: CsvMember = { ...writtenCell, read: (cell) => cell };
/** A text that is read without blanks, visible or not, at its ends. */
export const trimmedCell: CsvMember = { ...writtenCell, read: trimmed };
/** A cell that isn't a whole number stays text, which the schema rejects. */
export const integerCell: CsvMember = {
  ...writtenCell,
  read: (cell) => (/^(?:0|-?[1-9]\d{0,15})$/.test(trimmed(cell)) ? Number(trimmed(cell)) : cell),
};
/** A time that clients send: it is read as it was written, or as RFC 3339. */
export const sentTimeCell: CsvMember = {
  write: (timestamp: string) => [csvTime(timestamp) + timestamp.slice(19, 23).replace('.000', '')],
  read: (cell) => trimmed(cell).replace(/^(\S{10}) (\d\d:\d\d:\d\d(?:\.\d{3})?)$/, '$1T$2Z'),
};

/** Removes blanks and invisible characters at both ends, in linear time. */
export function trimmed(cell: string): string {
  return cell.replace(/^[\s\p{Cf}\p{DI}]+|(?<![\s\p{Cf}\p{DI}])[\s\p{Cf}\p{DI}]+$/gu, '');
}

/** Yes and no as spreadsheets and people write them, without case and accents. */
const flagWords: Readonly<Record<'yes' | 'no', string>> = {
  yes:
    '1 -1 x y yes on t true j ja wahr vrai oui verdadero si vero verdadeiro sim waar prawda tak sant sand sann jo ' +
    'tosi kylla pravda ano igaz igen adevarat da истина да істина так dogru evet ναι αληθες αληθης toene jah taip cert satt ' +
    'egia benar 是 真 はい 예 네 ✓ ✔ ☑ ✅',
  no:
    '0 n no off f false nein falsch faux non falso nao onwaar nee fałsz falsz nie falskt falsk nej nei epatosi ei ' +
    'nepravda ne hamis nem fals nu ложь нет хибність ні yanlis yanlıs hayir hayır οχι ψευδες ψευδης vaar usann osatt ' +
    'gezurra salah 否 假 いいえ 아니요 아니오 ✗ ✘ ☐ ☒ ❌',
};
const flags: ReadonlyMap<string, boolean> = new Map([
  ...flagWords.yes.split(' ').map((word) => [plainWord(word), true] as const),
  ...flagWords.no.split(' ').map((word) => [plainWord(word), false] as const),
]);

function plainWord(text: string): string {
  return text.trim().toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
}

export const trueOrFalseCell: CsvMember = {
  write: (flag: boolean) => [String(flag)],
  read: (cell) => flags.get(plainWord(cell)) ?? cell,
  mustBe: () => 'yes or no, true or false, or 1 or 0, or such a word of another language',
};

type CsvColumns = {
  readonly columns: readonly string[];
  /** Returns the cells of an object's row; empty ones for a member that it leaves out. */
  readonly cellsOf: (object: Readonly<Record<string, unknown>>) => readonly CsvCell[];
  /** Returns the members of a row. Empty cells are absent, and so are their members. */
  readonly objectOf: (cells: ReadonlyMap<string, string>) => Record<string, unknown>;
  readonly mustBe: ReadonlyMap<string, MustBe>;
};

/** Returns the columns of these members, in this order. */
export function csvColumns(cells: Readonly<Record<string, CsvMember>>): CsvColumns {
  const all = Object.entries(cells).map(([name, cell]) => ({ name, parts: [''], ...cell }));
  return {
    columns: all.flatMap(({ name, parts }) => parts.map((part) => name + part)),
    mustBe: new Map(
      all.flatMap(({ name, mustBe }) => (mustBe === undefined ? [] : [[name, mustBe] as const])),
    ),
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
  if (typeof cell === 'object') return cell.amount;
  const text = withFormulaGuard(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A spreadsheet evaluates a cell that begins with such a sign (CWE-1236). An apostrophe before the sign makes it text. It
 * is added at the beginning of a cell, and wherever some program may see the beginning of one:
 *
 * - Some programs take full-width signs for plain ones, and drop control characters.
 * - Where the list separator is a semicolon or a tab, cells end there, and at a line break, even within quotes. Quotes
 *   after it are dropped.
 * - Where it is a comma, a table that was saved with semicolons is split at commas. Prices end in a comma and a minus
 *   ("20,-"), so that minus counts only if a call, a sheet or a program follows.
 * - Some programs trim cells. After a separator and blanks, all signs but `=` count like that minus.
 *
 * A text that has apostrophes before such a sign, or before a digit, gets one more: removing one returns the text.
 */
function withFormulaGuard(cell: string): string {
  const guarded = cell.replace(laterFormulaStart, "$&'");
  return formulaStart.test(cell) ? `'${guarded}` : guarded;
}

const beforeSign = `(?=["']*[=+\\-@＝＋－＠])`;
const beforeFormula = `(?=["']*(?:[=+@＝＋＠]|[-－][^,]*[(|!]))`;
const afterBlanks = `(?=(?:[^\\S\t\r\n]|["'])*(?:[=＝]|[-+@－＋＠][^,;\t\r\n]*[(|!]))`;
const formulaStart = /^(?:[\s']*[=+\-@＝＋－＠]|'*[\u0000-\u001f\u007f-\u009f]|'+\d)/;
const laterFormulaStart = new RegExp(
  `[;\t\r\n]${beforeSign}|,${beforeFormula}|[,;\t\r\n]${afterBlanks}`,
  'g',
);

/**
 * Removes what makes a cell text for spreadsheets: the apostrophes that `withFormulaGuard` has added, the
 * apostrophe of `'01067`, and the formula of `="00123"`.
 */
export function plainCell(cell: string): string {
  const [, text] = /^="((?:[^"]|"")*)"$/.exec(cell) ?? [];
  if (text !== undefined) return text.replaceAll('""', '"');
  return cell.replace(guardedStart, '').replace(guardedLaterStart, '');
}

const guardedStart = /^'(?=[\s']*[=+\-@＝＋－＠]|'*[\d\u0000-\u001f\u007f-\u009f])/;
const guardedLaterStart = new RegExp(
  `(?<=[;\t\r\n])'${beforeSign}|(?<=,)'${beforeFormula}|(?<=[,;\t\r\n])'${afterBlanks}`,
  'g',
);
