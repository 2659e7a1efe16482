// The read-only connection: each turn of the event loop sees one snapshot of what is committed.
import assert from 'node:assert';
import type { DatabaseSync } from 'node:sqlite';
import { Connection } from './connection.ts';

export type ReadSide = ReturnType<typeof createReadSide>;

/** `scheduleEnd` asks for `end` to be called when this turn is over. */
export function createReadSide(sqlite: DatabaseSync, isWriting: () => boolean, scheduleEnd: () => void) {
  const begin = sqlite.prepare('BEGIN');
  const commit = sqlite.prepare('COMMIT');
  let isOpen = false;
  sqlite.exec('SELECT 1 FROM sqlite_schema'); // from now on it counts as a user of the file

  function start(): void {
    if (isOpen) return;
    assert(
      !isWriting(),
      'A write reads through its own connection: this one would show the state before it.',
    );
    begin.run();
    isOpen = true;
    scheduleEnd();
  }

  /** The next read sees what was committed until then. */
  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    commit.run();
  }

  function close(): void {
    end();
    sqlite.close();
  }

  return { connection: new Connection(sqlite, start), end, close };
}
