// Detects commits by other processes, such as a command that creates an administrator beside the service. (One of the
// service's own is among them: the commit with which the thread of checkpoints begins the WAL anew.)
import type { DatabaseSync, StatementSync } from 'node:sqlite';

// How often commits of other processes are looked for: during requests, and without requests.
export const commitCheckMilliseconds = 100;
export const idleCommitCheckMilliseconds = 1_000;

/**
 * Compares the writing connection's `PRAGMA data_version`, which only commits of other connections change.
 */
export class ExternalCommitWatcher {
  readonly #mayDetect: () => boolean;
  readonly #onChange: () => void;
  readonly #dataVersion: StatementSync;
  #version: unknown;
  #checkedAt = -Infinity;

  /**
   * `mayDetect` returns false while a snapshot is pinned: reads after `onChange` would still see the old state.
   */
  constructor(sqlite: DatabaseSync, mayDetect: () => boolean, onChange: () => void) {
    this.#mayDetect = mayDetect;
    this.#onChange = onChange;
    this.#dataVersion = sqlite.prepare('PRAGMA data_version');
    this.#version = this.#read();
  }

  /** Called with each request; checks at most once in `commitCheckMilliseconds`. */
  detectIfDue(): void {
    const now = performance.now();
    if (now - this.#checkedAt < commitCheckMilliseconds || !this.#mayDetect()) return;
    this.#checkedAt = now;
    this.detect();
  }

  detect(): void {
    if (!this.#mayDetect()) return;
    const before = this.#version;
    this.#version = this.#read();
    if (this.#version !== before) this.#onChange();
  }

  #read(): unknown {
    try {
      return Object.values(this.#dataVersion.get() ?? {})[0];
    } catch {
      return this.#version; // locked for a moment, or broken, which the next write reports
    }
  }
}
