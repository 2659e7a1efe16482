// The read-only connection: each turn of the event loop sees one snapshot of what is committed.
import assert from 'node:assert';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Connection } from './connection.ts';

export class ReadSide {
  readonly connection: Connection;
  readonly #sqlite: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #isWriting: () => boolean;
  readonly #scheduleEnd: () => void;
  #isOpen = false;

  /** `scheduleEnd` asks for `end` to be called when this turn is over. */
  constructor(sqlite: DatabaseSync, isWriting: () => boolean, scheduleEnd: () => void) {
    this.#sqlite = sqlite;
    this.#begin = sqlite.prepare('BEGIN');
    this.#commit = sqlite.prepare('COMMIT');
    this.#isWriting = isWriting;
    this.#scheduleEnd = scheduleEnd;
    this.connection = new Connection(sqlite, () => this.#start());
    sqlite.exec('SELECT 1 FROM sqlite_schema'); // from now on it counts as a user of the file
  }

  /** The next read sees what was committed until then. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#commit.run();
  }

  close(): void {
    this.end();
    this.#sqlite.close();
  }

  #start(): void {
    if (this.#isOpen) return;
    assert(!this.#isWriting(), 'A write reads through its own connection: this one would show the state before it.');
    this.#begin.run();
    this.#isOpen = true;
    this.#scheduleEnd();
  }
}
