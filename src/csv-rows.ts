// Reads tables (RFC 4180) while their text arrives. Each row has the number of the line that it begins in.
// Cells may also be separated by semicolons or tabs, as spreadsheets write them where the decimal separator
// is a comma.

export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

const separators: readonly string[] = [',', ';', '\t'];

/** The state of the reader. In a quoted cell, a quote is followed by another quote or by the cell's end. */
type Place = 'start of a cell' | 'cell' | 'quoted cell' | 'after a quote';

export class CsvRows {
  readonly #rowCharsMax: number;
  /** Undefined until the heading shows it. */
  #separator: string | undefined;
  #place: Place = 'start of a cell';
  #cells: string[] = [];
  #cell = '';
  #rowChars = 0;
  #line = 1;
  #firstLine = 1;
  #rows: CsvRow[] = [];

  constructor(rowCharsMax: number) {
    this.#rowCharsMax = rowCharsMax;
  }

  /** Returns the rows that are complete. Throws a RangeError or SyntaxError with a sentence for people. */
  add(text: string): CsvRow[] {
    for (const character of text) this.#read(character);
    return this.#rows.splice(0);
  }

  /** Returns the last row, if no line break ends it. */
  end(): CsvRow[] {
    if (this.#place === 'quoted cell') throw this.#syntaxError('a quoted cell has no end');
    if (this.#cell !== '' || this.#cells.length > 0 || this.#place === 'after a quote') this.#endRow();
    return this.#rows.splice(0);
  }

  #read(character: string): void {
    if (character === '\n') this.#line += 1;
    this.#rowChars += 1;
    if (this.#rowChars > this.#rowCharsMax)
      throw new RangeError(
        `line ${this.#firstLine}: a row must have at most ${this.#rowCharsMax} characters`,
      );
    if (this.#place === 'quoted cell') return this.#readQuoted(character);
    if (this.#isSeparator(character)) return this.#endCell();
    if (character === '\n') return this.#endRow();
    if (character === '"') return this.#readQuote();
    if (this.#place === 'after a quote' && character !== '\r')
      throw this.#syntaxError('a quoted cell ends with its quote');
    if (this.#place === 'start of a cell') this.#place = 'cell';
    if (this.#place === 'cell') this.#cell += character;
  }

  /** The first one in the heading is that of the table: no name of a column contains any. */
  #isSeparator(character: string): boolean {
    if (this.#separator === undefined && separators.includes(character)) this.#separator = character;
    return character === this.#separator;
  }

  #readQuoted(character: string): void {
    if (character === '"') this.#place = 'after a quote';
    else this.#cell += character;
  }

  /** Reads a quote outside a quoted cell: the beginning of such a cell, or the second quote of a pair. */
  #readQuote(): void {
    if (this.#place === 'cell') throw this.#syntaxError('a cell with a quote must be in quotes');
    if (this.#place === 'after a quote') this.#cell += '"';
    this.#place = 'quoted cell';
  }

  #endCell(): void {
    const isPlain = this.#place === 'cell';
    this.#cells.push(isPlain && this.#cell.endsWith('\r') ? this.#cell.slice(0, -1) : this.#cell);
    this.#cell = '';
    this.#place = 'start of a cell';
  }

  /** Ends the row. An empty line is not a row. */
  #endRow(): void {
    this.#endCell();
    const isBlank = this.#cells.length === 1 && this.#cells[0] === '';
    if (!isBlank) {
      this.#rows.push({ line: this.#firstLine, cells: this.#cells });
      this.#separator ??= ',';
    }
    this.#cells = [];
    this.#rowChars = 0;
    this.#firstLine = this.#line;
  }

  #syntaxError(what: string): SyntaxError {
    return new SyntaxError(`line ${this.#line}: ${what}`);
  }
}
