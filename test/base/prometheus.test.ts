// How values are counted by intervals.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Distribution } from '../../src/base/prometheus.ts';

test('a value counts in the first bound that it does not exceed, and in the sum', () => {
  const seconds = new Distribution([0.1, 1]);
  for (const each of [0.1, 0.5, 1, 5]) seconds.add(each);
  assert.deepEqual([...seconds.counts], [1, 2, 1]);
  assert.equal(seconds.sum, 6.6);
});
