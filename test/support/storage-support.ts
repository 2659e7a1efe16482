// For the tests of the storage: folders with a table of notes, and a disk whose syncs end when the test ends
// them.
import assert from 'node:assert';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { backup } from '../../src/storage/backup.ts';
import { openCommandDatabase } from '../../src/storage/command-database.ts';
import type { Connection, Invalidation } from '../../src/storage/connection.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/storage/database.ts';
import { SqlWorker, type SqlWorkerOptions } from '../../src/storage/sql-worker.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import { Problem } from '../../src/problem.ts';
import { newFolder } from './command-support.ts';
import type { TestService } from './service.ts';

export const migrations = [
  {
    feature: 'notes',
    name: 'notes',
    sql: 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT',
  },
];

/** Whether an error is one of the storage with such a sentence; for `assert.throws`. */
export function says(pattern: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof StorageError && pattern.test(error.message);
}

/** Opens a database, in a new folder unless `options` name one; it is closed at the end of the test. */
export async function openNotes(t: TestContext, options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const database = await openDatabase({
    folder: options.folder ?? newFolder(t),
    migrations,
    onDurableChanges() {},
    onFatal: (error) => assert.fail(error),
    ...options,
  });
  t.after(() => database.close());
  return database;
}

type Run = SqlWorker['run'];

/** Creates workers; each statement of one with this access goes through `query`, which may run it or not. */
export function workersBy(
  access: SqlWorkerOptions['access'],
  query: (run: () => ReturnType<Run>, sql: string) => ReturnType<Run>,
): (options: SqlWorkerOptions) => SqlWorker {
  class PatchedWorker extends SqlWorker {
    override run(...all: Parameters<Run>): ReturnType<Run> {
      return query(() => super.run(...all), all[0]);
    }
  }
  return (options) => (options.access === access ? new PatchedWorker(options) : new SqlWorker(options));
}

export function addNote(text: string): (db: Connection) => number {
  return (db) => db.run('INSERT INTO notes (text) VALUES (?)', text).lastId;
}

export function noteTexts(db: Connection): string[] {
  return db.all<[string]>('SELECT text FROM notes ORDER BY id').map(([text]) => text);
}

/**
 * Each sync waits until the test ends it. After the test syncs end by themselves, so that databases can
 * close.
 */
export class HeldDisk {
  readonly pending: ((error: Error | null) => void)[] = [];
  #isReleased = false;

  constructor(t: TestContext) {
    t.after(() => this.letGo());
  }

  readonly fdatasync = (_descriptor: number, done: (error: Error | null) => void): void => {
    if (this.#isReleased) setImmediate(done, null);
    else this.pending.push(done);
  };

  /** Ends the oldest sync that runs, once there is one. */
  async endSync(error: Error | null = null): Promise<void> {
    await until(() => this.pending.length > 0);
    this.pending.shift()?.(error);
    await turn();
  }

  /** From now on syncs end by themselves. */
  letGo(): void {
    this.#isReleased = true;
    for (const end of this.pending.splice(0)) end(null);
  }
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUp = performance.now() + 10_000;
  while (!(await isSo())) {
    assert(performance.now() < giveUp, `still not so after 10 s: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The first line of the log that has these parts, once it is there. */
export async function loggedLine(
  service: Pick<TestService, 'logged'>,
  ...parts: readonly string[]
): Promise<Readonly<Record<string, unknown>>> {
  const find = (): string | undefined =>
    service.logged.find((line) => parts.every((part) => line.includes(part)));
  await until(() => find() !== undefined);
  return JSON.parse(find() ?? '');
}

/** Whether a promise is settled in the next turn of the event loop. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let isDone = false;
  const settle = (): void => {
    isDone = true;
  };
  promise.then(settle, settle);
  await turn();
  return isDone;
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'unavailable';
}

/** The storage passes on invalidations of any table. */
export function noteChange(id: number): Invalidation {
  return { table: 'orders', id };
}

/** Returns the file of a backup of a database with one note. */
export async function madeBackup(t: TestContext, text: string): Promise<string> {
  const folder = newFolder(t);
  const beside = await openCommandDatabase(folder, migrations);
  beside.write(addNote(text));
  beside.close();
  const file = join(folder, 'backup.db');
  await backup(folder, file);
  return file;
}
