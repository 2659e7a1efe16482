// Notices commits by other processes, such as a command that makes an administrator beside the service.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

const betweenRequestsMilliseconds = 100;
/** Without requests nobody waits for it, and the process can sleep. */
const idleMilliseconds = 1_000;

type Options = {
  /** False while a snapshot is held: it would show what was before, after `onChange`. */
  mayCheck(): boolean;
  /** Called when another process has changed something. */
  onChange(): void;
};

/** On the connection that writes, whose own commits don't count. */
export class ForeignWatch {
  readonly #options: Options;
  readonly #dataVersion: StatementSync;
  readonly #idle: NodeJS.Timeout;
  #version: unknown;
  #isIgnoring = false;
  #isRecent = false;

  constructor(sqlite: DatabaseSync, options: Options) {
    this.#options = options;
    this.#dataVersion = sqlite.prepare('PRAGMA data_version');
    this.#version = this.#read();
    this.#idle = setInterval(() => this.check(), idleMilliseconds).unref();
  }

  /** To be called with each request. It checks at most every `betweenRequestsMilliseconds`. */
  checkForRequest(): void {
    if (this.#isRecent || !this.#options.mayCheck()) return;
    this.#isRecent = true;
    setTimeout(() => {
      this.#isRecent = false;
    }, betweenRequestsMilliseconds).unref();
    this.check();
  }

  check(): void {
    if (this.#isIgnoring || !this.#options.mayCheck()) return;
    const before = this.#version;
    this.#version = this.#read();
    if (this.#version !== before) this.#options.onChange();
  }

  /** Something may have been missed. */
  suspect(): void {
    this.#options.onChange();
  }

  /** Commits made meanwhile are not reported. */
  async ignoreDuring(work: () => Promise<unknown>): Promise<void> {
    this.check();
    this.#isIgnoring = true;
    try {
      await work();
    } finally {
      this.#isIgnoring = false;
      this.#version = this.#read();
    }
  }

  close(): void {
    clearInterval(this.#idle);
  }

  #read(): unknown {
    try {
      return Object.values(this.#dataVersion.get() ?? {})[0];
    } catch {
      return this.#version; // locked for a moment, or broken, which the next write reports
    }
  }
}
