// Changes of many rows happen in short writes, with other writes in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection, WriteCallback } from '../../src/storage/connection.ts';
import type { Database } from '../../src/storage/database.ts';
import {
  inSlices,
  type Step,
  sliceMillisecondsMax,
  sliceRowsMax,
  sliceStepRowsMax,
} from '../../src/storage/slices.ts';
import { addNote, noteTexts, openNotes } from '../support/storage-support.ts';

const sql = 'DELETE FROM notes WHERE id IN (SELECT id FROM notes WHERE text LIKE ? LIMIT ?)';
const old: Step = (db, rowsMax) => db.run(sql, 'old %', rowsMax).rowsChanged;

function addMany(count: number): (db: Connection) => void {
  return (db) => {
    for (let note = 0; note < count; note += 1) addNote(`old ${note}`)(db);
  };
}

/** How many rows each write changed. */
function counting(database: Database): { write: Database['write']; changed: number[] } {
  const changed: number[] = [];
  const total = (db: Connection): number => Number(db.get('SELECT total_changes()')?.[0]);
  const write = <T>(callback: WriteCallback<T>): Promise<T> =>
    database.write<T>((db) => {
      const before = total(db);
      const result = callback(db);
      changed.push(total(db) - before);
      return result;
    });
  return { write, changed };
}

test('a write of a slice changes a bounded number of rows, and others get their turn', async (t) => {
  const database = await openNotes(t);
  await database.write(addMany(5_500));
  const { write, changed } = counting(database);
  const others: number[] = [];
  let isDone = false;
  const done = inSlices({ write }, [() => 0, old], () => false).then(() => {
    isDone = true;
  });
  while (!isDone) others.push(await database.write(addNote(`new ${others.length}`)));
  await done;
  assert(changed.every((rows) => rows <= sliceRowsMax));
  assert.equal(
    changed.reduce((sum, rows) => sum + rows),
    5_500,
  );
  assert(others.length > changed.length / 2);
  assert.equal(noteTexts(database.read).length, others.length);
});

test('a slow step ends its slice, and no step is asked for more than it may change', async (t) => {
  const database = await openNotes(t);
  await database.write(addMany(10 * sliceStepRowsMax));
  const { write, changed } = counting(database);
  const slow: Step = (db, rowsMax) => {
    const until = performance.now() + sliceMillisecondsMax;
    while (performance.now() < until);
    return old(db, rowsMax);
  };
  await inSlices({ write }, [slow], () => false);
  assert.deepEqual(changed, [...Array<number>(10).fill(sliceStepRowsMax), 0]);
});

test('a step that finds nothing, however slowly, leaves the next one its turn', async (t) => {
  const database = await openNotes(t);
  await database.write(addMany(30));
  const idle: Step = () => {
    const until = performance.now() + sliceMillisecondsMax;
    while (performance.now() < until);
    return 0;
  };
  await inSlices(database, [idle, old], () => false);
  assert.deepEqual(noteTexts(database.read), []);
});

test('a run that has to stop leaves the rest after its first write', async (t) => {
  const database = await openNotes(t);
  await database.write(addMany(3_000));
  const { write, changed } = counting(database);
  await inSlices({ write }, [old], () => true);
  assert.equal(changed.length, 1);
  assert(noteTexts(database.read).length >= 2_000);
});

test('the pause after a write is as long as the write took, with its way to the disk', async (t) => {
  const syncMilliseconds = 50;
  const database = await openNotes(t, {
    fdatasync: (_descriptor, done) => void setTimeout(done, syncMilliseconds, null),
  });
  const began: number[] = [];
  const onceASlice: Step = (db) => {
    began.push(performance.now());
    addNote(`slice ${began.length}`)(db);
    while (performance.now() < (began.at(-1) ?? 0) + sliceMillisecondsMax);
    return 1;
  };
  await inSlices(database, [onceASlice], () => began.length >= 2);
  const [first = 0, next = 0] = began;
  assert(next - first >= 2 * syncMilliseconds, `the next slice began after ${next - first} ms`);
});

test('writes that take longer than 4 ms run in several turns of the event loop', async (t) => {
  const database = await openNotes(t);
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  t.after(() => clearInterval(counting));
  const slowly = (text: string) =>
    database.write((db) => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      addNote(text)(db);
      return turns;
    });
  const ranIn = await Promise.all([slowly('first'), slowly('second'), slowly('third')]);
  assert.ok(new Set(ranIn).size > 1);
});
