// The text of a file: what it is encoded in, and what is no table at all.
import { language } from '../parts/language.ts';
import { t } from '../parts/texts.ts';

export type FileText = {
  readonly text: string;
  /** The label of the encoding (Encoding Standard). */
  readonly encoding: string;
  /** Whether nothing in the file says so. */
  readonly isGuessed: boolean;
};

export const megabytesMax = 32;

/** What a file may be encoded in that says nothing of it, and a language that it writes. */
const lettersOfLanguages =
  'windows-1252 en,windows-1250 pl,windows-1251 ru,windows-1253 el,windows-1254 tr,windows-1255 he,windows-1256 ar,' +
  'windows-1257 lt,windows-1258 vi,windows-874 th,shift_jis ja,gb18030 zh-CN,big5 zh-TW,euc-kr ko,iso-8859-2 cs,' +
  'koi8-r ru,macintosh en';

export function encodingChoices(): [label: string, name: string][] {
  const names = new Intl.DisplayNames(language, { type: 'language' });
  return lettersOfLanguages.split(',').map((pair) => {
    const [label = '', code = ''] = pair.split(' ');
    return [label, `${names.of(code) ?? code} (${label})`];
  });
}

/** What workbooks, PDFs and contact cards begin with. */
const otherFiles = ['PK', '\xd0\xcf\x11\xe0', '%PDF', 'BEGIN:VCARD'];

/**
 * What begins with a mark is UTF-16 or UTF-8, and what is no UTF-8 is guessed, unless the encoding was chosen. Throws a
 * sentence if it is no table.
 */
export async function textOfFile(file: Blob, chosen?: string): Promise<FileText> {
  if (file.size > megabytesMax * 1024 * 1024)
    throw new Error(t('The file is too large: it may have 32 MB. Divide it into several.'));
  const bytes = await file.arrayBuffer();
  const textIn = (encoding: string): string => new TextDecoder(encoding).decode(bytes);
  if (chosen !== undefined) return { text: textIn(chosen), encoding: chosen, isGuessed: true };
  const start = new TextDecoder('windows-1252').decode(bytes.slice(0, 64));
  for (const [mark, encoding] of marks)
    if (start.startsWith(mark)) return { text: textIn(encoding), encoding, isGuessed: false };
  if (start.includes('\0') || otherFiles.some((other) => start.startsWith(other)))
    throw new Error(t('This is no table: save it as CSV where it comes from, and choose that file.'));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, encoding: 'utf-8', isGuessed: false };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: textIn('windows-1252'), encoding: 'windows-1252', isGuessed: true };
  }
}

const marks = [
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
] as const;
