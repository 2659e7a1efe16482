// Responses stay true after a power cut at any moment: those of writes, reads, lists and rejections.
// POWER_CUTS=100 tries more than the few that the quick tests do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutPower, record } from './power-cut.ts';
import { newFolder } from '../support/command-support.ts';
import { buildLibrary, noCompiler } from '../support/preloaded.ts';

const cuts = Number(process.env['POWER_CUTS'] ?? 4);
const skip = noCompiler();

test('after a power cut the database is intact and has everything that was answered', { skip }, async (t) => {
  const folder = newFolder(t);
  const library = buildLibrary('disk-record', folder);
  const steps = await record(folder, { library, checkpoints: cuts > 4 ? 6 : 2 });
  assert(cutPower(folder, steps, { count: cuts, random: Math.random }) > 0);
  assert(cutPower(folder, steps, { count: cuts, random: Math.random, isWorst: true }) > 0);
});

for (const flaw of ['reads', 'queries'] as const)
  test(`the model finds ${flaw} that show what no sync has put on disk`, { skip }, async (t) => {
    const folder = newFolder(t);
    const library = buildLibrary('disk-record', folder);
    const steps = await record(folder, { library, checkpoints: 1, notes: 100, flaw });
    assert.throws(
      () => cutPower(folder, steps, { count: 50, random: Math.random, isWorst: true }),
      /note \d+ has version \w+, \d+ was answered/,
    );
  });
