// Tables as spreadsheets save them, read by the console.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainCell } from '../../src/base/csv.ts';
import {
  asText,
  plainText,
  rowsOf,
  rowText,
  separatorOf,
  withoutFormulas,
} from '../../src/console/lists/table-text.ts';

function cellsIn(text: string): (readonly string[])[] {
  return [...rowsOf(text)].map(({ cells }) => cells);
}

for (const [what, text] of [
  ['commas', 'a,b\r\n1,2\r\n'],
  ['semicolons', 'a;b\n1;2\n'],
  ['tabs', 'a\tb\n1\t2\n'],
  ['a separator named in capitals', 'SEP=|\na|b\n1|2\n'],
  ['the sign that ends files of DOS', 'a,b\r\n1,2\r\n\u001a'],
  ['a last line without an end', 'a,b\n1,2'],
  ['line ends of an old Macintosh', 'a,b\r1,2\n'],
  ['blank lines', 'a,b\n\n,\n1,2\n\n'],
  ['cells in quotes', '"a",b\n"1",2\n'],
] as const)
  test(`a table with ${what} is read`, () => {
    assert.deepEqual(cellsIn(text), [
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

for (const [what, text, first, second] of [
  ['commas beside semicolons', 'a;b\n1,5;2\n', ['a', 'b'], ['1,5', '2']],
  ['semicolons and commas beside bars', 'sep=|\na|b;c,d,e\n1|2\n', ['a', 'b;c,d,e'], ['1', '2']],
  ['quotes, separators and line breaks', '"a,;""",b\n"1\r\n2",\n', ['a,;"', 'b'], ['1\r\n2', '']],
  ['quotes within', 'a,b\n5" pot,x "y" z\n', ['a', 'b'], ['5" pot', 'x "y" z']],
  ['no neighbours', 'name\nAda\n', ['name'], ['Ada']],
] as const)
  test(`a table with ${what} in its cells is read`, () => assert.deepEqual(cellsIn(text), [first, second]));

test('nothing is a table without rows', () => assert.deepEqual(cellsIn(''), []));

test('rows are counted as spreadsheets count them', () => {
  const numbers = [...rowsOf('sep=;\na;b\n\n;\n"1\n";2\n3;4')].map(({ number }) => number);
  assert.deepEqual(numbers, [1, 4, 5]);
});

for (const text of ['a,b\n"x', 'a,b\n"x"",1\n2,3\n', 'a,b\n"x""y,1\n2,"3"\n"4""'])
  test(`a quote without an end is an error: ${JSON.stringify(text)}`, () => {
    assert.throws(() => cellsIn(text), /a quote has no end/);
  });

test('a row that was written is read as it was', () => {
  const cells = ['a', '', ' b ', 'c"d', 'e;f,g\th', 'i\nj', '"'];
  for (const separator of [',', ';', '\t'] as const) {
    const heading = rowText(['1', '2', '3', '4', '5', '6', '7'], separator);
    const text = heading + rowText(cells, separator);
    assert.deepEqual(cellsIn(text).at(-1), cells);
    assert.equal(separatorOf(text), separator);
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
  ' =1',
  'a; =1',
  'Tea',
])
  test(`${JSON.stringify(cell)} of an imported file is no formula when it is saved, and imported alike`, () => {
    const saved = withoutFormulas(cell);
    assert.doesNotMatch(saved, /^\s*[=+\-@＝]|[;\n]"*[=+\-@＝]|,"*[=+@]|[;,\n]\s*=/);
    assert.equal(plainCell(saved), plainCell(cell));
  });

for (const [what, text] of [
  ['a separator that the first line names', 'sep=;\na;b,c\n'],
  ['that line in quotes', '"sep=;"\r\na;b,c\r\n'],
  ['and the end of an old Macintosh', 'sep=;\ra;b,c\r'],
] as const)
  test(`a table is read with ${what}`, () => assert.deepEqual(cellsIn(text), [['a', 'b,c']]));

test('a first line with many quotes is read in no time', () => {
  const text = `Note "${'""'.repeat(10_000)}x`;
  const before = performance.now();
  cellsIn(`${text}\n`);
  assert.ok(performance.now() - before < 1_000);
});

const values =
  '00123 123 1E5 1e5 01067 3-4 1/2 12:30 2026-03-01 1.5 1,5 +49 -1 .5 5% MAR1 Sept-2 1-May 10.5.2024 TRUE falsch 1 000 ' +
  '(12) 7am 5.Mai DEC12';
for (const cell of values.split(' '))
  test(`a cell that a spreadsheet would change is a formula, and read back: ${cell}`, () => {
    assert.equal(asText(cell), `="${cell}"`);
    assert.equal(plainText(asText(cell)), cell);
  });

for (const cell of [
  '',
  'TEA-250',
  'A1',
  'Ada',
  'Straße 12',
  '12 Main Street',
  'March',
  'x1E5',
  'K-1042',
  'May',
  "5'b",
])
  test(`a cell stays that is text for spreadsheets: ${cell}`, () => assert.equal(asText(cell), cell));
