// What was erased leaves the database and its write-ahead log, whatever fails meanwhile.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Cleanup } from '../../src/service/cleanup.ts';
import { Connection } from '../../src/storage/connection.ts';
import type { Step } from '../../src/storage/slices.ts';
import { migratedInMemory } from '../support/memory-database.ts';

/** A cleanup with these steps, which notes when the WAL is emptied. */
function cleanupOf(t: TestContext, { steps, notes }: { steps: Step[]; notes: string[] }): Cleanup {
  const sqlite = migratedInMemory();
  const db = new Connection(sqlite);
  const cleanup = new Cleanup({
    database: { write: async (callback) => callback(db), emptyWalSoon: () => void notes.push('emptied') },
    isStopping: () => false,
    lastEventFile: { write: () => Promise.resolve() },
    steps: () => steps,
  });
  t.after(() => {
    cleanup.close();
    sqlite.close();
  });
  return cleanup;
}

test('the WAL is emptied once after a start, since a killed process may have erased something', async (t) => {
  const notes: string[] = [];
  const cleanup = cleanupOf(t, { steps: [], notes });
  await cleanup.run();
  await cleanup.run();
  assert.deepEqual(notes, ['emptied']);
});

test('after a run that failed the next one clears what is left, and then empties the WAL', async (t) => {
  const notes: string[] = [];
  let isFull = true;
  const clear: Step = () => {
    if (isFull) throw new Error('The disk is full.');
    notes.push('cleared');
    return 0;
  };
  const cleanup = cleanupOf(t, { steps: [clear], notes });
  cleanup.runInBackground();
  await assert.rejects(cleanup.run(), /full/);
  isFull = false;
  await cleanup.run();
  assert.deepEqual(notes, ['cleared', 'emptied']);
});

test('what is erased after a run has passed it is cleared by a run of its own', async (t) => {
  const notes: string[] = [];
  let toClear = 0;
  const clear: Step = () => {
    if (toClear > 0) notes.push('cleared');
    return toClear-- > 0 ? 1 : 0;
  };
  const erase: Step = () => {
    if (notes.length > 0) return 0;
    notes.push('erased');
    toClear = 1;
    cleanup.runInBackground();
    return 0;
  };
  const cleanup = cleanupOf(t, { steps: [clear, erase], notes });
  await cleanup.run();
  while (notes.length < 4) await nextTurn();
  assert.deepEqual(notes, ['erased', 'emptied', 'cleared', 'emptied']);
});
