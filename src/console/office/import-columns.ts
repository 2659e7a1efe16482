// The columns of a table that is imported: which member of a customer or of a product each one holds.
import type { Address, CustomerContent, ProductContent } from '../parts/api-types.ts';
import { columnName } from '../parts/column-names.ts';
import { plainText } from '../parts/table-text.ts';
import { t } from '../parts/texts.ts';

export type ImportKind = 'customers' | 'products';

type Member = {
  readonly isRequired?: true;
  /** What several columns of it are: parts, such as a first name and a last name, or the first one with content counts. */
  readonly several?: 'parts' | 'first';
  /** What such columns are called, besides the shop's word and the API's name. */
  readonly headings: string;
};

type CustomerMember =
  'id' | 'company' | Exclude<keyof CustomerContent, 'address'> | `address.${keyof Address}`;

/**
 * Headings in English and German, of Google's, Outlook's and Apple's contacts, too; case, accents and signs don't
 * count, nor does of which of several addresses and numbers a column is.
 */
const customerColumns: Readonly<Record<CustomerMember, Member>> = {
  id: { headings: 'number, nummer' },
  name: {
    isRequired: true,
    several: 'parts',
    headings:
      'customer, customer name, full name, display name, first name, given name, middle name, additional name, ' +
      'last name, family name, surname, kunde, kundenname, vollständiger name, anzeigename, vorname, ' +
      'weitere vornamen, zweiter vorname, nachname, familienname',
  },
  company: {
    headings:
      'company name, organization, organization name, organization 1 name, organisation, firma, firmenname, ' +
      'unternehmen, name der organisation',
  },
  email: {
    several: 'first',
    headings: 'mail, e-mail address, email address, e-mail-adresse, mailadresse, e-mail wert',
  },
  phone: {
    several: 'first',
    headings:
      'phone, phone number, telephone, tel, mobile, mobile phone, cell, cell phone, iphone, telefon, telefonnummer, ' +
      'handy, mobil, mobiltelefon, mobilnummer, handynummer, telefon wert',
  },
  'address.name': { headings: 'recipient, ship to, empfänger' },
  'address.line1': {
    several: 'parts',
    headings:
      'street and number, street, address, address line 1, address 1, street address, house number, straße, ' +
      'strasse, adresse, anschrift, straße und hausnummer, straße und nr, hausnummer',
  },
  'address.line2': {
    headings:
      'address line 2, address 2, second line, extended address, adresszusatz, zusatz, street 2, straße 2',
  },
  'address.postalCode': {
    headings: 'postal code, postcode, zip, zip code, zip/postal code, plz, postleitzahl',
  },
  'address.city': { headings: 'city, town, ort, stadt, wohnort' },
  'address.region': {
    headings: 'region, state, province, county, state/province, bundesland, bundesland/kanton',
  },
  'address.country': { headings: 'country, country code, country/region, land, land/region' },
  note: { headings: 'notes, comment, remark, notiz, bemerkung' },
  reference: { headings: 'customer no, customer number, kundennummer, kunden-nr, kd-nr' },
};

const productColumns: Readonly<Record<keyof ProductContent, Member>> = {
  sku: {
    isRequired: true,
    headings: 'article number, item number, product code, code, artikelnummer, artikel-nr, art-nr',
  },
  name: {
    isRequired: true,
    headings:
      'item, product, product name, article, title, description, artikel, artikelname, bezeichnung, produkt',
  },
  unitPrice: {
    isRequired: true,
    headings: 'price, unit price, retail price, preis, verkaufspreis, vk, vk-preis, bruttopreis, einzelpreis',
  },
  currency: { headings: 'währung' },
  barcode: { headings: 'ean, gtin, upc, ean-code, strichcode' },
  active: { headings: 'sold now, im verkauf, aktiv' },
};

const members: Readonly<Record<ImportKind, readonly NamedMember[]>> = {
  customers: named(customerColumns),
  products: named(productColumns),
};

type NamedMember = Member & { readonly name: string };

function named(record: Readonly<Record<string, Member>>): NamedMember[] {
  return Object.entries(record).map(([name, member]) => ({ name, ...member }));
}

export function memberName(name: string): string {
  if (name === 'company') return t('Company: the name if there is no person, else in the note');
  return name === 'id' ? t('Number in orderly') : columnName(name);
}

/** Returns what a column may hold: the name and the label of each member. */
export function memberChoices(kind: ImportKind): (readonly [name: string, label: string])[] {
  return members[kind].map(({ name, isRequired }) => [name, memberName(name) + (isRequired ? ' *' : '')]);
}

/** Returns the member that each column seems to hold; empty for one that seems to hold none. */
export function guessColumns(
  kind: ImportKind,
  heading: readonly string[],
  rows: readonly Row[] = [],
): string[] {
  const isOwn = isOwnFile(heading);
  const isFull = nameParts.every((part) => heading.some((column) => part.test(plain(column))));
  const place = placeOf(heading, rows);
  const guesses: string[] = [];
  for (const column of heading) {
    const names = [plain(column), withoutPlace(column)];
    const found = members[kind].find((member) => headingsOf(member).some((name) => names.includes(name)));
    const { name = '', several } = found ?? {};
    const isLeftOut =
      (name === 'id' && !isOwn) ||
      (name === 'name' && isFull && !fullName.test(plain(column))) ||
      (name.startsWith('address.') && ![undefined, place].includes(placeIn(column))) ||
      (guesses.includes(name) && several === undefined);
    guesses.push(isLeftOut ? '' : name);
  }
  return guesses;
}

type Row = { readonly cells: readonly string[] };

const fullName = /^(name|fullname|displayname|vollstandigername|anzeigename)$/;
/** A file may have the whole name and its parts. */
const nameParts = [
  fullName,
  /^(firstname|givenname|vorname)$/,
  /^(lastname|familyname|surname|nachname|familienname)$/,
];

/** Of which of a person's addresses or numbers a column is, before or after what it is. */
const places =
  /^(business|work|home|other|private|primary|company|address1|address2|adresse1|adresse2)|(geschaftlich|privat|weitere|weiterer|weiteres|arbeit|business|work|home|other|main|mobile|haupt|1value|2value|3value|1wert|2wert)$/;

function placeIn(column: string): string | undefined {
  return places.exec(plain(column))?.[0];
}

function withoutPlace(column: string): string {
  const name = plain(column);
  return name.replace(places, '') || name;
}

/** The address of which most rows have something. */
function placeOf(heading: readonly string[], rows: readonly Row[]): string | undefined {
  const counts = new Map<string, number>();
  for (const [index, column] of heading.entries()) {
    const place = placeIn(column);
    if (place === undefined || !headingsOf(streets).includes(withoutPlace(column))) continue;
    const filled = rows.filter(({ cells }) => (cells[index] ?? '').trim() !== '').length;
    counts.set(place, (counts.get(place) ?? 0) + filled);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

const streets: NamedMember = { name: 'address.line1', ...customerColumns['address.line1'] };

/** Whether orderly has written the file: the numbers of any other one would name the wrong customers. */
function isOwnFile(heading: readonly string[]): boolean {
  return ownColumns.every((own) => heading.some((column) => own.test(plainTime(column))));
}

/** The API's names, and the words of the console's files. */
const ownColumns = [
  /^(userid|account|konto)$/,
  /^(createdat|created|angelegt)$/,
  /^(updatedat|changed|geandert)$/,
];

/** Whether the column has what the service sets, in a file that orderly has written. */
export function isOfService(column: string): boolean {
  return [/^(number|nummer)$/, ...ownColumns].some((own) => own.test(plainTime(column)));
}

/** Times have their zone in the heading. */
function plainTime(column: string): string {
  return plain(column.replace(/\(.*\)$/, ''));
}

function headingsOf({ name, headings }: NamedMember): string[] {
  return [name, memberName(name), ...headings.split(', ')].map(plain);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the labels of the members without which nothing can be imported. */
export function missingMembers(kind: ImportKind, columns: readonly string[]): string[] {
  const given = columns.includes('company') ? [...columns, 'name'] : columns;
  const missing = members[kind].filter(({ name, isRequired }) => isRequired && !given.includes(name));
  return missing.map(({ name }) => memberName(name));
}

/** Returns the text of each member in a row; that of several columns is joined by blanks, or is the first one. */
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
  const member = values.has('name') ? 'note' : 'name';
  const before = values.get(member);
  return values.set(member, before === undefined ? company : `${before}\n${company}`);
}

const joined = ['name', 'address.line1'];
