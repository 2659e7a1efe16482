// What the console takes the columns of a file for, and the encodings that it reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessColumns, membersOf, readTable } from '../../src/console/office/import-table.ts';

/** Each column, and the member that it holds. */
for (const [what, kind, columns] of [
  [
    'the API’s',
    'customers',
    'id=id;userId=;name=name;email=email;address.line1=address.line1;' +
      'address.postalCode=address.postalCode;createdAt=;updatedAt=',
  ],
  [
    'those of its files of customers in German',
    'customers',
    'Nummer=id;Konto=;Name=name;Notiz=note;Angelegt (Europe/Vienna)=;Geändert (Europe/Vienna)=',
  ],
  ['another program’s, whose numbers are not orderly’s', 'customers', 'id=;name=name'],
  [
    'those of this console’s files',
    'products',
    'Number=;SKU=sku;Name=name;Price=unitPrice;Currency=currency;Barcode=barcode;Sold now=active;' +
      'Created (Europe/Berlin)=',
  ],
  [
    'those of its files in German',
    'products',
    'Nummer=;Art.-Nr.=sku;Name=name;Preis=unitPrice;Währung=currency;Strichcode=barcode;' +
      'Im Verkauf=active;Angelegt (Europe/Vienna)=',
  ],
  ['a till’s in German', 'products', 'Nr=sku;Name=name;Preis brutto=unitPrice;MwSt='],
  [
    'the API’s names, also without “address”',
    'customers',
    'name=name;phone=phone;line1=address.line1;line2=address.line2;postalCode=address.postalCode;' +
      'city=address.city;region=address.region;address.country=address.country',
  ],
  [
    'German ones',
    'customers',
    'Kundennummer=reference;Vorname=name;Nachname=name;E-Mail=email;Telefon=phone;Straße=address.line1;' +
      'Hausnr.=;PLZ=address.postalCode;Ort=address.city;Land=address.country',
  ],
  ['some twice', 'customers', 'First Name=name;LAST_NAME=name;Phone=phone;Mobile=phone'],
  [
    'Google’s contacts',
    'customers',
    'First Name=name;Middle Name=name;Last Name=name;Nickname=;Organization Name=company;Birthday=;' +
      'Notes=note;E-mail 1 - Label=;E-mail 1 - Value=email;Phone 1 - Label=;Phone 1 - Value=phone;' +
      'Address 1 - Formatted=;Address 1 - Street=address.line1;Address 1 - City=address.city;' +
      'Address 1 - Region=address.region;Address 1 - Postal Code=address.postalCode;' +
      'Address 1 - Country=address.country;Address 1 - Extended Address=address.line2',
  ],
  [
    'Google’s contacts, as they were',
    'customers',
    'Name=name;Given Name=;Family Name=;E-mail 1 - Value=email;E-mail 2 - Value=email;' +
      'Organization 1 - Name=company',
  ],
  [
    'Outlook’s',
    'customers',
    'First Name=name;Last Name=name;Company=company;Job Title=;E-mail Address=email;' +
      'Business Phone=phone;Home Phone=phone;Mobile Phone=phone;Business Street=address.line1;' +
      'Business City=address.city;Business Postal Code=address.postalCode;' +
      'Business Country/Region=address.country',
  ],
  [
    'Outlook’s in German',
    'customers',
    'Anrede=;Vorname=name;Nachname=name;Firma=company;E-Mail-Adresse=email;Telefon geschäftlich=phone;' +
      'Telefon privat=phone;Mobiltelefon=phone;Straße geschäftlich=address.line1;' +
      'Ort geschäftlich=address.city;Postleitzahl geschäftlich=address.postalCode;' +
      'Land/Region geschäftlich=address.country;Bundesland/Kanton geschäftlich=address.region;Notizen=',
  ],
  [
    'Apple’s',
    'customers',
    'First name=name;Last name=name;Organization=company;Email (home)=email;Phone (mobile)=phone;' +
      'Street (home)=address.line1;City (home)=address.city',
  ],
  ['a company’s, which is no place of a name', 'customers', 'Company Name=company;Work E-mail=email'],
  ['a last name beside a first one', 'customers', 'Name=name;Vorname=name'],
  ['unknown ones', 'products', 'Artikel=name;Lagerplatz=;EAN=barcode'],
] as const)
  test(`columns are recognized by their headings: ${what}`, () => {
    const heading = columns.split(';').map((column) => column.replace(/=.*/, ''));
    const guesses = guessColumns(kind, heading);
    assert.equal(heading.map((column, index) => `${column}=${guesses[index]}`).join(';'), columns);
  });

test('of several addresses the one is taken of which most rows have something', () => {
  const heading = ['Name', 'Business Street', 'Business City', 'Home Street', 'Home City'];
  const rows = [
    { cells: ['Ada', '', '', 'Street 1', 'Oldenburg'] },
    { cells: ['Grace', 'Street 2', '', 'Street 3', 'Leer'] },
  ];
  assert.deepEqual(guessColumns('customers', heading, rows), [
    'name',
    '',
    '',
    'address.line1',
    'address.city',
  ]);
});

test('a company is the name where there is no person, and goes to the note where there is one', () => {
  const columns = ['name', 'company', 'note', 'phone', 'phone'];
  const of = (...cells: string[]) => Object.fromEntries(membersOf(cells, columns));
  assert.deepEqual(of('', 'Muster GmbH', '', '', '2'), { name: 'Muster GmbH', phone: '2' });
  assert.deepEqual(of('Erika', 'Muster GmbH', 'Rings', '1', '2'), {
    name: 'Erika',
    note: 'Rings\nMuster GmbH',
    phone: '1',
  });
});

test('a cell that is text as a formula is that text', () => {
  assert.deepEqual(
    [...membersOf([String.raw`="00123"`, '="a "' + '"b"' + '""'], ['sku', 'name'])],
    [
      ['sku', '00123'],
      ['name', 'a "b"'],
    ],
  );
});

test('columns of one member are joined, and empty cells are no member', () => {
  const cells = [' Ada ', 'Lovelace', '', 'x'];
  assert.deepEqual([...membersOf(cells, ['name', 'name', 'email', ''])], [['name', 'Ada Lovelace']]);
  const note = 'Rings twice. Street 7';
  assert.deepEqual([...membersOf(['Rings twice.', 'Street 7'], ['note', 'note'])], [['note', note]]);
});

const text = 'name;city\nJürgen;Köln\n\n;\n„Ada“ – €;Łódź\n';
const windows = Buffer.from('name;city\nJ\xfcrgen;K\xf6ln\n\n;\n\x84Ada\x93 \x96 \x80;L\n', 'latin1');

for (const [what, bytes, encoding, last] of [
  ['UTF-8', Buffer.from(text), 'utf-8', '„Ada“ – €;Łódź'],
  ['UTF-8 with a byte-order mark', Buffer.from(`\ufeff${text}`), 'utf-8', '„Ada“ – €;Łódź'],
  ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le', '„Ada“ – €;Łódź'],
  ['UTF-16, the other way', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'utf-16be', '„Ada“ – €;Łódź'],
  ['Windows-1252', windows, 'windows-1252', '„Ada“ – €;L'],
] as const)
  test(`a file in ${what} is read, without its blank rows, which count`, async () => {
    const table = await readTable(new File([bytes], 'a.csv'));
    assert.deepEqual([table.encoding, table.isGuessed], [encoding, encoding === 'windows-1252']);
    assert.deepEqual(table.heading, ['name', 'city']);
    assert.deepEqual(
      table.rows.map(({ number, cells }) => `${number} ${cells.join(';')}`),
      ['2 Jürgen;Köln', `5 ${last}`],
    );
  });

test('a heading may begin as a workbook does', async () => {
  const { heading } = await readTable(new File(['PK;Name\n1;Ada\n'], 'a.csv'));
  assert.deepEqual(heading, ['PK', 'Name']);
});

for (const [what, bytes] of [
  ['a workbook that is called a table', Buffer.from('PK\x03\x04', 'latin1')],
  ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['a PDF', Buffer.from('%PDF-1.7')],
  ['contact cards', Buffer.from('BEGIN:VCARD\r\n')],
  ['NUL', Buffer.from('name\0')],
  [
    'a page that is called .xls',
    Buffer.from('\ufeff<html xmlns:x="urn:schemas-microsoft-com:office:excel">'),
  ],
  ['a workbook in XML', Buffer.from('<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>')],
  ['a letter', Buffer.from('{\\rtf1\\ansi')],
] as const)
  test(`a file is no table, and says what to do: ${what}`, () =>
    assert.rejects(readTable(new File([bytes], 'a.csv')), /CSV/));
