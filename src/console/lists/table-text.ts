// Tables as text (RFC 4180), as spreadsheets save them: cells between commas, semicolons, tabs or bars, in quotes where
// they need them. The service reads such tables by the same rules, but only with the API's names and UTF-8: here a
// person says what the columns are, sees their first rows, and corrects the faulty ones.
import { t } from '../words/texts.ts';

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
  const plain = `[^${separator}\r\n]*`;
  const cell = `(?:"([^"]*(?:""[^"]*)*)"(?!")(${plain})|(?!")(${plain}))([${separator}]|\r\n?|\n|$)`;
  const pattern = new RegExp(cell, 'y');
  pattern.lastIndex = start;
  const cells: string[] = [];
  for (;;) {
    const found = pattern.exec(text);
    if (found === null) return undefined;
    const [, quoted, rest = '', unquoted = '', end] = found;
    cells.push(quoted === undefined ? unquoted : quoted.replaceAll('""', '"') + rest);
    if (end !== separator) return { cells, end: pattern.lastIndex };
  }
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
