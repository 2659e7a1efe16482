// The deliveries of all webhooks, each in its own loop. A webhook's row has its position: a step reads the row, sends
// the event after the position, and writes the result into the row. So all state is on disk, and each request follows
// the administrators' latest settings. A change of the settings aborts the running request. A loop pauses while there
// is no event or until a retry is due, and ends when its row is deleted. Without webhooks there is no work and no
// connection. While the service runs, only steps read the database; a step that fails is tried again.
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import {
  dayMilliseconds,
  hourMilliseconds,
  minuteMilliseconds,
  secondMilliseconds,
} from '../../base/durations.ts';
import { causeOf } from '../../base/log-lines.ts';
import { counter, gauge, labelledSamples, type Family, type Sample } from '../../base/prometheus.ts';
import { version } from '../../base/version.ts';
import type { WriteCallback, Invalidation } from '../../storage/connection.ts';
import { servicePermit } from '../../storage/permit.ts';
import type { Event } from '../events/event.ts';
import { feedBounds, feedEpoch, readFeed } from '../events/feed-store.ts';
import type { FeatureServices } from '../feature.ts';
import { sendPost, type PostFailure, type PostResult } from './outgoing-posts.ts';
import { signedFields } from './signature.ts';
import {
  disableWebhook,
  findDeliveryWebhook,
  noFailure,
  openSecrets,
  readPositions,
  saveProgress,
  type DeliveryWebhook,
} from './webhook-store.ts';
import type { WebhookTargets } from './webhook-targets.ts';

/** The time for which events are collected before the loops read them. */
const wakeMilliseconds = 10;
const deliveryMillisecondsMax = 15_000;
/** The time after which a failed step, or a failed write such as on a full disk, is tried again. */
const repeatMilliseconds = 1_000;
const untilWoken = Infinity;

const outcomes = ['delivered', 'rejected', 'blocked', 'timeout', 'failed'] as const;
type Counts = Map<PostResult['kind'], number>;
const timedOut: PostFailure = {
  kind: 'timeout',
  code: 'timeout',
  cause: `no response in ${deliveryMillisecondsMax / 1000} seconds`,
};

type DeliveryServices = Pick<FeatureServices, 'database' | 'lookup' | 'now' | 'timers' | 'log'> & {
  readonly targets: WebhookTargets;
  readonly secrets: SealedSecrets;
};

export class Deliveries {
  readonly #services: DeliveryServices;
  readonly #loops = new Map<number, DeliveryLoop>();
  readonly #counts: Counts = new Map(outcomes.map((outcome) => [outcome, 0]));
  #isWaking = false;
  #isStopped = false;

  constructor(services: DeliveryServices) {
    this.#services = services;
  }

  start(): void {
    for (const { id } of readPositions(this.#services.database.read)) this.#begin(id);
  }

  /** Called once changes are on disk: there may be new events, or changed webhooks. */
  onDurableChanges(invalidations: readonly Invalidation[]): void {
    for (const each of invalidations) {
      if (each === 'everything' || each.table !== 'webhooks' || this.#isStopped) continue;
      const loop = this.#loops.get(each.id);
      if (loop === undefined) this.#begin(each.id);
      else loop.abort();
    }
    if (this.#isWaking || this.#loops.size === 0) return;
    this.#isWaking = true;
    // in a later turn, so that the requests that made the changes are answered first
    setTimeout(() => {
      this.#isWaking = false;
      for (const loop of this.#loops.values()) loop.wake();
    }, wakeMilliseconds).unref();
  }

  families(): Family[] {
    const { read } = this.#services.database;
    const { latest } = feedBounds(read);
    const behind = readPositions(read).map(({ id, position }): Sample => [
      `{webhook="${id}"}`,
      Math.max(0, latest - position),
    ]);
    const attempts = labelledSamples('outcome', this.#counts);
    const help = 'Attempts to deliver an event to a webhook, by outcome.';
    return [
      counter('orderly_webhook_deliveries_total', help, attempts),
      gauge('orderly_webhook_events_behind', 'Events after the position of a webhook.', behind),
    ];
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(Array.from(this.#loops.values(), (loop) => loop.stop()));
  }

  #begin(id: number): void {
    const loop = new DeliveryLoop(id, this.#services, this.#counts);
    this.#loops.set(id, loop);
    void loop.ended.then(() => this.#loops.delete(id));
  }
}

class DeliveryLoop {
  readonly ended: Promise<void>;
  readonly #id: number;
  readonly #services: DeliveryServices;
  readonly #counts: Counts;
  /** A failed write, to be repeated: while the disk is full, a delivered event isn't sent again and again. */
  #unsaved: WriteCallback<void> | undefined;
  #isFailing = false;
  #isOver = false;
  #endPause = (): void => {};
  /** Aborts the running request. */
  abort = (): void => {};

  constructor(id: number, services: DeliveryServices, counts: Counts) {
    this.#id = id;
    this.#services = services;
    this.#counts = counts;
    this.ended = this.#run();
  }

  /** Called when there may be events after the position, or the webhook has changed. */
  wake(): void {
    if (!this.#isFailing) this.#endPause();
  }

  /** Aborts the running request, whose event is sent again after the next start. Resolves when the loop has ended. */
  stop(): Promise<void> {
    this.#isOver = true;
    this.abort();
    this.#endPause();
    return this.ended;
  }

  async #run(): Promise<void> {
    while (!this.#isOver)
      try {
        const wait = await (this.#unsaved === undefined ? this.#step() : this.#write(this.#unsaved));
        this.#isFailing = false;
        await this.#pause(wait);
      } catch (error) {
        const fields = { webhook: this.#id, cause: causeOf(error) };
        if (!this.#isFailing) this.#services.log.write('error', 'a webhook task failed; retrying', fields);
        this.#isFailing = true;
        await this.#pause(repeatMilliseconds);
      }
  }

  /**
   * Sends the next event, or skips events of other types. Returns the milliseconds until there may be more to do. It
   * looks for events before its first await, so no wake is missed.
   */
  async #step(): Promise<number> {
    const { database, secrets, now } = this.#services;
    const { read } = database;
    const webhook = findDeliveryWebhook(read, this.#id);
    if (webhook === undefined) this.#isOver = true;
    if (webhook?.status !== 'enabled') return untilWoken;
    const { position, types, retryAt } = webhook;
    const wait = (retryAt ?? 0) - now();
    if (wait > 0 && wait <= retryMillisecondsMax) return wait;
    const { removedUpTo, latest } = feedBounds(read);
    const expired = `Events after ${position} have expired and were removed. Set position to resume.`;
    if (position < removedUpTo) return this.#disable(webhook, expired);
    const { events, end } = readFeed(read, { after: position, latest, access: 'all', types, rows: 1 });
    const [event] = events;
    if (event === undefined && end === position) return untilWoken;
    if (event === undefined) return this.#save(webhook, { position: end });
    const keys = openSecrets(read, secrets, { id: this.#id, now: now() });
    return keys.length === 0 ? this.#waitForSecret(webhook) : this.#send(webhook, event, keys);
  }

  async #send(webhook: DeliveryWebhook, event: Event, keys: readonly Uint8Array[]): Promise<number> {
    const { database, now, timers } = this.#services;
    const lastAt = now();
    const body = JSON.stringify(event);
    const id = `evt_${feedEpoch(database.read)}_${event.id}`;
    const signed = signedFields({ id, timestamp: Math.floor(lastAt / 1000), body }, keys);
    const sending = new AbortController();
    const { signal } = sending;
    const cancelTimeout = timers.after(deliveryMillisecondsMax, () => sending.abort(timedOut));
    this.abort = () => sending.abort();
    const post = { url: new URL(webhook.url), headers: { ...commonFields, ...signed }, body, signal };
    const response = await sendPost(post, this.#services);
    cancelTimeout();
    this.abort = () => {};
    const isAborted = response.status === undefined && signal.aborted;
    if (isAborted && signal.reason !== timedOut) return 0; // the webhook has changed
    const result = isAborted ? timedOut : response;
    this.#counts.set(result.kind, (this.#counts.get(result.kind) ?? 0) + 1);
    if (result.kind !== 'delivered') return this.#retry(webhook, event, { ...result, lastAt });
    return this.#save(webhook, { ...noFailure, position: event.id, lastStatus: result.status, lastAt });
  }

  /** Saves a failure, and when the event is sent again; disables the webhook after the last attempt. */
  #retry(
    webhook: DeliveryWebhook,
    { id: event }: Event,
    { code, cause, status, retryAfter, lastAt }: PostFailure & { readonly lastAt: number },
  ): Promise<number> {
    const { now, log } = this.#services;
    const failures = webhook.failures + 1;
    const delay = status === gone ? undefined : retryDelay(failures, retryAfter, now());
    log.write('warn', 'a webhook delivery failed', { webhook: this.#id, event, cause, failures });
    const failed = {
      failures,
      retryAt: delay === undefined ? null : now() + delay,
      lastStatus: status ?? null,
      lastAt,
      failingSince: webhook.failingSince ?? lastAt,
      lastError: cause.slice(0, 300),
      lastErrorCode: code,
    };
    if (delay !== undefined) return this.#save(webhook, failed);
    const attempts = `Event ${event} could not be delivered in ${failures} attempts: ${cause}.`;
    const reason = status === gone ? 'The receiver responded 410 Gone.' : attempts;
    return this.#disable({ ...webhook, ...failed }, reason);
  }

  #disable(webhook: DeliveryWebhook, reason: string): Promise<number> {
    const { log, now } = this.#services;
    log.write('warn', 'a webhook is disabled', { webhook: this.#id, reason });
    return this.#write((writer) => disableWebhook(servicePermit(writer, now()), webhook, reason));
  }

  /**
   * Called if no secret can sign. This isn't the receiver's fault, so it neither counts as a failure nor disables the
   * webhook. Deliveries continue with a new secret, or after a start with the service's old one.
   */
  async #waitForSecret(webhook: DeliveryWebhook): Promise<number> {
    if (webhook.lastErrorCode === 'no-secret') return untilWoken;
    const { now, log } = this.#services;
    const lastError = `The secret can no longer be read. Create a new one (POST /webhooks/${this.#id}/secrets).`;
    log.write('error', 'a webhook has no secret to sign with', { webhook: this.#id, cause: lastError });
    const failingSince = webhook.failingSince ?? now();
    return this.#save(webhook, { failingSince, lastError, lastErrorCode: 'no-secret' });
  }

  #save(webhook: DeliveryWebhook, progress: Partial<DeliveryWebhook>): Promise<number> {
    return this.#write((writer) => saveProgress(writer, webhook, progress));
  }

  /** Returns 0, since there may be more events. */
  async #write(callback: WriteCallback<void>): Promise<number> {
    this.#unsaved = callback;
    await this.#services.database.write(callback);
    this.#unsaved = undefined;
    return 0;
  }

  /** Waits for this time, or until `#endPause`. */
  #pause(milliseconds: number): Promise<void> {
    if (this.#isOver || milliseconds === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { timers } = this.#services;
    const cancel = milliseconds === untilWoken ? () => {} : timers.after(milliseconds, resolve);
    this.#endPause = () => {
      cancel();
      resolve();
    };
    return promise;
  }
}

const gone = 410;
const commonFields = { 'content-type': 'application/json', 'user-agent': `orderly/${version}` };

/** The delays after the first failure, the second, and so on. */
const delays: readonly number[] = [
  5 * secondMilliseconds,
  5 * minuteMilliseconds,
  30 * minuteMilliseconds,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMilliseconds),
];
/** Each delay varies by this share, so that receivers that were down are not all called at the same time. */
const jitter = 0.1;
/** A retry is never later than this after its failure, unless the clock was ahead. */
const retryMillisecondsMax = dayMilliseconds * (1 + jitter);

/**
 * Returns the milliseconds until the next attempt, or undefined after the last one. With Retry-After a
 * receiver can delay the attempt by up to a day. Retry-After can't bring an attempt forward, or all retries
 * could be over in a minute.
 */
function retryDelay(failures: number, retryAfter: string | undefined, now: number): number | undefined {
  const delay = delays[failures - 1];
  if (delay === undefined) return undefined;
  const wanted = Math.min(dayMilliseconds, Math.max(delay, retryAfterDelay(retryAfter, now)));
  return Math.round(wanted * (1 + jitter * Math.random()));
}

/** Parses seconds or an HTTP date (RFC 9110 section 10.2.3); 0 for anything else. */
function retryAfterDelay(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondMilliseconds;
  const date = /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
