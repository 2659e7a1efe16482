// The id of the last shown event, in a file beside the database. A database that lacks this event has
// replaced a newer one: it uses ids of events again, so positions in the feed are invalid.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { feedBounds } from '../resources/events/feed-store.ts';
import type { Connection } from '../storage/connection.ts';

/** The text of an id; a truncated file counts as missing. */
const form = /^([1-9]\d{0,15})\n$/;

export class LastEventFile {
  readonly #file: string;
  readonly #db: Connection;
  #written = 0;

  constructor(folder: string, db: Connection) {
    this.#file = join(folder, 'last-event');
    this.#db = db;
  }

  /** Whether the database lacks events that were shown from this folder. */
  get isAheadOfDatabase(): boolean {
    return feedBounds(this.#db).latest < this.#read();
  }

  /** Neither syncs nor fails: with an older id, or none, the next start only detects less. */
  async write(): Promise<void> {
    const { latest } = feedBounds(this.#db);
    if (latest === this.#written) return;
    this.#written = latest;
    await writeFile(this.#file, `${latest}\n`, { mode: 0o600 }).catch(() => {});
  }

  #read(): number {
    try {
      return Number(form.exec(readFileSync(this.#file, 'latin1'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  }
}
