// A file with a table, as spreadsheets save it: what it is encoded in, and its rows.
import { chunksOf } from '../parts/streams.ts';
import { type Separator, TableReader } from '../parts/table-text.ts';
import { language } from '../parts/language.ts';
import { t } from '../parts/texts.ts';

/** The label of an encoding (Encoding Standard); `isKnown` unless it was guessed. */
type Encoding = { readonly label: string; readonly isKnown: boolean };

/** What a file may be encoded in that says nothing of it, and a language that it writes. */
const languages =
  'windows-1252 en,windows-1250 pl,windows-1251 ru,windows-1253 el,windows-1254 tr,windows-1255 he,windows-1256 ar,' +
  'windows-1257 lt,windows-1258 vi,windows-874 th,shift_jis ja,gb18030 zh-CN,big5 zh-TW,euc-kr ko,iso-8859-2 cs,' +
  'koi8-r ru,macintosh en';

export function encodingChoices(): [label: string, name: string][] {
  const names = new Intl.DisplayNames(language, { type: 'language' });
  return languages.split(',').map((pair) => {
    const [label = '', code = ''] = pair.split(' ');
    return [label, `${names.of(code) ?? code} (${label})`];
  });
}

/** So much is read in a turn of the event loop: a few milliseconds of work. */
const sliceCharacters = 16 * 1024;

/** What workbooks, PDFs and contact cards begin with. */
const otherFiles = ['PK', '\xd0\xcf\x11\xe0', '%PDF', 'BEGIN:VCARD'];

/** What begins with a mark is UTF-16 or UTF-8, and what is no UTF-8 is guessed. Throws a sentence if it is no table. */
export async function encodingOf(file: Blob): Promise<Encoding> {
  const start = await file.slice(0, 64).arrayBuffer();
  const text = Array.from(new Uint8Array(start), (byte) => String.fromCharCode(byte)).join('');
  if (text.startsWith('\xff\xfe')) return { label: 'utf-16le', isKnown: true };
  if (text.startsWith('\xfe\xff')) return { label: 'utf-16be', isKnown: true };
  if (text.includes('\0') || otherFiles.some((other) => text.startsWith(other)))
    throw new Error(t('This is no table: save it as CSV where it comes from, and choose that file.'));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunksOf(file.stream())) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return { label: 'utf-8', isKnown: true };
  } catch (error) {
    if (error instanceof TypeError) return { label: 'windows-1252', isKnown: false };
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
export async function* rowsOf(file: Blob, encoding: string): AsyncGenerator<Slice> {
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
