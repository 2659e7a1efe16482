// The periodic work of a service: records the last use of keys, and removes rows that are no longer needed.
import { dayMilliseconds, minuteMilliseconds } from '../base/durations.ts';
import type { SealedSecrets } from '../auth/sealed-secrets.ts';
import { clearCustomerOwner } from '../resources/customers/customer-store.ts';
import { recordKeyUses } from '../resources/keys/key-store.ts';
import { removeOldEvents } from '../resources/events/event-store.ts';
import { clearOrderOwner } from '../resources/orders/order-store.ts';
import { removeOldAddresses } from '../resources/sessions/known-address-store.ts';
import { removeExpiredSessions } from '../resources/sessions/session-store.ts';
import { removeExpiredResponses } from '../http/stored-response-store.ts';
import { resealWebhooks } from '../resources/webhooks/delivery-webhook-store.ts';
import type { LastEventFile } from './last-event-file.ts';
import { resealTotp } from '../resources/users/totp-store.ts';
import { clearRemovedOwners } from '../resources/users/user-store.ts';
import type { Database } from '../storage/database.ts';
import { inSlices, type Step } from '../storage/slices.ts';

const cleanupMilliseconds = minuteMilliseconds;

type CleanupOptions = {
  readonly database: Pick<Database, 'write'>;
  readonly now: () => number;
  /** The days that events are stored; 0 means forever. */
  readonly eventsDays: number;
  readonly isStopping: () => boolean;
  readonly lastEventFile: Pick<LastEventFile, 'write'>;
  readonly totpSecrets: SealedSecrets;
  readonly webhookSecrets: SealedSecrets;
};

export class Cleanup {
  readonly #database: CleanupOptions['database'];
  readonly #isStopping: () => boolean;
  readonly #lastEventFile: CleanupOptions['lastEventFile'];
  readonly #steps: readonly Step[];
  readonly #timer: NodeJS.Timeout;
  /** The time of each key's last use, by its id, until a run has stored it. */
  readonly #lastUses = new Map<number, number>();
  #removing: Promise<void> | undefined;

  constructor({
    database,
    now,
    eventsDays,
    isStopping,
    lastEventFile,
    totpSecrets,
    webhookSecrets,
  }: CleanupOptions) {
    this.#database = database;
    this.#isStopping = isStopping;
    this.#lastEventFile = lastEventFile;
    const steps: Step[] = [
      clearRemovedOwners([clearOrderOwner, clearCustomerOwner]),
      (writer, rowsMax) => removeExpiredSessions(writer, rowsMax, now()),
      (writer, rowsMax) => removeOldAddresses(writer, rowsMax, now()),
      (writer, rowsMax) => resealTotp(writer, totpSecrets, rowsMax),
      (writer) => resealWebhooks(writer, webhookSecrets),
      (writer, rowsMax) => removeExpiredResponses(writer, rowsMax, now()),
    ];
    if (eventsDays > 0) {
      const oldest = (): number => now() - eventsDays * dayMilliseconds;
      steps.push((writer, rowsMax) => removeOldEvents(writer, rowsMax, oldest()));
    }
    this.#steps = steps;
    this.#timer = setInterval(() => this.runInBackground(), cleanupMilliseconds).unref();
  }

  recordKeyUse(keyId: number, time: number): void {
    this.#lastUses.set(keyId, time);
  }

  /** Runs in the background; if it fails, the next run does the rest. */
  runInBackground(): void {
    this.run().catch(() => {});
  }

  /** While the service stops, the long steps are left to the next start. */
  async run(): Promise<void> {
    await this.#storeLastUses();
    this.#removing ??= this.#remove();
    await this.#removing;
    await this.#lastEventFile.write();
  }

  /** Stores all of them, even while the service stops: they are in memory only. */
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
    await inSlices(this.#database, [storeSome], () => false);
    for (const [keyId, time] of uses) {
      const wasUsedMeanwhile = this.#lastUses.get(keyId) !== time;
      if (!wasUsedMeanwhile) this.#lastUses.delete(keyId);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #remove(): Promise<void> {
    try {
      await inSlices(this.#database, this.#steps, this.#isStopping);
    } finally {
      this.#removing = undefined;
    }
  }
}
