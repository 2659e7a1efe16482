// Reads tables (RFC 4180) while their text arrives, as spreadsheets read them. Rows are counted as there: from 1,
// including blank rows; a row with line breaks within its cells is one row, and a first line `sep=;` is none. Cells
// may also be separated by semicolons or tabs, as spreadsheets write them where the decimal separator is a comma, or
// by bars. The sign that ends files of DOS means nothing.

export type CsvRow = { readonly number: number; readonly cells: readonly string[] };

const separators: readonly string[] = [',', ';', '\t', '|'];

/** The state of the reader. In a quoted cell, a quote is followed by another quote or by the cell's end. */
type Place = 'start of a cell' | 'cell' | 'quoted cell' | 'after a quote';

export class CsvRows {
  readonly #rowCharsMax: number;
  /** The separator of cells; undefined until the heading shows it. */
  #separator: string | undefined;
  #place: Place = 'start of a cell';
  #cells: string[] = [];
  #cell = '';
  #rowChars = 0;
  #number = 1;
  /** Whether the last character was the CR that ended a row: its LF ends no other. */
  #isAfterReturn = false;

  constructor(rowCharsMax: number) {
    this.#rowCharsMax = rowCharsMax;
  }

  /** The number of the row that is being read. */
  get number(): number {
    return this.#number;
  }

  /** Yields the rows that are complete. Throws a RangeError or SyntaxError with a sentence for people. */
  *add(text: string): Generator<CsvRow> {
    for (const character of text) {
      if (!this.#endsRow(character)) continue;
      yield* this.#endRow();
    }
  }

  /** Yields the last row, if no line break ends it. */
  *end(): Generator<CsvRow> {
    if (this.#place === 'quoted cell') throw new SyntaxError('A quoted cell has no end.');
    this.#cell = this.#cell.replace(/\u001a$/, '');
    yield* this.#endRow();
  }

  #endsRow(character: string): boolean {
    this.#rowChars += 1;
    if (this.#rowChars > this.#rowCharsMax)
      throw new RangeError(`A row must have at most ${this.#rowCharsMax} characters.`);
    const isSecondOfTwo = this.#isAfterReturn && character === '\n';
    this.#isAfterReturn = false;
    if (this.#place === 'quoted cell') this.#readQuoted(character);
    else if (isSecondOfTwo) this.#rowChars = 0;
    else if (character === '\n') return true;
    else if (character === '\r') return (this.#isAfterReturn = true);
    else if (this.#isSeparator(character)) this.#endCell();
    else if (character === '"') this.#readQuote();
    else this.#readPlain(character);
    return false;
  }

  /**
   * Whether the character separates cells. The first separator in the heading is the table's: no column's
   * name contains one.
   */
  #isSeparator(character: string): boolean {
    if (this.#separator === undefined && separators.includes(character)) this.#separator = character;
    return character === this.#separator;
  }

  #readQuoted(character: string): void {
    if (character === '"') this.#place = 'after a quote';
    else this.#cell += character;
  }

  /**
   * Reads a quote outside a quoted cell: the beginning of such a cell, the second quote of a pair, or, as in
   * `5" nails` and `="00123"`, a character like others.
   */
  #readQuote(): void {
    if (this.#place === 'cell') return this.#readPlain('"');
    if (this.#place === 'after a quote') this.#cell += '"';
    this.#place = 'quoted cell';
  }

  #readPlain(character: string): void {
    this.#place = 'cell';
    this.#cell += character;
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#place = 'start of a cell';
  }

  /** Yields the row unless it is blank: spreadsheets save rows that are only formatted as separators. */
  *#endRow(): Generator<CsvRow> {
    this.#endCell();
    const row = { number: this.#number, cells: this.#cells };
    this.#cells = [];
    this.#rowChars = 0;
    const [, named] = /^sep=([,;\t|]?)$/i.exec(row.number === 1 ? row.cells.join('') : '') ?? [];
    if (named !== undefined) {
      if (named !== '') this.#separator = named; // else it was the first separator
      return;
    }
    this.#number += 1;
    if (row.cells.every((cell) => cell.trim() === '')) return;
    this.#separator ??= ',';
    yield row;
  }
}
