// Cells that a spreadsheet would evaluate as formulas: those with a control character first, which clients
// can rarely send, and those that it splits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine, plainCell } from '../../src/base/csv.ts';

for (const code of [0x00, 0x09, 0x0a, 0x0d, 0x1f, 0x7f, 0x80, 0x85, 0x9f])
  test(`a cell that begins with U+${code.toString(16)} has an apostrophe before it, until it is read`, () => {
    const cell = `${String.fromCodePoint(code)}SUM("1,2")`;
    assert.equal(csvLine([cell]), `"'${cell.replaceAll('"', '""')}"\r\n`);
    assert.equal(plainCell(`'${cell}`), cell);
  });

for (const [cell, guarded] of [
  ...[...'=+-@＝＋－＠'].map((sign) => [`${sign}SUM(1)`, `'${sign}SUM(1)`] as const),
  ['Tea;=1+2', "Tea;'=1+2"],
  ['Tea;=1;@x;+1', "Tea;'=1;'@x;'+1"],
  ['eggs\n=1', "eggs\n'=1"],
  ['eggs\r\n-1\r\n＝1', "eggs\r\n'-1\r\n'＝1"],
  ['a\t=1', "a\t'=1"],
  ['\t=1', "'\t'=1"],
  ["a;'=1", "a;''=1"],
  ["=a;'b", "'=a;'b"],
  ['a;"=1', 'a;\'"=1'],
  ['a\n"\'=1', "a\n'\"'=1"],
  ['a;\'"=1', "a;''\"=1"],
  ['a; -10 %', 'a; -10 %'],
  [' =1', "' =1"],
  [" '=1", "' '=1"],
  ["' =1", "'' =1"],
  ['\u00a0\u3000@x', "'\u00a0\u3000@x"],
  ['a; =1', "a;' =1"],
  ["a;' =1", "a;'' =1"],
  ['a, \u00a0=1', "a,' \u00a0=1"],
  ["a; -cmd|' /C calc'!A0", "a;' -cmd|' /C calc'!A0"],
  ['2 kg, + 1 extra; - 10 %', '2 kg, + 1 extra; - 10 %'],
  ['a,=1', "a,'=1"],
  ['a,"@x,+1', "a,'\"@x,'+1"],
  ["a,'＝1", "a,''＝1"],
  ["a,-cmd|' /C calc'!A0", "a,'-cmd|' /C calc'!A0"],
  ['a,-SUM(1)', "a,'-SUM(1)"],
  ['voucher 20,-', 'voucher 20,-'],
  ['20,- EUR, paid (cash)', '20,- EUR, paid (cash)'],
  ['ada-lovelace@example.com', 'ada-lovelace@example.com'],
] as const)
  test(`${JSON.stringify(cell)} is no formula where commas, semicolons, tabs or line breaks end a cell`, () => {
    assert.equal(
      csvLine([cell])
        .replace(/^"|"?\r\n$/g, '')
        .replaceAll('""', '"'),
      guarded,
    );
    assert.equal(plainCell(guarded), cell);
  });
