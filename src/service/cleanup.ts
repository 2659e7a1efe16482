// The periodic work of a service: records the last use of keys, and removes rows that are no longer needed.
import { minuteMilliseconds } from '../base/durations.ts';
import { recordKeyUses } from '../features/keys/key-store.ts';
import type { Database } from '../storage/database.ts';
import { inSlices, type Step } from '../storage/slices.ts';
import type { LastEventFile } from './last-event-file.ts';

const cleanupMilliseconds = minuteMilliseconds;

type CleanupOptions = {
  readonly database: Pick<Database, 'write' | 'emptyWalSoon'>;
  readonly isStopping: () => boolean;
  readonly lastEventFile: Pick<LastEventFile, 'write'>;
  /** Returns the steps of all features. */
  readonly steps: () => readonly Step[];
};

export class Cleanup {
  readonly #options: CleanupOptions;
  readonly #timer: NodeJS.Timeout;
  /** The time of each key's last use, by its id, until a run has stored it. */
  readonly #lastUses = new Map<number, number>();
  #removing: Promise<void> | undefined;
  /** Whether the WAL may still have erased rows, perhaps from before the start. */
  #hasErased = true;

  constructor(options: CleanupOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.run().catch(() => {}), cleanupMilliseconds).unref();
  }

  recordKeyUse(keyId: number, time: number): void {
    this.#lastUses.set(keyId, time);
  }

  /** Runs in the background after something was erased. If a run fails, the next one does the rest. */
  runInBackground(): void {
    this.#hasErased = true;
    this.run().catch(() => {});
  }

  /** Runs the steps. While the service stops, the long ones are left to the next start. */
  async run(): Promise<void> {
    await this.#storeLastUses();
    await this.#removing?.catch(() => {}); // a row may have been erased after this run had passed it
    this.#removing ??= this.#remove();
    await this.#removing;
    await this.#options.lastEventFile.write();
  }

  /** Stores all last uses, even while the service stops: they are only in memory. */
  async #storeLastUses(): Promise<void> {
    const uses = [...this.#lastUses];
    if (uses.length === 0) return;
    let taken = 0;
    const storeSome: Step = (writer, rowsMax) => {
      const some = uses.slice(taken, taken + rowsMax);
      taken += some.length;
      recordKeyUses(writer, some);
      return some.length;
    };
    await inSlices(this.#options.database, [storeSome], () => false);
    for (const [keyId, time] of uses) {
      const wasUsedMeanwhile = this.#lastUses.get(keyId) !== time;
      if (!wasUsedMeanwhile) this.#lastUses.delete(keyId);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #remove(): Promise<void> {
    const { database, steps, isStopping } = this.#options;
    const hasErased = this.#hasErased;
    this.#hasErased = false;
    try {
      await inSlices(database, steps(), isStopping);
      if (hasErased) database.emptyWalSoon();
    } catch (error) {
      this.#hasErased ||= hasErased;
      throw error;
    } finally {
      this.#removing = undefined;
    }
  }
}
