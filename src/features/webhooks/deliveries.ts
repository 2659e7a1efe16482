// The deliveries of all webhooks, each in a loop of its own. Without webhooks there is no work and no connection.
import { counter, gauge, labelledSamples, type Family, type Sample } from '../../base/prometheus.ts';
import type { Invalidation } from '../../storage/invalidation.ts';
import { feedBounds } from '../events/feed-store.ts';
import { DeliveryLoop, outcomes, type DeliveryServices, type Outcome } from './delivery-loop.ts';
import { readProgress } from './webhook-store.ts';

/** The time for which events are collected before the loops read them. */
const wakeMilliseconds = 10;

export class Deliveries {
  readonly #services: DeliveryServices;
  readonly #loops = new Map<number, DeliveryLoop>();
  readonly #outcomes = new Map<Outcome, number>(outcomes.map((outcome) => [outcome, 0]));
  #isWaking = false;
  #isStopped = false;

  constructor(services: Omit<DeliveryServices, 'count'>) {
    const count = (outcome: Outcome): void =>
      void this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    this.#services = { ...services, count };
  }

  start(): void {
    this.#wake();
  }

  /** Called after each sync, which may have put events or changes of webhooks on disk. */
  onSync(invalidations: readonly Invalidation[]): void {
    const hasChanged = invalidations.some((each) => each.kind === 'other' && each.feature === 'webhooks');
    if (this.#isWaking || !(hasChanged || this.#loops.size > 0)) return;
    this.#isWaking = true;
    // in a later turn, so that the requests that made the changes are answered first
    setTimeout(() => {
      this.#isWaking = false;
      if (!this.#isStopped) this.#wake();
    }, wakeMilliseconds).unref();
  }

  families(): Family[] {
    const { read } = this.#services.database;
    const { latest } = feedBounds(read);
    const behind = readProgress(read).map(({ id, position }): Sample => [
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

  async close(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(Array.from(this.#loops.values(), (loop) => loop.stop()));
    this.#services.posts.close();
  }

  #wake(): void {
    const webhooks = readProgress(this.#services.database.read);
    for (const [id, loop] of this.#loops)
      if (!webhooks.some((webhook) => webhook.id === id)) {
        void loop.stop();
        this.#loops.delete(id);
      }
    for (const { id, version } of webhooks) {
      const loop = this.#loops.get(id) ?? new DeliveryLoop(id, this.#services);
      this.#loops.set(id, loop);
      loop.wake(version);
    }
  }
}
