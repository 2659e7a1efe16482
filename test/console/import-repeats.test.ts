// Rows of a file that would overwrite an earlier row of the same file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NamedRows, type Repeat } from '../../src/console/office/import-repeats.ts';

type Values = Readonly<Record<string, string>>;

/** Returns what the last row repeats. */
function repeatOf(rows: readonly Values[]): Repeat | undefined {
  const named = new NamedRows();
  let repeat: Repeat | undefined;
  for (const [index, values] of rows.entries()) {
    const text = JSON.stringify(values);
    repeat = named.add({ number: index + 2, values: new Map(Object.entries(values)), text });
  }
  return repeat;
}

for (const [what, rows, member] of [
  ['SKU', [{ sku: 'TEA' }, { sku: 'tea', name: 'Other' }], 'sku'],
  ['own number', [{ reference: 'K-1' }, { reference: 'K-1', name: 'Other' }], 'reference'],
  ['e-mail address', [{ email: 'a@b.de' }, { email: 'A@b.de', name: 'Other' }], 'email'],
  [
    'phone number and name',
    [
      { phone: '0441 12', name: 'Zoë' },
      { phone: '0441/12', name: 'zoe' },
    ],
    'phone',
  ],
  ['number in orderly', [{ id: '1' }, { id: '1', name: 'Other' }], 'id'],
  ['address, with a number', [{ email: 'a@b.de' }, { reference: 'K-1', email: 'a@b.de' }], 'email'],
] as const)
  test(`a row with the ${what} of an earlier one, and other content, is a fault`, () => {
    assert.deepEqual(repeatOf(rows), { row: 2, member });
  });

for (const [what, rows] of [
  ['the same row again', [{ sku: 'TEA' }, { sku: 'TEA' }]],
  [
    'own numbers and the same address',
    [
      { reference: 'K-1', email: 'a@b.de' },
      { reference: 'K-2', email: 'a@b.de' },
    ],
  ],
  [
    'addresses and the same telephone',
    [
      { email: 'a@b.de', phone: '1' },
      { email: 'c@b.de', phone: '1' },
    ],
  ],
  [
    'numbers in orderly and the same address',
    [
      { id: '1', email: 'a@b.de' },
      { id: '2', email: 'a@b.de' },
    ],
  ],
  [
    'the telephone of a family',
    [
      { phone: '0441 12', name: 'Mother' },
      { phone: '0441/12', name: 'Son' },
    ],
  ],
  ['nothing that names them', [{ name: 'Ada' }, { name: 'Ada', note: 'x' }]],
] as const)
  test(`rows with ${what} are no fault`, () => assert.equal(repeatOf(rows), undefined));

test('rows of one telephone or e-mail address are noticed, as second customers', () => {
  const rows = [
    { phone: '0441 12', name: 'Mother' },
    { phone: '0441/12', name: 'Son' },
    { email: 'a@b.de' },
    { email: 'A@b.de' },
    { name: 'Nobody' },
  ];
  const named = new NamedRows();
  const noticed = rows.map((values) => named.addContacts({ values: new Map(Object.entries(values)) }));
  assert.deepEqual(noticed, [false, true, false, true, false]);
});
