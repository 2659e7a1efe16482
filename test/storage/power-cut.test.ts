// What was answered survives a power cut at any moment. POWER_CUTS=100 tries more than the few that the quick
// tests do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { buildRecorder, cutPower, record } from './power-cut.ts';
import { newFolder } from './storage-support.ts';

const cuts = Number(process.env['POWER_CUTS'] ?? 4);
const skip =
  (process.platform !== 'linux' || spawnSync('cc', ['--version']).status !== 0) &&
  'the recorder needs Linux and a C compiler';

test('after a power cut the database is whole and holds all that was answered', { skip }, async (t) => {
  const folder = newFolder(t);
  const steps = await record(folder, await buildRecorder(folder), cuts > 4 ? 6 : 2);
  assert(cutPower(folder, steps, cuts, Math.random) > 0);
});
