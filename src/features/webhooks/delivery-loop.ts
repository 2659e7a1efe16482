// The deliveries of one webhook: sends the next event after the webhook's position, one request at a time,
// and retries.
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import type { Logger } from '../../base/logger.ts';
import type { Event } from '../events/event.ts';
import { feedBounds, feedEpoch, readFeed } from '../events/feed-store.ts';
import {
  disableWebhook,
  webhookVersion,
  saveProgress,
  type DeliveryWebhook,
  type DeliveryProgress,
} from './delivery-webhook-store.ts';
import { webhookAdditionalData } from './webhook-store.ts';
import type { Connection } from '../../storage/connection.ts';
import { servicePermit } from '../../storage/permit.ts';
import type { Timers } from '../../base/timers.ts';
import { version } from '../../base/version.ts';
import type { OutgoingPosts } from './outgoing-posts.ts';
import type { PostResult } from './post-thread.ts';
import { retryDelay } from './retry-schedule.ts';
import { signedFields } from './signature.ts';

const deliveryMillisecondsMax = 15_000;

export type Outcome = 'delivered' | 'rejected' | 'blocked' | 'timeout' | 'failed';

/** The services that all webhooks share. */
export type DeliveryServices = {
  readonly read: Connection;
  readonly posts: OutgoingPosts;
  readonly secrets: SealedSecrets;
  readonly now: () => number;
  readonly timers: Timers;
  readonly log: Logger;
  /** Runs `task` in a later turn of the event loop; webhooks take turns. */
  readonly schedule: (webhookId: number, task: () => void) => void;
  /** Called when the progress has to be saved. */
  readonly onDirty: () => void;
  readonly count: (outcome: Outcome) => void;
};

const nothing = (): void => {};

export class DeliveryLoop {
  readonly #services: DeliveryServices;
  #webhook: DeliveryWebhook;
  #progress: DeliveryProgress;
  /** The position that is on disk. */
  #savedPosition: number;
  #sending: AbortController | undefined;
  #cancelRetry = nothing;
  #isScheduled = false;
  #isDirty = false;
  #isStopped = false;
  /** Why the webhook has to be disabled; undefined again once an administrator changes the webhook. */
  #disableReason: string | undefined;

  constructor(webhook: DeliveryWebhook, services: DeliveryServices) {
    this.#services = services;
    this.#webhook = webhook;
    this.#progress = webhook;
    this.#savedPosition = webhook.position;
    this.#waitForRetry();
  }

  get position(): number {
    return this.#progress.position;
  }

  get isDirty(): boolean {
    return this.#isDirty;
  }

  /** Called when there may be events after the position. */
  wake(): void {
    if (!this.#isReady || this.#isScheduled) return;
    this.#isScheduled = true;
    this.#services.schedule(this.#webhook.id, () => {
      this.#isScheduled = false;
      this.#sendNext();
    });
  }

  /** Called when an administrator has changed the webhook: aborts the running request and starts again. */
  reload(webhook: DeliveryWebhook): void {
    if (webhook.version === this.#webhook.version) return;
    this.#cancel();
    const wasMoved = webhook.position !== this.#savedPosition;
    const { failures, retryAt } = webhook;
    const position = wasMoved ? webhook.position : this.#progress.position;
    this.#webhook = webhook;
    this.#savedPosition = webhook.position;
    this.#disableReason = undefined;
    this.#update({ position, failures, retryAt });
    this.#waitForRetry();
  }

  /**
   * Called when an administrator enables the webhook, even if it is already enabled: brings a retry forward.
   */
  resume(): void {
    const { failures, retryAt } = this.#progress;
    if (failures === 0 || retryAt === null) return;
    this.#update({ failures: 0, retryAt: null });
    this.#waitForRetry();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Returns a function to call once the progress is on disk. */
  save(writer: Connection): () => void {
    this.#isDirty = false;
    const { position } = this.#progress;
    const isSaved = saveProgress(writer, this.#webhook, this.#progress);
    if (this.#disableReason !== undefined) {
      const permit = servicePermit(writer, this.#services.now());
      disableWebhook(permit, this.#webhook, this.#disableReason);
    }
    return () => {
      if (isSaved) this.#savedPosition = position;
    };
  }

  /** Called when the transaction of `save` was rolled back. */
  markDirty(): void {
    this.#isDirty = true;
  }

  #cancel(): void {
    this.#sending?.abort();
    this.#sending = undefined;
    this.#cancelRetry();
  }

  get #isReady(): boolean {
    if (this.#isStopped || this.#disableReason !== undefined) return false;
    const isIdle = this.#sending === undefined && this.#progress.retryAt === null;
    return this.#webhook.status === 'enabled' && isIdle;
  }

  #sendNext(): void {
    if (!this.#isReady) return;
    const { read } = this.#services;
    const { types } = this.#webhook;
    const { removedUpTo, latest } = feedBounds(read);
    if (this.position > latest) this.#goBack(latest);
    if (this.position < removedUpTo) return this.#disable(eventsRemoved(this.position));
    if (this.position === latest) return;
    const after = this.position;
    const { events, end } = readFeed(read, { after, latest, access: 'all', types, rows: 1 });
    const [event] = events;
    if (event !== undefined) return this.#send(event);
    this.#update({ position: end });
    this.wake();
  }

  /** Called if the position is beyond the newest event: an older database was restored. */
  #goBack(latest: number): void {
    const { id } = this.#webhook;
    this.#services.log.write(
      'warn',
      'the position of a webhook was past the latest event; it continues from that event',
      {
        webhook: id,
        position: this.position,
        latest,
      },
    );
    this.#update({ position: latest });
  }

  #send(event: Event): void {
    if (this.#isOutdated) return; // the webhook changed a moment ago, and will be reloaded in this turn
    const secrets = this.#openSecrets();
    if (secrets === undefined) return this.#waitForSecret();
    const { read, posts, now, timers } = this.#services;
    const sending = new AbortController();
    this.#sending = sending;
    const sentAt = now();
    const body = JSON.stringify(event);
    const message = { id: `evt_${feedEpoch(read)}_${event.id}`, timestamp: Math.floor(sentAt / 1000), body };
    const cancelTimeout = timers.after(deliveryMillisecondsMax, () => sending.abort());
    const headers = { ...commonFields, ...signedFields(message, secrets) };
    const post = { url: new URL(this.#webhook.url), headers, body, signal: sending.signal };
    void posts.post(post).then((result) => {
      cancelTimeout();
      if (this.#sending !== sending) return; // stopped or reloaded; otherwise only a timeout aborts
      this.#sending = undefined;
      const isTimeout = sending.signal.aborted && result.kind !== 'response';
      this.#handleResult(event, sentAt, isTimeout ? timedOut : result);
    });
  }

  get #isOutdated(): boolean {
    return webhookVersion(this.#services.read, this.#webhook.id) !== this.#webhook.version;
  }

  /**
   * Returns the current secret and, for a day, the previous secret; undefined if the current one can't be
   * decrypted.
   */
  #openSecrets(): Uint8Array[] | undefined {
    const { secrets, now } = this.#services;
    const { id, secret, previousSecret, previousEndsAt } = this.#webhook;
    const current = secrets.open(secret, webhookAdditionalData(id));
    if (current === undefined) return undefined;
    const isOver = previousSecret === null || now() >= (previousEndsAt ?? 0);
    const previous = isOver ? undefined : secrets.open(previousSecret, webhookAdditionalData(id));
    return previous === undefined ? [current] : [current, previous];
  }

  #handleResult(event: Event, sentAt: number, result: DeliveryResult): void {
    const lastStatus = result.kind === 'response' ? result.status : null;
    this.#update({ lastStatus, lastAt: sentAt });
    if (lastStatus === null || lastStatus < 200 || lastStatus > 299) return this.#fail(event, sentAt, result);
    this.#services.count('delivered');
    this.#update({
      position: event.id,
      failures: 0,
      failingSince: null,
      lastError: null,
      lastErrorCode: null,
    });
    this.wake();
  }

  #fail({ id: event }: Event, sentAt: number, result: DeliveryResult): void {
    const { now, log, count } = this.#services;
    const isResponse = result.kind === 'response';
    count(isResponse ? 'rejected' : result.kind);
    const failures = this.#progress.failures + 1;
    const isGone = isResponse && result.status === 410;
    const delay = isGone
      ? undefined
      : retryDelay(failures, isResponse ? result.retryAfter : undefined, now());
    const cause = isResponse ? `status ${result.status}` : result.cause;
    this.#update({
      failures,
      retryAt: delay === undefined ? null : now() + delay,
      failingSince: this.#progress.failingSince ?? sentAt,
      lastError: cause.slice(0, 300),
      lastErrorCode: isResponse ? 'status' : result.code,
    });
    log.write('warn', 'a webhook delivery failed', { webhook: this.#webhook.id, event, cause, failures });
    if (delay !== undefined) this.#waitForRetry();
    else if (isGone) this.#disable('The receiver responded 410 Gone.');
    else this.#disable(`Event ${event} could not be delivered in ${failures} attempts: ${cause}.`);
  }

  /**
   * Called if no secret can sign: that is no fault of the receiver, so that it neither counts as a failure nor
   * disables the webhook. A new secret, or a start with the service's old one, continues.
   */
  #waitForSecret(): void {
    if (this.#progress.lastErrorCode === 'no-secret') return;
    const { now, log } = this.#services;
    const { id: webhook } = this.#webhook;
    const cause = secretLost(webhook);
    log.write('error', 'a webhook has no secret to sign with', { webhook, cause });
    const failingSince = this.#progress.failingSince ?? now();
    this.#update({ failingSince, lastError: cause, lastErrorCode: 'no-secret' });
  }

  #waitForRetry(): void {
    this.#cancelRetry();
    const { retryAt } = this.#progress;
    if (retryAt === null) return this.wake();
    const { timers, now } = this.#services;
    this.#cancelRetry = timers.after(Math.max(0, retryAt - now()), () => {
      this.#progress = { ...this.#progress, retryAt: null };
      this.wake();
    });
  }

  #disable(reason: string): void {
    const { log, onDirty } = this.#services;
    log.write('warn', 'a webhook is disabled', { webhook: this.#webhook.id, reason });
    this.#disableReason = reason;
    this.#isDirty = true;
    onDirty();
  }

  #update(changes: Partial<DeliveryProgress>): void {
    this.#progress = { ...this.#progress, ...changes };
    this.#isDirty = true;
    this.#services.onDirty();
  }
}

const commonFields = { 'content-type': 'application/json', 'user-agent': `orderly/${version}` };

const timedOut = {
  kind: 'timeout',
  code: 'timeout',
  cause: `no response in ${deliveryMillisecondsMax / 1000} seconds`,
} as const;
type DeliveryResult = PostResult | typeof timedOut;

function eventsRemoved(position: number): string {
  return `Events after ${position} have expired and were removed. Set position to resume.`;
}

function secretLost(id: number): string {
  return `The secret can no longer be read. Create a new one (POST /webhooks/${id}/secrets).`;
}
