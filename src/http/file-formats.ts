// The formats of exported files: one JSON object a line, or a table.
import { csvLine, csvLines, type CsvTable } from '../csv.ts';
import { toWireLatin1, type Representation } from './representation.ts';

export type FileFormat<T> = {
  /** The beginning of the file. */
  readonly head: string;
  /** Returns UTF-8 bytes, one character for each, as the text of a representation has them. */
  readonly textOf: (element: Representation<T>) => string;
};

export const ndjsonFormat: FileFormat<unknown> = {
  head: '',
  textOf: ({ text }) => `${text}\n`,
};

export function csvFormat<T>(table: CsvTable<T>): FileFormat<T> {
  return {
    head: csvLine(table.columns),
    textOf({ text }) {
      const object: T = JSON.parse(Buffer.from(text, 'latin1').toString('utf8')); // the text represents a T
      return toWireLatin1(csvLines(table, object));
    },
  };
}
