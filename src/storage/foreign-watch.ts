// Notices commits by other processes, such as a command that makes an administrator beside the service.
import type { DatabaseSync } from 'node:sqlite';

export type ForeignWatch = ReturnType<typeof createForeignWatch>;

/**
 * On the connection that writes, whose own commits don't count. `changed` is to be called when another
 * process changed something.
 */
export function createForeignWatch(sqlite: DatabaseSync, changed: () => void) {
  const dataVersion = sqlite.prepare('PRAGMA data_version');
  let version = read(undefined);
  let isAway = false;

  function look(): void {
    if (isAway) return;
    const before = version;
    version = read(before);
    if (version !== before) changed();
  }

  /** Whatever happens meanwhile is not noticed. */
  async function lookAway(work: () => Promise<unknown>): Promise<void> {
    look();
    isAway = true;
    try {
      await work();
    } finally {
      isAway = false;
      version = read(version);
    }
  }

  function read(known: unknown): unknown {
    try {
      return Object.values(dataVersion.get() ?? {})[0];
    } catch {
      return known; // locked for a moment, or broken, which writes will tell
    }
  }

  return { changed, look, lookAway };
}
