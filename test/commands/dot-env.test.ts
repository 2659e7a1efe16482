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

for (const [text, line] of [
  ['# first\n\nA="never ends\nB=1', 3],
  ['A: b\n', 1],
  ["A='b'c\n", 1],
  ['A B=c\n', 1],
  ['A=b\nB\n', 2],
  [Buffer.from('A=b\n', 'utf16le').toString(), 1],
] as const)
  test(`a .env of ${JSON.stringify(text)} can't be read from line ${line} on`, () => {
    const issue = `line ${line} of .env can't be read: write NAME=value, or NAME="value"`;
    assert.deepEqual(parseDotEnv(text).issues, [issue]);
  });
