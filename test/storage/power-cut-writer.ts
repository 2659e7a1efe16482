// The process whose power is cut: changes notes and records its responses to writes (also those that change
// nothing), reads, queries on the thread and rejections, until the WAL was checkpointed a few times.
import { fdatasync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Connection } from '../../src/storage/connection.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { SqlWorker } from '../../src/storage/sql-worker.ts';

/** A mistake of the storage that the test must find: commits are shown before their sync. */
export type Flaw = 'none' | 'reads' | 'queries';

const [, , folder = '', checkpoints = '3', notes = '2000', flaw = 'none'] = process.argv;
const text = 'x'.repeat(6_000);
const readsAtOnce = 8;
const pauseMilliseconds = 2;
const syncMilliseconds = 5;

const database = await openDatabase({
  folder,
  migrations: [
    {
      feature: 'notes',
      name: 'notes',
      sql: 'CREATE TABLE notes (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, text TEXT NOT NULL) STRICT',
    },
  ],
  onDurableChanges() {},
  onFatal(error) {
    throw error;
  },
  fdatasync: slowSync,
});
const reads = flaw === 'reads' ? unheldReads() : database.read;
const unheldWorker = new SqlWorker({ file: databaseFile(folder), access: 'read' });
const answered = openSync(join(folder, 'orderly.answered'), 'w');
let at = 0;

/** Long enough for something to be shown while it runs. */
function slowSync(descriptor: number, done: (error: Error | null) => void): void {
  setTimeout(() => fdatasync(descriptor, done), syncMilliseconds);
}

/** A connection of its own, which also sees commits that aren't on disk. */
function unheldReads(): Connection {
  return new Connection(new DatabaseSync(databaseFile(folder), { readOnly: true, returnArrays: true }));
}

function goesOn(): boolean {
  return database.stats.checkpoints < Number(checkpoints);
}

/** Notes with their versions, as clients see them. */
function show(rows: readonly (readonly unknown[])[]): void {
  at += writeSync(answered, rows.map(([id, version]) => `${id} ${version}\n`).join(''), at);
}

async function write(id: number): Promise<void> {
  for (let version = 1; goesOn(); version += 1) {
    await database.write((db) =>
      db.run(
        'INSERT INTO notes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version',
        id,
        version,
        text,
      ),
    );
    show([[id, version]]);
    if (id % 16 === 0) await pause(Math.random() * 10);
  }
}

async function read(): Promise<void> {
  const sql = `SELECT id, version FROM notes WHERE id >= ? LIMIT ${readsAtOnce}`;
  while (goesOn()) {
    show(reads.all(sql, Math.random() * Number(notes)));
    await pause(pauseMilliseconds);
  }
}

async function query(): Promise<void> {
  while (goesOn()) {
    const sql = `SELECT id, version FROM notes WHERE id >= ? LIMIT ${readsAtOnce}`;
    const params = [Math.random() * Number(notes)];
    show(await (flaw === 'queries' ? unheldWorker.run(sql, params) : database.readInWorker(sql, params)));
    await pause(pauseMilliseconds);
  }
}

/** Writes that are rejected, with the rows they saw. */
async function conflict(): Promise<void> {
  while (goesOn()) {
    const id = Math.floor(Math.random() * Number(notes));
    await database
      .write((db) => {
        throw new Conflict(db.all<[number, number]>('SELECT id, version FROM notes WHERE id = ?', id));
      })
      .catch((error: unknown) => {
        if (error instanceof Conflict) show(error.rows);
      });
    await pause(pauseMilliseconds);
  }
}

/** Writes that change nothing, and return the rows they saw. */
async function touch(): Promise<void> {
  while (goesOn()) {
    const id = Math.floor(Math.random() * Number(notes));
    show(
      await database.write((db) =>
        db.all<[number, number]>('SELECT id, version FROM notes WHERE id = ?', id),
      ),
    );
    await pause(pauseMilliseconds);
  }
}

class Conflict extends Error {
  readonly rows: readonly (readonly [number, number])[];

  constructor(rows: readonly (readonly [number, number])[]) {
    super('Another write came first.');
    this.rows = rows;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const writers = Array.from({ length: Number(notes) }, (_, id) => write(id));
await Promise.all([...writers, read(), query(), conflict(), touch()]);
process.exit(); // not closed, since that would sync everything
