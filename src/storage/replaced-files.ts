// Notices that files of the running database were deleted or replaced. No write reports that: SQLite goes on with
// the files that it has open, and at the end of the process all that was answered since is gone.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files that hold what was answered. */
const contentNames: readonly string[] = ['orderly.db', 'orderly.db-wal'];
/** Without these, other processes and this one no longer exclude each other. */
const lockNames: readonly string[] = ['orderly.db-shm', 'lock.db'];

export class ReplacedFiles {
  readonly #folder: string;
  readonly #identities: ReadonlyMap<string, string>;

  constructor(folder: string) {
    this.#folder = folder;
    const names = [...contentNames, ...lockNames];
    this.#identities = new Map(names.map((name) => [name, identityOf(join(folder, name))]));
  }

  /** The files that are missing, or other ones than at the start. */
  get names(): string[] {
    return [...this.#identities]
      .filter(([name, identity]) => identityOf(join(this.#folder, name)) !== identity)
      .map(([name]) => name);
  }

  /** Whether what was answered is only in the files that are open, and can be saved beside them. */
  get hasContentToSave(): boolean {
    return existsSync(this.#folder) && this.names.some((name) => contentNames.includes(name));
  }
}

/** Device and inode of a file; empty if it is missing. */
function identityOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.dev}-${stats.ino}`;
}
