// Cells that begin with a control character, of which clients can send few.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine, withoutFormulaGuard } from '../src/csv.ts';

for (const code of [0x00, 0x09, 0x0a, 0x0d, 0x1f, 0x7f, 0x80, 0x85, 0x9f])
  test(`a cell that begins with U+${code.toString(16)} has an apostrophe before it, until it is read`, () => {
    const cell = `${String.fromCodePoint(code)}=HYPERLINK("http://x")`;
    assert.equal(csvLine([cell]), `"'${cell.replaceAll('"', '""')}"\r\n`);
    assert.equal(withoutFormulaGuard(`'${cell}`), cell);
  });
