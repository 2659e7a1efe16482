// A file with a table, read as spreadsheets save it: UTF-8, UTF-16 or Windows-1252.
import { chunksOf } from '../parts/streams.ts';
import { type Separator, TableReader } from '../parts/table-text.ts';

type Encoding = 'utf-8' | 'utf-16le' | 'windows-1252';

/** So much is read in a turn of the event loop: a few milliseconds of work. */
const sliceCharacters = 16 * 1024;

/** What begins with a mark is UTF-16 or UTF-8, and what is no UTF-8 is what Windows wrote before. */
export async function encodingOf(file: Blob): Promise<Encoding> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunksOf(file.stream())) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return 'utf-8';
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252';
    throw error;
  }
}

/** Rows are counted as the spreadsheet counts them: from 1, the heading's. */
export type FileRow = { readonly number: number; readonly cells: readonly string[] };
type Slice = {
  readonly rows: readonly FileRow[];
  readonly bytesRead: number;
  readonly separator: Separator;
};

/** Yields the rows of the file that aren't blank, some at a time. Throws a sentence if it is no table. */
export async function* rowsOf(file: Blob, encoding: Encoding): AsyncGenerator<Slice> {
  const reader = new TableReader();
  let number = 0;
  let bytesRead = 0;
  const slice = (text: string, isLast = false): Slice => {
    const rows = reader.add(text, isLast).map((cells) => ({ number: (number += 1), cells }));
    return { rows: rows.filter(({ cells }) => !isBlank(cells)), bytesRead, separator: reader.separator };
  };
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunksOf(file.stream())) {
    const text = decoder.decode(chunk, { stream: true });
    const before = bytesRead;
    for (let at = 0; at < text.length; at += sliceCharacters) {
      const share = Math.min(1, (at + sliceCharacters) / text.length);
      bytesRead = before + chunk.length * share;
      yield slice(text.slice(at, at + sliceCharacters));
      await new Promise((resume) => setTimeout(resume));
    }
  }
  yield slice(decoder.decode(), true);
}

/** Spreadsheets save rows that are only formatted as separators. */
function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}
