// What the console takes the columns of a file for, and the encodings that it reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessColumns, membersOf, missingMembers } from '../../src/console/office/import-columns.ts';
import { encodingOf, type FileRow, rowsOf } from '../../src/console/office/import-file.ts';

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
  ['some twice', 'customers', ['First Name', 'LAST_NAME', 'Phone', 'Mobile'], ['name', 'name', 'phone', '']],
  ['unknown ones', 'products', ['Artikel', 'Lagerplatz', 'EAN'], ['name', '', 'barcode']],
] as const)
  test(`columns are recognized by their headings: ${what}`, () =>
    assert.deepEqual(guessColumns(kind, heading), expected));

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
  ['Windows-1252', windows, 'windows-1252', '„Ada“ – €;L'],
] as const)
  test(`a file in ${what} is read, without its blank rows, which count`, async () => {
    const file = new Blob([bytes]);
    assert.equal(await encodingOf(file), encoding);
    const rows: FileRow[] = [];
    for await (const slice of rowsOf(file, encoding)) rows.push(...slice.rows);
    assert.deepEqual(
      rows.map(({ number, cells }) => `${number} ${cells.join(';')}`),
      ['1 name;city', '2 Jürgen;Köln', `5 ${last}`],
    );
  });
