// Notices commits by other processes, such as a command that makes an administrator beside the service.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export class ForeignWatch {
  readonly #dataVersion: StatementSync;
  /** To be called when another process changed something. */
  readonly changed: () => void;
  #version: unknown;
  #isPaused = false;

  /** On the connection that writes, whose own commits don't count. */
  constructor(sqlite: DatabaseSync, changed: () => void) {
    this.#dataVersion = sqlite.prepare('PRAGMA data_version');
    this.changed = changed;
    this.#version = this.#read();
  }

  look(): void {
    const version = this.#isPaused ? this.#version : this.#read();
    if (version === this.#version) return;
    this.#version = version;
    this.changed();
  }

  pause(): void {
    this.look();
    this.#isPaused = true;
  }

  /** Whatever happened meanwhile is not noticed. */
  resume(): void {
    this.#isPaused = false;
    this.#version = this.#read();
  }

  #read(): unknown {
    try {
      return Object.values(this.#dataVersion.get() ?? {})[0];
    } catch {
      return this.#version; // locked for a moment, or broken, which writes will tell
    }
  }
}
