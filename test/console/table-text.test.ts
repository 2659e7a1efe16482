// Tables as spreadsheets save them, read by the console while their text arrives.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainCell } from '../../src/base/csv.ts';
import { rowText, TableReader, withoutFormulas } from '../../src/console/parts/table-text.ts';

for (const [what, text, rows] of [
  [
    'commas',
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'semicolons, and commas in cells',
    'a;b\n1,5;2\n',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    'tabs',
    'a\tb\n1\t2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a last line without an end',
    'a,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'line ends of an old Macintosh',
    'a,b\r1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'quotes, separators and line breaks in quotes',
    '"a,;""",b\n"1\r\n2",\n',
    [
      ['a,;"', 'b'],
      ['1\r\n2', ''],
    ],
  ],
  [
    'quotes within cells',
    'a,b\n5" pot,x "y" z\n',
    [
      ['a', 'b'],
      ['5" pot', 'x "y" z'],
    ],
  ],
  ['blank lines', 'a,b\n\n\n1,2\n\n', [['a', 'b'], [], [], ['1', '2'], []]],
  ['one column', 'name\nAda\n', [['name'], ['Ada']]],
  ['nothing', '', []],
] as const)
  test(`a table with ${what} is read, in whatever pieces it arrives`, () => {
    for (const size of [1, 2, 3, 7, 1_000]) {
      const reader = new TableReader();
      const read: (readonly string[])[] = [];
      for (let at = 0; at < text.length; at += size) read.push(...reader.add(text.slice(at, at + size)));
      read.push(...reader.add('', true));
      assert.deepEqual(read, rows, `in pieces of ${size}`);
    }
  });

test('a quote without an end is an error, before the whole file is in memory', () => {
  const reader = new TableReader();
  assert.throws(() => reader.add(`a,b\n"${'x'.repeat(70_000)}`), /a quote has no end/);
  const short = new TableReader();
  short.add('a,b\n"x');
  assert.throws(() => short.add('', true), /a quote has no end/);
});

test('a row that was written is read as it was', () => {
  const cells = ['a', '', ' b ', 'c"d', 'e;f,g\th', 'i\nj', '"'];
  for (const separator of [',', ';', '\t'] as const) {
    const reader = new TableReader();
    const heading = rowText(['1', '2', '3', '4', '5', '6', '7'], separator);
    assert.deepEqual(reader.add(heading + rowText(cells, separator)).at(-1), cells);
    assert.equal(reader.separator, separator);
  }
});

for (const cell of [
  '=1+1',
  '+49 441 1',
  '-5',
  '@x',
  'a,=1',
  'a;"-1',
  'a\n＝1',
  "'=1",
  "a;'=1",
  'a,-5',
  'Tea',
])
  test(`${JSON.stringify(cell)} of an imported file is no formula when it is saved, and imported alike`, () => {
    const saved = withoutFormulas(cell);
    assert.doesNotMatch(saved, /^[=+\-@＝]|[;\n]"*[=+\-@＝]|,"*[=+@]/);
    assert.equal(plainCell(saved), plainCell(cell));
  });
