// The columns of a table that is imported: which member of a customer or of a product each one holds.
import type { Address, CustomerContent, ProductContent } from '../parts/api-types.ts';
import { columnName } from '../parts/column-names.ts';
import { t } from '../parts/texts.ts';

export type ImportKind = 'customers' | 'products';

type Member = {
  readonly isRequired?: true;
  /** Whether several columns make one: a first name and a last name. */
  readonly isJoined?: true;
  /** What such columns are called, besides the shop's word and the API's name. */
  readonly headings: string;
};

type CustomerMember = 'id' | Exclude<keyof CustomerContent, 'address'> | `address.${keyof Address}`;

/** Headings in English and German; case, accents and signs don't count. */
const customerMembers: Readonly<Record<CustomerMember, Member>> = {
  id: { headings: 'number, nummer' },
  name: {
    isRequired: true,
    isJoined: true,
    headings:
      'customer, customer name, full name, company, first name, last name, surname, kunde, kundenname, firma, ' +
      'vorname, nachname, familienname',
  },
  email: { headings: 'mail, e-mail address, email address, e-mail-adresse, mailadresse' },
  phone: {
    headings: 'phone, phone number, telephone, tel, mobile, telefon, telefonnummer, handy, mobil',
  },
  'address.name': { headings: 'recipient, ship to, empfänger' },
  'address.line1': {
    isJoined: true,
    headings:
      'street and number, street, address, address line 1, address 1, street address, house number, straße, ' +
      'strasse, adresse, anschrift, straße und hausnummer, straße und nr, hausnummer',
  },
  'address.line2': { headings: 'address line 2, address 2, second line, adresszusatz, zusatz' },
  'address.postalCode': { headings: 'postal code, postcode, zip, zip code, plz, postleitzahl' },
  'address.city': { headings: 'city, town, ort, stadt, wohnort' },
  'address.region': { headings: 'region, state, province, county, bundesland' },
  'address.country': { headings: 'country, country code, land' },
  note: { headings: 'notes, comment, remark, notiz, bemerkung' },
  reference: { headings: 'customer no, customer number, kundennummer, kunden-nr, kd-nr' },
};

const productMembers: Readonly<Record<keyof ProductContent, Member>> = {
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
  customers: named(customerMembers),
  products: named(productMembers),
};

type NamedMember = Member & { readonly name: string };

function named(record: Readonly<Record<string, Member>>): NamedMember[] {
  return Object.entries(record).map(([name, member]) => ({ name, ...member }));
}

export function memberName(name: string): string {
  return name === 'id' ? t('Number in orderly') : columnName(name);
}

/** Returns what a column may hold: the name and the label of each member. */
export function memberChoices(kind: ImportKind): (readonly [name: string, label: string])[] {
  return members[kind].map(({ name, isRequired }) => [name, memberName(name) + (isRequired ? ' *' : '')]);
}

/** Returns the member that each column seems to hold; empty for one that seems to hold none. */
export function guessColumns(kind: ImportKind, heading: readonly string[]): string[] {
  const guesses: string[] = [];
  const isOwn = isOwnFile(heading);
  for (const column of heading) {
    const found = members[kind].find(
      (member) => headingsOf(member).includes(plain(column)) && (member.name !== 'id' || isOwn),
    );
    const isTaken = found !== undefined && guesses.includes(found.name) && found.isJoined !== true;
    guesses.push(found === undefined || isTaken ? '' : found.name);
  }
  return guesses;
}

/** Whether orderly has written the file: the numbers of any other one would name the wrong customers. */
function isOwnFile(heading: readonly string[]): boolean {
  const columns = heading.map((column) => plain(column.replace(/\(.*\)$/, '')));
  return ownColumns.every((names) => columns.some((column) => names.includes(column)));
}

/** The API's names, and the words of the console's files. */
const ownColumns = [
  ['userid', 'account', 'konto'],
  ['createdat', 'created', 'angelegt'],
  ['updatedat', 'changed', 'geandert'],
];

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
  const missing = members[kind].filter(({ name, isRequired }) => isRequired && !columns.includes(name));
  return missing.map(({ name }) => memberName(name));
}

/** Returns the text of each member in a row; that of several columns is joined by blanks. */
export function membersOf(cells: readonly string[], columns: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const [index, name] of columns.entries()) {
    const cell = (cells[index] ?? '').trim();
    if (name === '' || cell === '') continue;
    values.set(name, [values.get(name) ?? '', cell].join(' ').trim());
  }
  return values;
}
