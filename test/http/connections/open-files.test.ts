// Connections leave enough file descriptors for the service itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionsWithin, openFilesMax } from '../../../src/service/listening.ts';

const limits = [
  [undefined, 10_000],
  [1_048_576, 10_000],
  [10_099, 9_999],
  [1_024, 924],
  [100, 0],
] as const;
for (const [filesMax, connections] of limits) {
  test(`of ${filesMax ?? 'any number of'} files, ${connections} may be connections`, () =>
    assert.equal(connectionsWithin(filesMax, 10_000), connections));
}

test('the number of files that this process may open is found, or is unlimited', () => {
  const most = openFilesMax();
  assert.ok(most === undefined || (Number.isInteger(most) && most > 100), String(most));
});
