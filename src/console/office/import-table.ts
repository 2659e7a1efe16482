// The table in a file that is imported: its letters, its heading and its rows, and which member of a customer or of a
// product each column holds.
import type { Address, CustomerContent, ProductContent } from '../words/api-types.ts';
import { columnName } from '../words/column-names.ts';
import { language } from '../words/language.ts';
import { inPieces } from '../browser/pieces.ts';
import { type FileRow, plainText, rowsOf } from '../lists/table-text.ts';
import { t } from '../words/texts.ts';

export type ImportKind = 'customers' | 'products';

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

/** What workbooks, PDFs, contact cards and pages that are called .xls begin with. */
const otherFile =
  /^(PK\x03\x04|\xd0\xcf\x11\xe0|%PDF|BEGIN:VCARD|\{\\rtf|(\xef\xbb\xbf)?\s*<(\?xml|!doctype|html|table|meta))/i;

/** What begins with a mark is UTF-16; what is no UTF-8 either is unknown. */
function encodingOf(bytes: ArrayBuffer): string | undefined {
  const start = new TextDecoder('windows-1252').decode(bytes.slice(0, 64));
  if (start.startsWith('\xff\xfe')) return 'utf-16le';
  if (start.startsWith('\xfe\xff')) return 'utf-16be';
  if (start.includes('\0') || otherFile.test(start))
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
    return [label, `${code === 'en' ? t('Western European') : names.of(code)} (${label})`];
  });
}

type CustomerMember =
  'id' | 'company' | Exclude<keyof CustomerContent, 'address'> | `address.${keyof Address}`;

const wholeName = 'name, full name, display name, vollständiger name, anzeigename';
const firstName = 'first name, given name, vorname';
const lastName = 'last name, family name, surname, nachname, familienname';
const nameParts = [wholeName, firstName, lastName];

/**
 * Headings in English and German, of Google's, Outlook's and Apple's contacts, too, besides the API's names and the
 * shop's words. Case, accents and signs don't count.
 */
const customerHeadings: Readonly<Record<CustomerMember, string>> = {
  id: 'number, nummer',
  name:
    `${nameParts.join(', ')}, customer, customer name, middle name, additional name, kunde, kundenname, ` +
    'weitere vornamen, zweiter vorname',
  company:
    'company, company name, organization, organization name, organization 1 name, organisation, firma, ' +
    'firmenname, unternehmen, name der organisation',
  email: 'mail, e-mail address, email address, e-mail-adresse, mailadresse, e-mail wert',
  phone:
    'phone, phone number, telephone, tel, mobile, mobile phone, cell, cell phone, iphone, telefon, telefonnummer, ' +
    'handy, mobil, mobiltelefon, mobilnummer, handynummer, telefon wert',
  'address.name': 'recipient, ship to, empfänger',
  'address.line1':
    'street and number, street, address, address line 1, address 1, street address, house number, straße, ' +
    'strasse, adresse, anschrift, straße und hausnummer, straße und nr, hausnummer',
  'address.line2':
    'address line 2, address 2, second line, extended address, adresszusatz, zusatz, street 2, straße 2',
  'address.postalCode': 'postal code, postcode, zip, zip code, zip/postal code, plz, postleitzahl',
  'address.city': 'city, town, ort, stadt, wohnort',
  'address.region': 'region, state, province, county, state/province, bundesland, bundesland/kanton',
  'address.country': 'country, country code, country/region, land, land/region',
  note: 'notes, comment, remark, notiz, bemerkung',
  reference: 'customer no, customer number, kundennummer, kunden-nr, kd-nr',
};

const productHeadings: Readonly<Record<keyof ProductContent, string>> = {
  sku: 'no, nr, article number, item number, product code, code, artikelnummer, artikel-nr, art-nr',
  name: 'item, product, product name, article, title, description, artikel, artikelname, bezeichnung, produkt',
  unitPrice:
    'price, unit price, retail price, preis, verkaufspreis, vk, vk-preis, bruttopreis, preis brutto, gross price, einzelpreis',
  currency: 'währung',
  barcode: 'ean, gtin, upc, ean-code, strichcode',
  active: 'sold now, im verkauf, aktiv',
};

const headings: Readonly<Record<ImportKind, Readonly<Record<string, string>>>> = {
  customers: customerHeadings,
  products: productHeadings,
};
/** A product without a SKU has its barcode as one. */
const required = ['name', 'unitPrice'];
/** A file may have several columns of these. */
const several = ['name', 'address.line1', 'email', 'phone'];
/** Where several columns were chosen for one of these, a row has all of them joined; else the first one with content. */
const joined = ['name', 'address.line1', 'note'];

/** What the service sets: the API's names, and the words of the console's files. */
const serviceHeadings = [
  'user id, account, konto',
  'created at, created, angelegt',
  'updated at, changed, geändert',
];

/** Returns whether the column holds what the service sets itself, as in the console's own files: nobody misses it. */
export function isSetByService(kind: ImportKind, column: string): boolean {
  const own = kind === 'products' ? [...serviceHeadings, 'id, number, nummer'] : serviceHeadings;
  return own.some((words) => wordsIn(words).has(plain(column)));
}

export function memberName(name: string): string {
  if (name === 'company') return t('Company: the name if there is no person, else in the note');
  return name === 'id' ? t('Number in orderly') : columnName(name);
}

/** Returns what a column may hold: the name and the label of each member. */
export function memberChoices(kind: ImportKind): (readonly [name: string, label: string])[] {
  const labelOf = (name: string): string => memberName(name) + (required.includes(name) ? ' *' : '');
  return Object.keys(headings[kind]).map((name) => [name, labelOf(name)]);
}

/** Words of headings for a kind of address or number, as in “Work phone” and “Phone 1 - Value”. */
const places =
  /^(business|work|home|other|private|primary|company|add?resse?[12])|(geschaftlich|privat|weitere[rs]?|arbeit|business|work|home|other|main|mobile|haupt|[1-3](value|wert))$/;

/** Returns the member that each column seems to hold; empty for one that seems to hold none. */
export function guessColumns(
  kind: ImportKind,
  heading: readonly string[],
  rows: readonly { readonly cells: readonly string[] }[] = [],
): string[] {
  const known = Object.entries(headings[kind]).map(
    ([name, words]) =>
      [name, wordsIn(`${name}, ${name.replace('address.', '')}, ${memberName(name)}, ${words}`)] as const,
  );
  const memberOf = (text: string): string | undefined => known.find(([, words]) => words.has(text))?.[0];
  const has = (words: string): boolean => heading.some((column) => wordsIn(words).has(plain(column)));
  const columns = heading.map((column, index) => {
    const letters = lettersOf(column);
    const [place] = places.exec(letters) ?? [];
    const name = memberOf(plain(column)) ?? memberOf(letters.replace(places, '')) ?? '';
    const filled = rows.filter(({ cells }) => (cells[index] ?? '').trim() !== '').length;
    return { column, place, name, filled };
  });
  const streets = columns.filter(({ name, place }) => name === 'address.line1' && place !== undefined);
  const [fullest] = streets.sort((a, b) => b.filled - a.filled);
  // the numbers of a file that orderly has not written would name the wrong customers
  const isOwn = serviceHeadings.every(has);
  const hasParts = nameParts.every(has);
  const guesses = new Set<string>();
  return columns.map(({ column, place, name }) => {
    const isPart = name !== 'name' || !hasParts || wordsIn(wholeName).has(plain(column));
    const isOfPlace = !name.startsWith('address.') || place === undefined || place === fullest?.place;
    const isNew = several.includes(name) || !guesses.has(name);
    if ((name === 'id' && !isOwn) || !isPart || !isOfPlace || !isNew) return '';
    guesses.add(name);
    return name;
  });
}

function wordsIn(words: string): ReadonlySet<string> {
  return new Set(words.split(', ').map(plain));
}

/** Times have their zone in the heading, and Apple's contacts their place. */
function plain(text: string): string {
  return lettersOf(text.replace(/\(.*\)$/, ''));
}

function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the text of each member in a row. A company is the name of who has none, and else a line of the note. */
export function membersOf(cells: readonly string[], columns: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const [index, name] of columns.entries()) {
    const cell = plainText((cells[index] ?? '').trim());
    const before = values.get(name);
    if (name === '' || cell === '') continue;
    if (before === undefined) values.set(name, cell);
    else if (joined.includes(name)) values.set(name, `${before} ${cell}`);
  }
  const company = values.get('company');
  if (company === undefined) return values;
  values.delete('company');
  if (!values.has('name')) return values.set('name', company);
  const note = values.get('note');
  return values.set('note', note === undefined ? company : `${note}\n${company}`);
}
