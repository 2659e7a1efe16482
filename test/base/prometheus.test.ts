// How syncs are counted by their duration.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countSync, newStats, syncSecondsBounds } from '../../src/storage/storage-stats.ts';

test('a sync counts in the first bound that it does not exceed, and its time in the sum', () => {
  const stats = newStats();
  for (const seconds of [0.0001, 0.5, 5]) countSync(stats, seconds);
  const expected = [...syncSecondsBounds.map((bound) => (bound === 0.0001 || bound === 1 ? 1 : 0)), 1];
  assert.deepEqual(stats.syncSecondsCounts, expected);
  assert.deepEqual([stats.syncs, stats.syncSecondsSum], [3, 5.5001]);
});
