// Notices that files of the running database were deleted or replaced. No write reports that: SQLite goes on with
// the files that it has open, and at the end of the process all that was answered since would be gone.
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { copyDatabase } from './database-copy.ts';
import { StorageError } from './storage-error.ts';

/** The files that hold the acknowledged changes. */
const contentNames: readonly string[] = ['orderly.db', 'orderly.db-wal'];
/** Without these, other processes and this one no longer exclude each other. */
const lockNames: readonly string[] = ['orderly.db-shm', 'lock.db'];

export class ReplacedFiles {
  readonly #folder: string;
  readonly #identities: ReadonlyMap<string, string | undefined>;
  #isSaved = false;

  constructor(folder: string) {
    this.#folder = folder;
    const names = [...contentNames, ...lockNames];
    this.#identities = new Map(names.map((name) => [name, identityOf(join(folder, name))]));
  }

  /** The files that are missing, or other ones than at the start. */
  get names(): string[] {
    return [...this.#identities]
      .filter(([name, before]) => (identityOf(join(this.#folder, name)) ?? before) !== before)
      .map(([name]) => name);
  }

  /** Whether acknowledged changes are only in the open files, and can be saved beside them. */
  get hasContentToSave(): boolean {
    const isLost = this.names.some((name) => contentNames.includes(name));
    return isLost && !this.#isSaved && existsSync(this.#folder);
  }

  /**
   * Copies the open database to a new file, unless the changes are elsewhere already. Returns the error to report to the
   * operator. Throws StorageError.
   */
  async save(open: DatabaseSync): Promise<StorageError> {
    const { names } = this;
    const what = `${names.join(', ')} in ${this.#folder} was deleted or replaced while the service ran`;
    if (!this.hasContentToSave) return new StorageError(`${what}: start it again.`);
    const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
    const file = join(this.#folder, `orderly-saved-${time}.db`);
    await copyDatabase(open, file).catch((cause: unknown) => {
      throw new StorageError(`${what}, and what it had could not be copied: ${String(cause)}`);
    });
    this.#isSaved = true;
    // SQLite would apply this WAL, which the copy includes, to the file that replaced the database
    if (names.includes('orderly.db') && !names.includes('orderly.db-wal'))
      for (const end of ['-wal', '-shm']) rmSync(join(this.#folder, `orderly.db${end}`), { force: true });
    return new StorageError(
      `${what}: what it had is in ${file}. "orderly restore ${file} --force" puts it back; ` +
        'without that, the next start serves the files that are there now.',
    );
  }
}

/** Device and inode of a file; empty if it is missing; undefined after another error, such as an unreachable share. */
function identityOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.dev}-${stats.ino}`;
  } catch {
    return undefined;
  }
}
