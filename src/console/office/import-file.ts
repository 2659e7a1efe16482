// The table in a file that is imported: its letters, its heading and its rows.
import { language } from '../parts/language.ts';
import { type FileRow, rowsOf } from '../parts/table-text.ts';
import { t } from '../parts/texts.ts';
import { inPieces } from '../parts/pieces.ts';

export type Table = {
  readonly file: File;
  /** The label of the encoding (Encoding Standard). */
  readonly encoding: string;
  /** Whether nothing in the file says so. */
  readonly isGuessed: boolean;
  readonly heading: readonly string[];
  readonly rows: readonly FileRow[];
};

export const megabytesMax = 32;

/** Reads the file in the encoding that was chosen, if any was. Throws a sentence if it is no table. */
export async function readTable(file: File, chosen?: string): Promise<Table> {
  if (file.size > megabytesMax * 1024 * 1024)
    throw new Error(t('The file is too large: it may have 32 MB. Divide it into several.'));
  const bytes = await file.arrayBuffer();
  const known = chosen ?? encodingOf(bytes);
  const encoding = known ?? 'windows-1252';
  const rows: FileRow[] = [];
  await inPieces(rowsOf(new TextDecoder(encoding).decode(bytes)), (row) => rows.push(row));
  const first = rows.shift();
  if (first === undefined) throw new Error(t('The file is empty.'));
  // spreadsheets save columns that are only formatted without a name
  const heading = first.cells.slice(0, first.cells.findLastIndex((cell) => cell.trim() !== '') + 1);
  return { file, encoding, isGuessed: known === undefined || chosen !== undefined, heading, rows };
}

/** What workbooks, PDFs and contact cards begin with. */
const otherFiles = ['PK', '\xd0\xcf\x11\xe0', '%PDF', 'BEGIN:VCARD'];

/** What begins with a mark is UTF-16; what is no UTF-8 either is unknown. */
function encodingOf(bytes: ArrayBuffer): string | undefined {
  const start = new TextDecoder('windows-1252').decode(bytes.slice(0, 64));
  if (start.startsWith('\xff\xfe')) return 'utf-16le';
  if (start.startsWith('\xfe\xff')) return 'utf-16be';
  if (start.includes('\0') || otherFiles.some((other) => start.startsWith(other)))
    throw new Error(t('This is no table: save it as CSV where it comes from, and choose that file.'));
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return undefined;
  }
}

/** What a file may be encoded in that says nothing of it, and a language that it writes. */
const lettersOfLanguages =
  'windows-1252 en,windows-1250 pl,windows-1251 ru,windows-1253 el,windows-1254 tr,windows-1255 he,windows-1256 ar,' +
  'windows-1257 lt,windows-1258 vi,windows-874 th,shift_jis ja,gb18030 zh-CN,big5 zh-TW,euc-kr ko,iso-8859-2 cs,' +
  'koi8-r ru,macintosh en';

export function encodingChoices(): (readonly [label: string, name: string])[] {
  const names = new Intl.DisplayNames(language, { type: 'language' });
  return lettersOfLanguages.split(',').map((pair) => {
    const [label = '', code = ''] = pair.split(' ');
    return [label, `${names.of(code) ?? code} (${label})`];
  });
}
