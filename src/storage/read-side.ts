// The read-only connection: it sees only what is on disk, and in one turn of the event loop one snapshot.
import assert from 'node:assert';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Connection } from './connection.ts';

type Options = {
  /** Whether a callback given to `database.write` is running. */
  isInWriteCallback(): boolean;
  /** Asks for `endTurn` to be called when this turn is over. */
  scheduleEndOfTurn(): void;
};

export class ReadSide {
  readonly connection: Connection;
  readonly #sqlite: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #read: StatementSync;
  readonly #commit: StatementSync;
  readonly #options: Options;
  #isOpen = false;
  #isPinned = false;

  constructor(sqlite: DatabaseSync, options: Options) {
    this.#sqlite = sqlite;
    this.#options = options;
    this.connection = new Connection(sqlite, () => this.#beforeRead());
    this.#begin = sqlite.prepare('BEGIN');
    this.#read = sqlite.prepare('SELECT 1 FROM sqlite_schema');
    this.#commit = sqlite.prepare('COMMIT');
    this.#read.get(); // opens the file: SQLite counts this connection from now on
  }

  /**
   * Called when all that is committed is on disk, ahead of a commit without a sync: until `unpinSnapshot`,
   * reads see the snapshot of this moment. Throws SQLite's error if no snapshot can be taken.
   */
  pinSnapshot(): void {
    if (this.#isPinned) return;
    this.#open();
    this.#read.get(); // BEGIN alone takes no snapshot
    this.#isPinned = true;
  }

  /** What was committed since `pinSnapshot` is on disk: the next read sees it. */
  unpinSnapshot(): void {
    this.#isPinned = false;
    this.endTurn();
  }

  /** The next read takes a new snapshot, unless this one is pinned. */
  endTurn(): void {
    if (this.#isOpen && !this.#isPinned) this.#end();
  }

  close(): void {
    if (this.#isOpen) this.#end();
    this.#sqlite.close();
  }

  #beforeRead(): void {
    assert(
      !this.#options.isInWriteCallback(),
      'A write reads through its own connection: this one would show the state before it.',
    );
    if (this.#isOpen) return;
    this.#open();
    this.#options.scheduleEndOfTurn();
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
  }

  #end(): void {
    this.#isOpen = false;
    this.#commit.run();
  }
}
