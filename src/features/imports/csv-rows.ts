// Reads tables (RFC 4180) while their text arrives, as spreadsheets read them. Rows have the numbers that spreadsheets
// show: from 1, blank rows included. A row with line breaks within its cells is one row; a first line `sep=;` is none.
// Cells may also be separated by bars, or by semicolons or tabs, as spreadsheets write them where the decimal separator
// is a comma. The end-of-file character of DOS is ignored.
import { Problem } from '../../problem.ts';

export type CsvRow = { readonly number: number; readonly cells: readonly string[] };

const anySeparator = ',;\t|';

/**
 * Matches a cell, and what ends it: a separator, a line break, or the end of the text. It matches nothing at a quoted
 * cell without an end. A quote after the beginning of a cell, as in `5" nails` and `="00123"`, is part of the text.
 */
function cellPattern(separators: string): RegExp {
  const quoted = '"([^"]*(?:""[^"]*)*)"(?!")';
  return new RegExp(`(?:${quoted}|(?!"))([^${separators}\\r\\n]*)([${separators}]|\\r\\n?|\\n|$)`, 'y');
}

export class CsvRows {
  readonly #rowCharsMax: number;
  /** The pattern for the table's separator: the first one in its heading, since no column's name contains one. */
  #cell = cellPattern(anySeparator);
  #hasSeparator = false;
  /** The beginning of a row that isn't complete. */
  #rest = '';
  /** The number of the row that is being read. */
  number = 1;

  constructor(rowCharsMax: number) {
    this.#rowCharsMax = rowCharsMax;
  }

  /**
   * Yields the rows that the text completes, without blank ones: spreadsheets save rows that are only formatted as
   * separators. Throws a problem if the table can't be read any further.
   */
  *add(text: string, isLast: boolean): Generator<CsvRow> {
    const whole = isLast ? `${this.#rest}${text}`.replace(/\u001a$/, '') : this.#rest + text;
    let start = 0;
    while (start < whole.length) {
      const row = this.#rowAt(whole, start, isLast);
      const end = row?.end ?? whole.length;
      if (end - start > this.#rowCharsMax)
        throw new Problem('content-too-large', `A row must have at most ${this.#rowCharsMax} characters.`);
      if (row === undefined) break;
      start = end;
      const { cells } = row;
      // a first line that names the separator, which is the first one of the table anyway unless it is quoted
      const naming = this.number === 1 ? /^sep=([,;\t|]?)$/i.exec(cells.join('')) : null;
      if (naming?.[1]) this.#separateBy(naming[1]);
      if (naming !== null) continue;
      if (cells.some((cell) => cell.trim() !== '')) {
        if (!this.#hasSeparator) this.#separateBy(',');
        yield { number: this.number, cells };
      }
      this.number += 1;
    }
    this.#rest = whole.slice(start);
  }

  /** Returns undefined unless the row is complete: its last cell and line break may go on in the next text. */
  #rowAt(text: string, start: number, isLast: boolean): { cells: string[]; end: number } | undefined {
    const cells: string[] = [];
    for (let end = start; ;) {
      this.#cell.lastIndex = end;
      const match = this.#cell.exec(text);
      if (match === null && isLast) throw new Problem('bad-request', 'A quoted cell has no end.');
      if (match === null) return undefined;
      const [all, quoted = '', plain = '', stop = ''] = match;
      end += all.length;
      if (!isLast && end === text.length && (stop === '' || stop === '\r')) return undefined;
      cells.push(quoted.replaceAll('""', '"') + plain);
      if (stop === '' || stop.startsWith('\r') || stop === '\n') return { cells, end };
      if (!this.#hasSeparator) this.#separateBy(stop);
    }
  }

  #separateBy(separator: string): void {
    this.#hasSeparator = true;
    this.#cell = cellPattern(separator);
  }
}
