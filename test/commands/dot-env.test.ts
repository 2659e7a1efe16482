// The text of .env files: what is a value, and what a comment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDotEnv } from '../../src/config/dot-env.ts';

const rows: readonly (readonly [text: string, value: string | undefined])[] = [
  ['A=b', 'b'],
  ['A=b#c', 'b#c'],
  ['A=b #c', 'b'],
  ['A=b\t# c', 'b'],
  ['A=#b', '#b'],
  ['A= # b', ''],
  ['A=', ''],
  ['A = b c ', 'b c'],
  ['export A=b', 'b'],
  ['A="b # c"', 'b # c'],
  ["A='b\\nc'", 'b\\nc'],
  ['A="b\\nc"', 'b\nc'],
  ['A="b\nc" # d', 'b\nc'],
  ['A=`"b"` ', '"b"'],
  ['A=b=c', 'b=c'],
  ['# A=b', undefined],
  ['\r\n \r\nA=b\r\n', 'b'],
  ['A=b\nA=c', 'c'],
];
for (const [text, value] of rows)
  test(`in a .env of ${JSON.stringify(text)}, A is ${JSON.stringify(value)}`, () =>
    assert.deepEqual(parseDotEnv(text), { variables: value === undefined ? {} : { A: value }, issues: [] }));
