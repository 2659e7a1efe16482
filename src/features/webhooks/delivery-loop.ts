// The deliveries of one webhook. Its row says where it is: a step reads the row, sends the event after its
// position, and writes the result into the row. So nothing is remembered that isn't on disk, and each request is
// made of what administrators have set last. A change of theirs aborts the running request. The loop pauses when
// there is no event, or until a retry is due; `wake` ends such a pause.
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import { causeOf } from '../../base/log-lines.ts';
import type { Logger } from '../../base/logger.ts';
import type { Timers } from '../../base/timers.ts';
import { version } from '../../base/version.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Database } from '../../storage/database.ts';
import { servicePermit } from '../../storage/permit.ts';
import type { Event } from '../events/event.ts';
import { feedBounds, feedEpoch, readFeed } from '../events/feed-store.ts';
import type { OutgoingPosts, PostFailure, PostResult } from './outgoing-posts.ts';
import { retryDelay, retryMillisecondsMax } from './retry-schedule.ts';
import { signedFields } from './signature.ts';
import {
  disableWebhook,
  findDeliveryWebhook,
  openSecrets,
  passOver,
  saveDelivery,
  saveFailure,
  type DeliveryWebhook,
} from './webhook-store.ts';

const deliveryMillisecondsMax = 15_000;
/** The time after which a write is tried again, such as on a full disk. */
const retryMilliseconds = 1_000;
const untilWoken = Infinity;

export const outcomes = ['delivered', 'rejected', 'blocked', 'timeout', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

/** The services that all webhooks share. */
export type DeliveryServices = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly posts: OutgoingPosts;
  readonly secrets: SealedSecrets;
  readonly now: () => number;
  readonly timers: Timers;
  readonly log: Logger;
  readonly count: (outcome: Outcome) => void;
};

type DeliveryResult = PostResult | typeof timedOut;

export class DeliveryLoop {
  readonly #id: number;
  readonly #services: DeliveryServices;
  readonly #ended: Promise<void>;
  /** The running request, and the version of the webhook of which it was made. */
  #sending: { readonly version: number; readonly abort: () => void } | undefined;
  #isStopped = false;
  /** Whether the loop has nothing to do, or waits for a retry. */
  #isIdle = false;
  #endPause = (): void => {};

  constructor(id: number, services: DeliveryServices) {
    this.#id = id;
    this.#services = services;
    this.#ended = this.#run();
  }

  /** Called when there may be events after the position, or the webhook may have changed to this version. */
  wake(version: number): void {
    if (this.#sending !== undefined && this.#sending.version !== version) this.#sending.abort();
    if (this.#isIdle) this.#endPause();
  }

  /** Aborts the running request, whose event is sent again after the next start; resolves once all is written. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#sending?.abort();
    this.#endPause();
    return this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const wait = await this.#step().catch((error: unknown) => this.#reportFailedStep(error));
      if (wait === 0) continue;
      this.#isIdle = true;
      await this.#pause(wait);
      this.#isIdle = false;
    }
  }

  /**
   * Sends the next event, or passes others over. Returns the milliseconds until there may be more to do; that there
   * is nothing to do it finds without waiting, so that no wake is missed.
   */
  async #step(): Promise<number> {
    const { database, secrets, now } = this.#services;
    const { read } = database;
    const webhook = findDeliveryWebhook(read, this.#id);
    if (webhook?.status !== 'enabled') return untilWoken;
    const { position, types, retryAt } = webhook;
    const wait = retryAt === null ? 0 : retryAt - now();
    if (wait > 0 && wait <= retryMillisecondsMax) return wait;
    const { removedUpTo, latest } = feedBounds(read);
    if (position < removedUpTo) return this.#disable(webhook, eventsRemoved(position));
    const { events, end } = readFeed(read, { after: position, latest, access: 'all', types, rows: 1 });
    const [event] = events;
    if (event === undefined && end === position) return untilWoken;
    if (event === undefined) return this.#write((writer) => passOver(writer, webhook, end));
    const keys = openSecrets(read, secrets, { id: webhook.id, now: now() });
    return keys.length === 0 ? this.#waitForSecret(webhook) : this.#send(webhook, event, keys);
  }

  #reportFailedStep(error: unknown): number {
    const message = 'a webhook task failed unexpectedly; retrying';
    this.#services.log.write('error', message, { webhook: this.#id, cause: causeOf(error) });
    return retryMilliseconds;
  }

  async #send(webhook: DeliveryWebhook, event: Event, keys: readonly Uint8Array[]): Promise<number> {
    const { database, posts, now, timers } = this.#services;
    const sending = new AbortController();
    const { signal } = sending;
    const cancelTimeout = timers.after(deliveryMillisecondsMax, () => sending.abort(timedOut));
    this.#sending = { version: webhook.version, abort: () => sending.abort() };
    const sentAt = now();
    const body = JSON.stringify(event);
    const id = `evt_${feedEpoch(database.read)}_${event.id}`;
    const message = { id, timestamp: Math.floor(sentAt / 1000), body };
    const headers = { ...commonFields, ...signedFields(message, keys) };
    const result = await posts.post({ url: new URL(webhook.url), headers, body, signal });
    cancelTimeout();
    this.#sending = undefined;
    if (result.kind === 'response' || !signal.aborted) return this.#save(webhook, event, { sentAt, result });
    if (signal.reason !== timedOut) return 0; // the webhook has changed
    return this.#save(webhook, event, { sentAt, result: timedOut });
  }

  #save(
    webhook: DeliveryWebhook,
    { id: event }: Event,
    { sentAt, result }: { readonly sentAt: number; readonly result: DeliveryResult },
  ): Promise<number> {
    const { now, log, count } = this.#services;
    if (result.kind === 'response' && result.status >= 200 && result.status <= 299) {
      count('delivered');
      const delivered = { position: event, lastStatus: result.status, lastAt: sentAt };
      return this.#write((writer) => saveDelivery(writer, webhook, delivered));
    }
    const { kind, code, cause, status = null, retryAfter } = failureOf(result);
    count(kind);
    const failures = webhook.failures + 1;
    const delay = status === gone ? undefined : retryDelay(failures, retryAfter, now());
    const failure = {
      failures,
      retryAt: delay === undefined ? null : now() + delay,
      lastStatus: status,
      lastAt: sentAt,
      failingSince: webhook.failingSince ?? sentAt,
      lastError: cause.slice(0, 300),
      lastErrorCode: code,
    };
    log.write('warn', 'a webhook delivery failed', { webhook: webhook.id, event, cause, failures });
    if (delay !== undefined) return this.#write((writer) => saveFailure(writer, webhook, failure));
    const reason =
      status === gone
        ? 'The receiver responded 410 Gone.'
        : `Event ${event} could not be delivered in ${failures} attempts: ${cause}.`;
    return this.#disable({ ...webhook, ...failure }, reason);
  }

  #disable(webhook: DeliveryWebhook, reason: string): Promise<number> {
    const { log, now } = this.#services;
    log.write('warn', 'a webhook is disabled', { webhook: webhook.id, reason });
    return this.#write((writer) => {
      saveFailure(writer, webhook, webhook);
      disableWebhook(servicePermit(writer, now()), webhook, reason);
    });
  }

  /**
   * Called if no secret can sign: that is no fault of the receiver, so that it neither counts as a failure nor
   * disables the webhook. A new secret, or a start with the service's old one, continues.
   */
  async #waitForSecret(webhook: DeliveryWebhook): Promise<number> {
    if (webhook.lastErrorCode === 'no-secret') return untilWoken;
    const { now, log } = this.#services;
    const { id } = webhook;
    const lastError = `The secret can no longer be read. Create a new one (POST /webhooks/${id}/secrets).`;
    log.write('error', 'a webhook has no secret to sign with', { webhook: id, cause: lastError });
    const failingSince = webhook.failingSince ?? now();
    const waiting = { ...webhook, failingSince, lastError, lastErrorCode: 'no-secret' } as const;
    return this.#write((writer) => saveFailure(writer, webhook, waiting));
  }

  /**
   * Writes, and tries again until that succeeds or the service stops: an event that was delivered isn't sent
   * again and again while the disk is full. Returns 0, since there may be more events.
   */
  async #write(callback: (writer: Connection) => void): Promise<number> {
    const { database, log } = this.#services;
    for (let failures = 0; !this.#isStopped; failures += 1)
      try {
        await database.write(callback);
        break;
      } catch (error) {
        const cause = causeOf(error);
        if (failures === 0)
          log.write('warn', 'a webhook cannot be saved; retrying', { webhook: this.#id, cause });
        await this.#pause(retryMilliseconds);
      }
    return 0;
  }

  /** Waits for this time, or until `#endPause`. */
  #pause(milliseconds: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { timers } = this.#services;
    const cancel = milliseconds === untilWoken ? (): void => {} : timers.after(milliseconds, resolve);
    this.#endPause = () => {
      cancel();
      resolve();
    };
    return promise;
  }
}

const gone = 410;

const commonFields = { 'content-type': 'application/json', 'user-agent': `orderly/${version}` };

const timedOut = {
  kind: 'timeout',
  code: 'timeout',
  cause: `no response in ${deliveryMillisecondsMax / 1000} seconds`,
} as const;

type Failure = Pick<PostFailure, 'code' | 'cause'> & {
  readonly kind: Exclude<Outcome, 'delivered'>;
  readonly status?: number;
  readonly retryAfter?: string | undefined;
};

/** Describes a result that is no success. */
function failureOf(result: DeliveryResult): Failure {
  if (result.kind !== 'response') return result;
  return { ...result, kind: 'rejected', code: 'status', cause: `status ${result.status}` };
}

function eventsRemoved(position: number): string {
  return `Events after ${position} have expired and were removed. Set position to resume.`;
}
