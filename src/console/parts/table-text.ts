// Tables as text (RFC 4180), as spreadsheets save them: cells between commas, semicolons, tabs or bars, in quotes where
// they need them. The service reads such tables by the same rules, but only with the API's names and UTF-8: here a
// person says what the columns are, sees their first rows, and gets the faulty ones back as they were.
import { t } from './texts.ts';

const separators = [',', ';', '\t', '|'] as const;
export type Separator = (typeof separators)[number];
/** Excel reads UTF-8 only after it. */
export const byteOrderMark = '\ufeff';

/** The service rejects longer rows, too. */
const rowCharactersMax = 65_536;

/** Reads rows while their text arrives; blank rows are rows without cells. */
export class TableReader {
  #separator: Separator | undefined;
  /** The beginning of a row that isn't complete. */
  #rest = '';
  #isBegun = false;

  /** That of the heading; a comma before there is one. */
  get separator(): Separator {
    return this.#separator ?? ',';
  }

  /** Returns the rows that are complete now. Throws a sentence for people if the text is no table. */
  add(text: string, isLast = false): (readonly string[])[] {
    const whole = this.#rest + text;
    const all = isLast ? whole.replace(/\u001a$/, '') : whole; // it ends files of DOS
    this.#separator ??= separatorIn(all, isLast);
    if (this.#separator === undefined) {
      this.#rest = all;
      return [];
    }
    const rows: (readonly string[])[] = [];
    let start = 0;
    while (start < all.length) {
      const row = rowAt(all, start, { separator: this.separator, isLast });
      if (row === undefined) break;
      if (this.#isBegun || !isSeparatorLine(row.cells)) rows.push(row.cells);
      this.#isBegun = true;
      start = row.end;
    }
    this.#rest = all.slice(start);
    if (this.#rest.length > rowCharactersMax || (isLast && this.#rest !== ''))
      throw new SyntaxError(t('The file can’t be read as a table: a quote has no end.'));
    return rows;
  }
}

/** The separator that makes most cells of the first line, or that `sep=;` names; undefined before it is complete. */
function separatorIn(text: string, isLast: boolean): Separator | undefined {
  const [, named] = /^"?sep=(.)/i.exec(text) ?? [];
  const known = separators.find((separator) => separator === named);
  if (known !== undefined) return known;
  const rows = separators.map((separator) => rowAt(text, 0, { separator, isLast }));
  const mayWait = !isLast && text.length <= rowCharactersMax;
  if (mayWait && rows.includes(undefined)) return undefined;
  const counts = rows.map((row) => row?.cells.length ?? 0);
  return separators[counts.indexOf(Math.max(...counts))];
}

function isSeparatorLine(cells: readonly string[]): boolean {
  return /^sep=.?$/i.test(cells.join(''));
}

type Reading = { readonly separator: Separator; readonly isLast: boolean };

/** The row that begins there, and where the next one does; undefined if the text ends before the row does. */
function rowAt(
  text: string,
  start: number,
  { separator, isLast }: Reading,
): { readonly cells: readonly string[]; readonly end: number } | undefined {
  const cells: string[] = [];
  let index = start;
  for (;;) {
    const cell = cellAt(text, index, separator);
    if (cell === undefined) return undefined;
    cells.push(cell.text);
    index = cell.end;
    if (index >= text.length && !isLast) return undefined;
    const next = text[index];
    index += 1;
    if (next === separator) continue;
    if (next === '\r' && text[index] === '\n') index += 1;
    else if (next === '\r' && index >= text.length && !isLast) return undefined; // its \n may follow
    return { cells: cells.length === 1 && cells[0] === '' ? [] : cells, end: index };
  }
}

/** The cell that begins there; undefined if it has a quote without an end. */
function cellAt(
  text: string,
  start: number,
  separator: Separator,
): { readonly text: string; readonly end: number } | undefined {
  if (text[start] !== '"') {
    const end = endOfPlain(text, start, separator);
    return { text: text.slice(start, end), end };
  }
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  if (quote === -1) return undefined;
  const end = endOfPlain(text, quote + 1, separator);
  return { text: text.slice(start + 1, quote).replaceAll('""', '"') + text.slice(quote + 1, end), end };
}

function endOfPlain(text: string, start: number, separator: Separator): number {
  let end = start;
  for (; end < text.length; end += 1) {
    const character = text[end];
    if (character === separator || character === '\n' || character === '\r') break;
  }
  return end;
}

/** The text of `="00123"`, which keeps a spreadsheet from reading a number. */
export function plainText(cell: string): string {
  const [, text] = /^="((?:[^"]|"")*)"$/.exec(cell) ?? [];
  return text?.replaceAll('""', '"') ?? cell;
}

/** What a spreadsheet would read as a number, a date or a truth, and save as another text. */
const value = new RegExp(
  '^([\\s+\\-.,(]*\\d[\\d\\s.,:/()+\\-e%]*([ap]m)?|([\\d\\s./-]*MONTH[\\d\\s./-]*)|true|false|wahr|falsch)$'.replace(
    'MONTH',
    '(jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])\\p{L}*',
  ),
  'iu',
);

/** The cell as a formula whose value is the text, where a spreadsheet would change it. */
export function asText(cell: string): string {
  return cell.length < 256 && /\d|^[tfw]/i.test(cell) && value.test(cell) ? `="${cell}"` : cell;
}

export function rowText(cells: readonly string[], separator: Separator): string {
  const needsQuotes = (cell: string): boolean => /["\r\n]/.test(cell) || cell.includes(separator);
  const quoted = cells.map((cell) => (needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(separator)}\r\n`;
}

/**
 * The cell of a file from elsewhere, with an apostrophe where a spreadsheet would evaluate a formula. The service
 * reads both alike: its exports have the apostrophe, too.
 */
export function withoutFormulas(cell: string): string {
  return cell.replace(/^(?=[=+\-@＝＋－＠])|[;\t\r\n](?="*[=+\-@＝＋－＠])|,(?="*[=+@＝＋＠])/g, "$&'");
}
