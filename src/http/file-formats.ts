// How the elements of a list become the bytes of a file: JSON, one a line, or a table.
import { csvLine, type CsvTable } from '../csv.ts';
import type { Representation } from './representation.ts';

export type FileFormat<T> = {
  /** What the file begins with. */
  readonly head: string;
  readonly textOf: (element: Representation<T>) => Buffer;
};

export const ndjsonFormat: FileFormat<unknown> = {
  head: '',
  textOf: ({ text }) => Buffer.from(`${text}\n`, 'latin1'),
};

export function csvFormat<T>({ columns, rowsOf }: CsvTable<T>): FileFormat<T> {
  return {
    head: csvLine(columns),
    textOf({ text }) {
      const object: T = JSON.parse(Buffer.from(text, 'latin1').toString('utf8')); // it represents a T
      return Buffer.from(rowsOf(object).map(csvLine).join(''), 'utf8');
    },
  };
}
