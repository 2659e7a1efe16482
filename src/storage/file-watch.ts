// Detects that a file of the open database was removed or replaced, which SQLite doesn't: it goes on writing
// to a file that has no name any more, and everything in it is lost when the process ends.
import { statSync } from 'node:fs';
import type { StorageStats } from './storage-stats.ts';

const checkMilliseconds = 1_000;

type Options = {
  readonly files: readonly string[];
  readonly stats: StorageStats;
  /** Called once the files are in their place again. */
  onReturn(): void;
  log(level: 'error', message: string): void;
};

export class FileWatch {
  readonly #options: Options;
  readonly #identities: ReadonlyMap<string, string>;
  readonly #timer: NodeJS.Timeout;

  /** The files exist, and are those that are open. */
  constructor(options: Options) {
    this.#options = options;
    this.#identities = new Map(options.files.map((file) => [file, identityOf(file) ?? '']));
    this.#timer = setInterval(() => this.#check(), checkMilliseconds).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { stats, onReturn, log } = this.#options;
    const missing = this.#options.files.find((file) => !this.#isInPlace(file));
    const areInPlace = missing === undefined;
    if (areInPlace === stats.areFilesInPlace) return;
    stats.areFilesInPlace = areInPlace;
    if (areInPlace) return onReturn();
    stats.canWrite = false;
    log(
      'error',
      `${missing} was removed or replaced while the service uses it: changes are rejected. What it wrote ` +
        'may be lost when it stops; "A lost database" in src/docs/operation.md describes how to save it.',
    );
  }

  #isInPlace(file: string): boolean {
    const identity = identityOf(file);
    return identity === undefined || identity === this.#identities.get(file);
  }
}

/** Returns an empty text for a missing file, and undefined if this account may not see it. */
function identityOf(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found === undefined ? '' : `${found.dev}-${found.ino}`;
  } catch {
    return undefined;
  }
}
