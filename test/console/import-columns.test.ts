// What the console takes the columns of a file for, and the encodings that it reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessColumns, membersOf, missingMembers } from '../../src/console/office/import-columns.ts';
import { readTable } from '../../src/console/office/import-file.ts';

for (const [what, kind, heading, expected] of [
  [
    'the API’s',
    'customers',
    ['id', 'userId', 'name', 'email', 'address.line1', 'address.postalCode', 'createdAt', 'updatedAt'],
    ['id', '', 'name', 'email', 'address.line1', 'address.postalCode', '', ''],
  ],
  [
    'those of its files of customers in German',
    'customers',
    ['Nummer', 'Konto', 'Name', 'Notiz', 'Angelegt (Europe/Vienna)', 'Geändert (Europe/Vienna)'],
    ['id', '', 'name', 'note', '', ''],
  ],
  ['another program’s, whose numbers are not orderly’s', 'customers', ['id', 'name'], ['', 'name']],
  [
    'those of this console’s files',
    'products',
    ['Number', 'SKU', 'Name', 'Price', 'Currency', 'Barcode', 'Sold now', 'Created (Europe/Berlin)'],
    ['', 'sku', 'name', 'unitPrice', 'currency', 'barcode', 'active', ''],
  ],
  [
    'those of its files in German',
    'products',
    [
      'Nummer',
      'Art.-Nr.',
      'Name',
      'Preis',
      'Währung',
      'Strichcode',
      'Im Verkauf',
      'Angelegt (Europe/Vienna)',
    ],
    ['', 'sku', 'name', 'unitPrice', 'currency', 'barcode', 'active', ''],
  ],
  [
    'German ones',
    'customers',
    ['Kundennummer', 'Vorname', 'Nachname', 'E-Mail', 'Telefon', 'Straße', 'Hausnr.', 'PLZ', 'Ort', 'Land'],
    [
      'reference',
      'name',
      'name',
      'email',
      'phone',
      'address.line1',
      '',
      'address.postalCode',
      'address.city',
      'address.country',
    ],
  ],
  [
    'some twice',
    'customers',
    ['First Name', 'LAST_NAME', 'Phone', 'Mobile'],
    ['name', 'name', 'phone', 'phone'],
  ],
  [
    'Google’s contacts',
    'customers',
    [
      'First Name',
      'Middle Name',
      'Last Name',
      'Nickname',
      'Organization Name',
      'Birthday',
      'Notes',
      'E-mail 1 - Label',
      'E-mail 1 - Value',
      'Phone 1 - Label',
      'Phone 1 - Value',
      'Address 1 - Formatted',
      'Address 1 - Street',
      'Address 1 - City',
      'Address 1 - Region',
      'Address 1 - Postal Code',
      'Address 1 - Country',
      'Address 1 - Extended Address',
    ],
    [
      'name',
      'name',
      'name',
      '',
      'company',
      '',
      'note',
      '',
      'email',
      '',
      'phone',
      '',
      'address.line1',
      'address.city',
      'address.region',
      'address.postalCode',
      'address.country',
      'address.line2',
    ],
  ],
  [
    'Google’s contacts, as they were',
    'customers',
    ['Name', 'Given Name', 'Family Name', 'E-mail 1 - Value', 'E-mail 2 - Value', 'Organization 1 - Name'],
    ['name', '', '', 'email', 'email', 'company'],
  ],
  [
    'Outlook’s',
    'customers',
    [
      'First Name',
      'Last Name',
      'Company',
      'Job Title',
      'E-mail Address',
      'Business Phone',
      'Home Phone',
      'Mobile Phone',
      'Business Street',
      'Business City',
      'Business Postal Code',
      'Business Country/Region',
    ],
    [
      'name',
      'name',
      'company',
      '',
      'email',
      'phone',
      'phone',
      'phone',
      'address.line1',
      'address.city',
      'address.postalCode',
      'address.country',
    ],
  ],
  [
    'Outlook’s in German',
    'customers',
    [
      'Anrede',
      'Vorname',
      'Nachname',
      'Firma',
      'E-Mail-Adresse',
      'Telefon geschäftlich',
      'Telefon privat',
      'Mobiltelefon',
      'Straße geschäftlich',
      'Ort geschäftlich',
      'Postleitzahl geschäftlich',
      'Land/Region geschäftlich',
      'Bundesland/Kanton geschäftlich',
      'Notizen',
    ],
    [
      '',
      'name',
      'name',
      'company',
      'email',
      'phone',
      'phone',
      'phone',
      'address.line1',
      'address.city',
      'address.postalCode',
      'address.country',
      'address.region',
      '',
    ],
  ],
  [
    'Apple’s',
    'customers',
    [
      'First name',
      'Last name',
      'Organization',
      'Email (home)',
      'Phone (mobile)',
      'Street (home)',
      'City (home)',
    ],
    ['name', 'name', 'company', 'email', 'phone', 'address.line1', 'address.city'],
  ],
  [
    'a company’s, which is no place of a name',
    'customers',
    ['Company Name', 'Work E-mail'],
    ['company', 'email'],
  ],
  ['a last name beside a first one', 'customers', ['Name', 'Vorname'], ['name', 'name']],
  ['unknown ones', 'products', ['Artikel', 'Lagerplatz', 'EAN'], ['name', '', 'barcode']],
] as const)
  test(`columns are recognized by their headings: ${what}`, () =>
    assert.deepEqual(guessColumns(kind, heading), expected));

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
  assert.deepEqual(missingMembers('customers', ['company']), []);
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
  assert.deepEqual(missingMembers('products', ['name']), ['SKU', 'Price']);
  assert.deepEqual(missingMembers('customers', ['name']), []);
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

for (const [what, bytes] of [
  ['a workbook that is called a table', Buffer.from('PK\x03\x04', 'latin1')],
  ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['a PDF', Buffer.from('%PDF-1.7')],
  ['contact cards', Buffer.from('BEGIN:VCARD\r\n')],
  ['NUL', Buffer.from('name\0')],
] as const)
  test(`a file is no table, and says what to do: ${what}`, () =>
    assert.rejects(readTable(new File([bytes], 'a.csv')), /CSV/));
