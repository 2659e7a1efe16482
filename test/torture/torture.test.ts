// The short form of `npm run torture`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { torture } from './torture-rounds.ts';

test('nothing that was answered is lost, and nothing is left half done, when the service is killed', async () => {
  const result = await torture({ rounds: 5, seed: Date.now() % 2 ** 31, roundsInFolder: 5, loadMillisecondsMax: 400, foldShare: 0, say: () => {} });
  assert.deepEqual(result.faults, []);
  assert(result.answered > 0 && result.unanswered > 0 && result.replayed > 0, JSON.stringify(result));
});
