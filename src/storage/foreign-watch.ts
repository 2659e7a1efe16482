// Notices commits by other processes, such as a command that makes an administrator beside the service.
import type { DatabaseSync } from 'node:sqlite';

export type ForeignWatch = ReturnType<typeof createForeignWatch>;

const betweenRequestsMilliseconds = 100;
/** Without requests nobody waits for it, and the process can sleep. */
const idleMilliseconds = 1_000;

/**
 * On the connection that writes, whose own commits don't count. `onChange` is called when another process
 * has changed something.
 */
export function createForeignWatch(sqlite: DatabaseSync, onChange: () => void) {
  const dataVersion = sqlite.prepare('PRAGMA data_version');
  let version = read(undefined);
  let isIgnoring = false;
  let isRecent = false;
  const idle = setInterval(check, idleMilliseconds).unref();

  /** To be called with each request. It checks at most every `betweenRequestsMilliseconds`. */
  function checkForRequest(): void {
    if (isRecent) return;
    isRecent = true;
    setTimeout(() => {
      isRecent = false;
    }, betweenRequestsMilliseconds).unref();
    check();
  }

  function check(): void {
    if (isIgnoring) return;
    const before = version;
    version = read(before);
    if (version !== before) onChange();
  }

  /** Commits made meanwhile are not reported. */
  async function ignoreDuring(work: () => Promise<unknown>): Promise<void> {
    check();
    isIgnoring = true;
    try {
      await work();
    } finally {
      isIgnoring = false;
      version = read(version);
    }
  }

  function read(known: unknown): unknown {
    try {
      return Object.values(dataVersion.get() ?? {})[0];
    } catch {
      return known; // locked for a moment, or broken, which the next write reports
    }
  }

  return { onChange, check, checkForRequest, ignoreDuring, close: () => clearInterval(idle) };
}
