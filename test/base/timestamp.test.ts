// Times as text: equal to `toISOString` for every time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestampOf } from '../../src/base/timestamp.ts';

const day = 86_400_000;
const times = [
  0,
  1,
  -1,
  999,
  day - 1,
  day,
  Date.UTC(1000, 0, 1),
  Date.UTC(1000, 0, 1) - 1,
  Date.UTC(1969, 11, 31, 23, 59, 59, 999),
  Date.UTC(2024, 1, 29, 12, 34, 56, 7),
  Date.UTC(2026, 11, 31, 23, 59, 59, 999),
  Date.UTC(9999, 11, 31, 23, 59, 59, 999),
  Date.UTC(10_000, 0, 1),
  8.64e15,
  -8.64e15,
];

test('a time has the text that toISOString writes', () => {
  for (const time of times) assert.equal(timestampOf(time), new Date(time).toISOString());
  for (let time = Date.UTC(1999, 0, 1); time < Date.UTC(2101, 0, 1); time += day + 12_345_678)
    assert.equal(timestampOf(time), new Date(time).toISOString());
});

test('an invalid time can’t be formatted', () => {
  assert.throws(() => timestampOf(Number.NaN), RangeError);
});
