// Tables as text (RFC 4180), as spreadsheets save them: cells between commas, semicolons or tabs, in quotes where
// they need them. The service reads such tables, too, but only with the API's names and UTF-8: here a person says what
// the columns are, sees their first rows, and gets the faulty ones back as they were.
import { t } from './texts.ts';

const separators = [',', ';', '\t'] as const;
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

  /** That of the heading; a comma before there is one. */
  get separator(): Separator {
    return this.#separator ?? ',';
  }

  /** Returns the rows that are complete now. Throws a sentence for people if the text is no table. */
  add(text: string, isLast = false): (readonly string[])[] {
    const all = this.#rest + text;
    this.#separator ??= separatorIn(all);
    const rows: (readonly string[])[] = [];
    let start = 0;
    while (start < all.length) {
      const row = rowAt(all, start, { separator: this.separator, isLast });
      if (row === undefined) break;
      rows.push(row.cells);
      start = row.end;
    }
    this.#rest = all.slice(start);
    if (this.#rest.length > rowCharactersMax || (isLast && this.#rest !== ''))
      throw new SyntaxError(t('The file can’t be read as a table: a quote has no end.'));
    return rows;
  }
}

/** The separator that the first line has most of, outside of quotes; undefined before it is complete. */
function separatorIn(text: string): Separator | undefined {
  const [line] = /^(?:"(?:[^"]|"")*"|[^"\n])*\n/.exec(text) ?? [];
  if (line === undefined) return undefined;
  const plain = line.replaceAll(/"(?:[^"]|"")*"/g, '');
  const counts = separators.map((separator) => plain.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))];
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
