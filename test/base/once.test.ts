// Values that are created when they are first needed, such as the pages of the documentation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { once } from '../../src/base/once.ts';

test('a value that could not be created is created by the next call, and then cached', async () => {
  let attempts = 0;
  const value = once(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('there is no descriptor left for a thread');
    return attempts;
  });
  await assert.rejects(value());
  assert.deepEqual([await value(), await value()], [2, 2]);
});
