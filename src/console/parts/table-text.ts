// Tables as text (RFC 4180), as spreadsheets save them: cells between commas, semicolons, tabs or bars, in quotes where
// they need them. The service reads such tables by the same rules, but only with the API's names and UTF-8: here a
// person says what the columns are, sees their first rows, and gets the faulty ones back as they were.
import { t } from './texts.ts';

const separators = [',', ';', '\t', '|'] as const;
export type Separator = (typeof separators)[number];
/** Excel reads UTF-8 only after it. */
export const byteOrderMark = '\ufeff';

/** Rows are counted as a spreadsheet counts them: from 1, the heading's. */
export type FileRow = { readonly number: number; readonly cells: readonly string[] };

/**
 * Yields the rows that aren't blank: spreadsheets save rows that are only formatted as separators. Throws a sentence for
 * people if the text is no table.
 */
export function* rowsOf(file: string, separator = separatorOf(file)): Generator<FileRow, undefined> {
  const text = file.endsWith('\u001a') ? file.slice(0, -1) : file; // it ends files of DOS
  let number = 0;
  for (let start = 0; start < text.length;) {
    const row = rowAt(text, start, separator);
    if (row === undefined) throw new SyntaxError(t('The file can’t be read as a table: a quote has no end.'));
    const { cells, end } = row;
    const isSeparatorLine = start === 0 && /^sep=.?$/i.test(cells.join(''));
    start = end;
    if (isSeparatorLine) continue;
    number += 1;
    if (cells.some((cell) => cell.trim() !== '')) yield { number, cells };
  }
}

/** The separator that makes most cells of the first line, or that `sep=;` names. */
export function separatorOf(text: string): Separator {
  const [, named] = /^"?sep=(.)/i.exec(text) ?? [];
  const known = separators.find((separator) => separator === named);
  if (known !== undefined) return known;
  const counts = separators.map((separator) => rowAt(text, 0, separator)?.cells.length ?? 0);
  return separators[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The row that begins there, and where the next one does; undefined if a quote has no end. */
function rowAt(
  text: string,
  start: number,
  separator: Separator,
): { readonly cells: readonly string[]; readonly end: number } | undefined {
  const cells: string[] = [];
  for (let index = start; ;) {
    const cell = cellAt(text, index, separator);
    if (cell === undefined) return undefined;
    cells.push(cell.text);
    const sign = text[cell.end];
    index = cell.end + 1;
    if (sign === separator) continue;
    return { cells, end: sign === '\r' && text[index] === '\n' ? index + 1 : index };
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

const formulaStart =
  /^(?=\s*[=+\-@＝＋－＠])|[;\t\r\n](?="*[=+\-@＝＋－＠])|,(?="*[=+@＝＋＠])|[;,\t\r\n](?=(?:[^\S\t\r\n]|")*[=＝])/g;

/**
 * The cell of a file from elsewhere, with an apostrophe where a spreadsheet would evaluate a formula. The service
 * reads both alike: its exports have the apostrophe, too.
 */
export function withoutFormulas(cell: string): string {
  return cell.replace(formulaStart, "$&'");
}
