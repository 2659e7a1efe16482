// Tables as text (RFC 4180), for spreadsheets: a header line, then rows; every line ends with CR LF.

export type CsvCell = string | number | null;

/** How objects become rows: an object may take several. */
export type CsvTable<T> = {
  readonly columns: readonly string[];
  readonly rowsOf: (object: T) => readonly (readonly CsvCell[])[];
};

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/**
 * A timestamp in UTC as spreadsheets of any language read it: without its fraction, and without the letters
 * of RFC 3339, which would make it text.
 */
export function csvTime(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)}`;
}

function cellText(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formulaStart.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A cell as `csvLine` was given it. */
export function withoutFormulaGuard(cell: string): string {
  return cell.startsWith("'") && formulaStart.test(cell.slice(1)) ? cell.slice(1) : cell;
}

/**
 * A spreadsheet would evaluate a cell that begins with one of these (CWE-1236), so `cellText` puts an
 * apostrophe before it, which makes it text. Some programs take full-width signs for the plain ones, and drop
 * control characters. A text that has apostrophes before such a sign gets another one, so that reading, which
 * takes one off, returns what was written.
 */
const formulaStart = /^'*[=+\-@\u0000-\u001f\u007f-\u009f＝＋－＠]/u;
