// Detects when a database that couldn't be written can be written again.
import type { DatabaseSync } from 'node:sqlite';
import { freeDiskBytes } from '../base/capacity.ts';
import { emptyCommitSql } from './database-file.ts';
import type { StorageStats } from './storage-stats.ts';

const probeMilliseconds = 1_000;
/** The next line about failures comes after this time, or after changes were accepted again. */
const failureLogMilliseconds = 60_000;
/** An ordinary change writes more than the page of the probe: its rows, their indexes and its event. */
const changeBytes = 256 * 1024;

type Options = {
  readonly folder: string;
  readonly sqlite: DatabaseSync;
  readonly stats: StorageStats;
  log(level: 'info' | 'error', message: string, fields: object): void;
};

/** Whether the disk has room for an ordinary change. */
export function hasRoom(folder: string): boolean {
  return freeDiskBytes(folder) >= changeBytes;
}

/**
 * Sets `stats.canWrite` again once there is room for a change and a page could be written. A write that succeeds is no proof, since it may
 * change nothing. There may also be no write, since nobody sends changes to a service that isn't ready.
 */
export class WriteProbe {
  readonly #options: Options;
  #next: NodeJS.Timeout | undefined;
  #nextLogAt = 0;

  constructor(options: Options) {
    this.#options = options;
    if (!options.stats.canWrite) this.#probeLater();
  }

  /** Called outside transactions. */
  probe(): void {
    this.stop();
    if (!this.#writesPage()) return this.#probeLater();
    this.#options.stats.canWrite = true;
    this.#nextLogAt = 0;
    this.#options.log('info', 'changes are accepted again', {});
  }

  /**
   * Called when the storage fails a write. Logs a failure a minute: on a full disk all writes fail.
   */
  reportFailure(error: unknown): void {
    this.#probeLater();
    if (performance.now() < this.#nextLogAt) return;
    this.#nextLogAt = performance.now() + failureLogMilliseconds;
    const cause = String(error);
    this.#options.log('error', 'changes are rejected because of a storage error', { cause });
  }

  stop(): void {
    clearTimeout(this.#next);
    this.#next = undefined;
  }

  #probeLater(): void {
    this.#options.stats.canWrite = false;
    this.#next ??= setTimeout(() => this.probe(), probeMilliseconds).unref();
  }

  #writesPage(): boolean {
    if (!hasRoom(this.#options.folder)) return false;
    try {
      this.#options.sqlite.exec(emptyCommitSql); // runs in its own transaction
      return true;
    } catch {
      return false;
    }
  }
}
