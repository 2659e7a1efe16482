// Finds out when a database that couldn't be written can be written again.
import type { DatabaseSync } from 'node:sqlite';
import { emptyCommitSql } from './database-file.ts';
import type { StorageStats } from './storage-stats.ts';

const probeMilliseconds = 1_000;

export type WriteProbe = ReturnType<typeof createWriteProbe>;

type Options = {
  readonly sqlite: DatabaseSync;
  readonly stats: StorageStats;
  log(level: 'info', message: string, fields: object): void;
};

/**
 * `stats.canWrite` comes back only when a page was written. A commit doesn't prove that, since it may have
 * changed nothing; and there may be none, because nobody sends changes to a service that isn't ready.
 */
export function createWriteProbe({ sqlite, stats, log }: Options) {
  let next: NodeJS.Timeout | undefined;

  /** Called outside transactions. */
  function probe(): void {
    stop();
    if (!writesPage()) return probeLater();
    stats.canWrite = true;
    log('info', 'changes are accepted again', {});
  }

  function writesPage(): boolean {
    try {
      sqlite.exec(emptyCommitSql); // a transaction by itself
      return true;
    } catch {
      return false;
    }
  }

  function probeLater(): void {
    stats.canWrite = false;
    next ??= setTimeout(probe, probeMilliseconds).unref();
  }

  function stop(): void {
    clearTimeout(next);
    next = undefined;
  }

  if (!stats.canWrite) probeLater();
  return { probe, probeLater, stop };
}
