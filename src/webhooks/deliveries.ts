// The deliveries of all webhooks: begun when something is on disk, saved once a second.
import type { WebhookCounts } from '../http/metrics.ts';
import { TurnScheduler } from '../http/turn-scheduler.ts';
import type { Invalidation } from '../invalidation.ts';
import { webhookSaveMilliseconds } from '../limits.ts';
import { feedBounds } from '../resources/events/event-store.ts';
import { findEndpoint, readEndpoints } from '../resources/webhooks/endpoint-store.ts';
import type { Database } from '../storage/database.ts';
import { EndpointRun, type Outcome, type RunServices } from './endpoint-run.ts';

type Options = Pick<RunServices, 'posts' | 'secrets' | 'now' | 'timers' | 'log'> & {
  readonly db: Pick<Database, 'read' | 'write'>;
};

/** How long events are collected before webhooks look at them. */
const wakeMilliseconds = 10;

/** Does nothing, and opens no connection, while there is no webhook. */
export class Deliveries {
  readonly #options: Options;
  readonly #services: RunServices;
  readonly #runs = new Map<number, EndpointRun>();
  readonly #outcomes = new Map<Outcome, number>(
    (['delivered', 'rejected', 'blocked', 'timeout', 'failed'] as const).map((outcome) => [outcome, 0]),
  );
  #isWaking = false;
  #isStopped = false;
  #cancelSave: (() => void) | undefined;

  constructor(options: Options) {
    const scheduler = new TurnScheduler<number>(String);
    this.#options = options;
    this.#services = {
      ...options,
      read: options.db.read,
      schedule: (webhookId, task) => scheduler.addFollowing(webhookId, () => this.#attempt(webhookId, task)),
      changed: () => this.#saveLater(),
      count: (outcome) => this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1),
    };
    for (const endpoint of readEndpoints(options.db.read))
      this.#runs.set(endpoint.id, new EndpointRun(endpoint, this.#services));
  }

  /** Called with each sync: what it put on disk may be an event, or a change of webhooks. */
  onSync(invalidations: readonly Invalidation[]): void {
    for (const invalidation of invalidations)
      if (invalidation.kind === 'webhook') this.#reloadSoon(invalidation.id);
    if (this.#runs.size > 0) this.#wakeSoon();
  }

  counts(): WebhookCounts {
    const { latest } = feedBounds(this.#options.db.read);
    const behind = [...this.#runs].map(([id, run]) => [id, Math.max(0, latest - run.position)] as const);
    return { outcomes: this.#outcomes, behind: new Map(behind) };
  }

  /** Gives up what is being sent, to be sent again by the next start, and saves where each webhook is. */
  async close(): Promise<void> {
    this.#isStopped = true;
    for (const run of this.#runs.values()) run.stop();
    this.#options.posts.close();
    this.#cancelSave?.();
    await this.#save();
  }

  /** In a later turn, so that the requests that made the changes are answered first. */
  #reloadSoon(id: number): void {
    setImmediate(() => {
      if (!this.#isStopped) this.#reload(id);
    });
  }

  /** Once for all syncs within a few milliseconds, since every webhook reads the feed each time. */
  #wakeSoon(): void {
    if (this.#isWaking || this.#isStopped) return;
    this.#isWaking = true;
    setTimeout(() => {
      this.#isWaking = false;
      for (const run of this.#runs.values()) run.wake();
    }, wakeMilliseconds).unref();
  }

  /** An error in the delivery of one webhook must not end the service. */
  #attempt(webhookId: number, task: () => void): void {
    try {
      task();
    } catch (error) {
      const { log, timers } = this.#options;
      log.write('error', 'deliveries of a webhook failed, and are tried again', {
        webhook: webhookId,
        cause: error,
      });
      timers.after(webhookSaveMilliseconds, () => this.#wakeSoon());
    }
  }

  #reload(id: number): void {
    const run = this.#runs.get(id);
    const endpoint = findEndpoint(this.#options.db.read, id);
    if (endpoint === undefined) {
      run?.stop();
      this.#runs.delete(id);
    } else if (run === undefined) this.#runs.set(id, new EndpointRun(endpoint, this.#services));
    else run.reload(endpoint);
  }

  #saveLater(): void {
    if (this.#isStopped) return;
    this.#cancelSave ??= this.#options.timers.after(webhookSaveMilliseconds, () => void this.#save());
  }

  /** A save that fails, as on a full disk, is tried again later. */
  async #save(): Promise<void> {
    this.#cancelSave = undefined;
    const changed = [...this.#runs.values()].filter(({ isDirty }) => isDirty);
    if (changed.length === 0) return;
    try {
      await this.#options.db.write((writer) => {
        for (const run of changed) run.save(writer);
      });
    } catch {
      for (const run of changed) run.saveAgain();
      this.#saveLater();
    }
  }
}
