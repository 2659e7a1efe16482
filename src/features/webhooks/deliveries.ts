// The deliveries of all webhooks. A change that is on disk starts them; positions are saved every second.
import { counter, gauge, labelledSamples, type Family, type Sample } from '../../base/prometheus.ts';
import type { Turns } from '../../base/turns.ts';
import type { Invalidation } from '../../storage/invalidation.ts';
import { causeOf } from '../../base/log-lines.ts';
import { feedBounds } from '../events/feed-store.ts';
import { findDeliveryWebhook, readDeliveryWebhooks } from './delivery-webhook-store.ts';
import type { Database } from '../../storage/database.ts';
import { DeliveryLoop, type Outcome, type DeliveryServices } from './delivery-loop.ts';

const webhookSaveMilliseconds = 1_000;
/** The time after which a webhook's task that failed unexpectedly is tried again. */
const taskRetryMilliseconds = 1_000;

type DeliveryOptions = Pick<DeliveryServices, 'posts' | 'secrets' | 'now' | 'timers' | 'log'> & {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly turns: Turns;
};

/** The time for which events are collected before the delivery loops read them. */
const wakeMilliseconds = 10;

/** The loops of all webhooks. Without webhooks there is no work and no connection. */
export class Deliveries {
  readonly #options: DeliveryOptions;
  readonly #services: DeliveryServices;
  readonly #loops = new Map<number, DeliveryLoop>();
  readonly #outcomes = new Map<Outcome, number>(
    (['delivered', 'rejected', 'blocked', 'timeout', 'failed'] as const).map((outcome) => [outcome, 0]),
  );
  #isWaking = false;
  #isStopped = false;
  #cancelSave: (() => void) | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#services = {
      ...options,
      read: options.database.read,
      schedule: (id, task) => options.turns.runLater(() => this.#attempt(id, task)),
      onDirty: () => this.#saveLater(),
      count: (outcome) => this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1),
    };
  }

  start(): void {
    for (const webhook of readDeliveryWebhooks(this.#options.database.read))
      this.#loops.set(webhook.id, new DeliveryLoop(webhook, this.#services));
  }

  /** Called after each sync, which may have put events or changes of webhooks on disk. */
  onSync(invalidations: readonly Invalidation[]): void {
    for (const invalidation of invalidations)
      if (invalidation.kind === 'other' && invalidation.feature === 'webhooks')
        this.#reloadSoon(invalidation.id);
    if (this.#loops.size > 0) this.#wakeSoon();
  }

  /** Called when an administrator has enabled a webhook, and the change is on disk. */
  resume(id: number): void {
    setImmediate(() => {
      if (!this.#isStopped) this.#loops.get(id)?.resume(); // after the change's reload
    });
  }

  families(): Family[] {
    const { latest } = feedBounds(this.#options.database.read);
    const behind = Array.from(this.#loops, ([id, { position }]): Sample => [
      `{webhook="${id}"}`,
      Math.max(0, latest - position),
    ]);
    return [
      counter(
        'orderly_webhook_deliveries_total',
        'Attempts to deliver an event to a webhook, by outcome.',
        labelledSamples('outcome', this.#outcomes),
      ),
      gauge('orderly_webhook_events_behind', 'Events after the position of a webhook.', behind),
    ];
  }

  /**
   * Aborts running requests, and saves all positions. The requests' events are sent again after the next
   * start.
   */
  async close(): Promise<void> {
    this.#isStopped = true;
    for (const loop of this.#loops.values()) loop.stop();
    this.#options.posts.close();
    this.#cancelSave?.();
    await this.#save();
  }

  /** Reloads in a later turn, so that the requests that made the changes are answered first. */
  #reloadSoon(id: number): void {
    setImmediate(() => {
      if (!this.#isStopped) this.#reload(id);
    });
  }

  /** Wakes the loops once for all syncs of a few milliseconds, since each awakened loop reads the feed. */
  #wakeSoon(): void {
    if (this.#isWaking || this.#isStopped) return;
    this.#isWaking = true;
    setTimeout(() => {
      this.#isWaking = false;
      for (const loop of this.#loops.values()) loop.wake();
    }, wakeMilliseconds).unref();
  }

  /** Runs a task of one webhook. An error of the task must not end the service. */
  #attempt(webhookId: number, task: () => void): void {
    try {
      task();
    } catch (error) {
      const { log, timers } = this.#options;
      log.write('error', 'a webhook task failed unexpectedly; retrying', {
        webhook: webhookId,
        cause: causeOf(error),
      });
      timers.after(taskRetryMilliseconds, () => this.#wakeSoon());
    }
  }

  #reload(id: number): void {
    const loop = this.#loops.get(id);
    const webhook = findDeliveryWebhook(this.#options.database.read, id);
    if (webhook === undefined) {
      loop?.stop();
      this.#loops.delete(id);
    } else if (loop === undefined) this.#loops.set(id, new DeliveryLoop(webhook, this.#services));
    else loop.reload(webhook);
  }

  #saveLater(): void {
    if (this.#isStopped) return;
    this.#cancelSave ??= this.#options.timers.after(webhookSaveMilliseconds, () => void this.#save());
  }

  /** Saves positions. If this fails, for example on a full disk, it is repeated later. */
  async #save(): Promise<void> {
    this.#cancelSave = undefined;
    const dirty = [...this.#loops.values()].filter(({ isDirty }) => isDirty);
    if (dirty.length === 0) return;
    try {
      const confirmations = await this.#options.database.write((writer) =>
        dirty.map((loop) => loop.save(writer)),
      );
      for (const confirm of confirmations) confirm();
    } catch {
      for (const loop of dirty) loop.markDirty();
      this.#saveLater();
    }
  }
}
