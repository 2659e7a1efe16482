// How the elements of a list become the bytes of a file: JSON, one a line, or a table.
import { csvLine, type CsvTable } from '../csv.ts';
import { toWireLatin1, type Representation } from './representation.ts';

export type FileFormat<T> = {
  /** What the file begins with. */
  readonly head: string;
  /** Bytes of UTF-8, one a character, as those of the representation. */
  readonly textOf: (element: Representation<T>) => string;
};

export const ndjsonFormat: FileFormat<unknown> = {
  head: '',
  textOf: ({ text }) => `${text}\n`,
};

export function csvFormat<T>({ columns, rowsOf }: CsvTable<T>): FileFormat<T> {
  return {
    head: csvLine(columns),
    textOf({ text }) {
      const object: T = JSON.parse(Buffer.from(text, 'latin1').toString('utf8')); // it represents a T
      return toWireLatin1(rowsOf(object).map(csvLine).join(''));
    },
  };
}
