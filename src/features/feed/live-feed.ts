// Sends events to the readers of streams as they happen. A reader has no queue of events, only a position in
// the table. Readers take turns; in its turn, a reader is sent the next page of the feed. A sync of the
// database wakes the readers that had read everything.
import { isStaff } from '../../auth/access.ts';
import { counter, gauge, labelledSamples, type Family } from '../../base/prometheus.ts';
import type { StreamEndReason } from '../../http/responses/response-stream.ts';
import { eventBlock } from '../../http/responses/server-sent-events.ts';
import type { Invalidation } from '../../storage/invalidation.ts';
import { causeOf } from '../../base/log-lines.ts';
import type { Logger } from '../../base/logger.ts';
import { Problem, unavailable } from '../../problem.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Event, FeedBounds } from '../events/event.ts';
import type { Timers } from '../../base/timers.ts';
import { feedBounds, feedEpoch, readFeed } from '../events/feed-store.ts';
import { cursorAfter } from './feed-cursor.ts';
import { LiveReader, type LiveReaderOptions } from './live-reader.ts';

export const streamsMax = 100;
/** The streams of all users without staff rights together, so that many accounts can't lock staff out. */
export const streamsWithoutStaffMax = 80;
export const streamsPerUserMax = 5;
export const streamsPerAddressMax = 20;
/** The most events and characters that a stream is sent at a time, unless one event alone is longer. */
const streamPageEventsMax = 100;
export const streamPageCharsMax = 32 * 1024;
/** The time for which streams are served in one turn of the event loop. */
export const streamTurnMillisecondsMax = 5;
/**
 * The pause after such a turn, as a multiple of the turn's time. So readers that catch up, perhaps past
 * millions of events of others, share a tenth of the time, and all other readers half of it.
 */
const catchUpPauseFactor = 9;
const streamPauseFactor = 1;
/** The shortest pause, so that many commits share one write to each stream. */
const streamPauseMillisecondsMin = 20;

const pageBounds = { rows: streamPageEventsMax, charsMax: streamPageCharsMax };
const sweepMilliseconds = 1_000;
const retrySeconds = 10;

/** The reasons for which an event stream ends. */
const endReasons: readonly StreamEndReason[] = [
  'client',
  'slow',
  'unauthorized',
  'expired',
  'gone',
  'stopping',
  'failed',
];

type LiveFeedOptions = {
  readonly db: Connection;
  readonly log: Logger;
  readonly now: () => number;
  readonly timers: Timers;
};

/** The options of a new reader that a route passes. */
type NewReader = Omit<LiveReaderOptions, 'now'>;

/** The methods that routes may use. */
export type Streams = Pick<LiveFeed, 'checkCapacity' | 'add'>;

export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #readers = new Set<LiveReader>();
  /** The readers to be served, in turn. */
  readonly #queue = new Set<LiveReader>();
  readonly #ends = new Map(endReasons.map((reason) => [reason, 0]));
  #eventsSent = 0;
  #isClosed = false;
  #stale: Invalidation[] = [];
  #isWakeScheduled = false;
  #nextTurnAt = 0;
  #nextTurn: NodeJS.Timeout | undefined;
  #cancelSweep: (() => void) | undefined;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  families(): Family[] {
    return [
      gauge('orderly_streams', 'Open event streams.', this.#readers.size),
      counter('orderly_stream_events_total', 'Events sent to streams.', this.#eventsSent),
      counter(
        'orderly_streams_ended_total',
        'Event streams that ended, by reason.',
        labelledSamples('reason', this.#ends),
      ),
    ];
  }

  /** Throws if the caller may not open another stream. */
  checkCapacity({ caller, network }: Pick<NewReader, 'caller' | 'network'>): void {
    if (this.#isClosed) throw unavailable('The service is stopping.');
    const readers = [...this.#readers];
    const own = readers.filter((reader) => reader.caller.userId === caller.userId).length;
    if (own >= streamsPerUserMax)
      throw tooMany('streams-per-user', `A user may have ${streamsPerUserMax} event streams open`);
    const ofNetwork = readers.filter((reader) => reader.network === network).length;
    if (ofNetwork >= streamsPerAddressMax)
      throw tooMany('streams-per-address', `An address may have ${streamsPerAddressMax} event streams open`);
    const withoutStaff = readers.filter((reader) => !isStaff(reader.caller)).length;
    if (readers.length >= streamsMax || (!isStaff(caller) && withoutStaff >= streamsWithoutStaffMax))
      throw tooMany('streams', `All event streams are in use: there may be ${streamsMax} open`);
  }

  add(options: NewReader): void {
    const reader = new LiveReader({ ...options, now: this.#options.now });
    this.#readers.add(reader);
    reader.stream.endWithClient();
    reader.stream.onEnd((reason) => this.#remove(reader, reason));
    if (this.#cancelSweep === undefined) this.#sweepLater();
    this.#enqueue(reader);
  }

  /** Called once changes are on disk and visible to reads. */
  onSync(invalidations: readonly Invalidation[]): void {
    if (this.#readers.size === 0) return;
    this.#stale.push(...invalidations);
    if (this.#isWakeScheduled) return;
    this.#isWakeScheduled = true;
    setImmediate(() => this.#guard(() => this.#wake()));
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#options.timers.after(sweepMilliseconds, () => {
      this.#sweepLater();
      this.#sweep();
    });
  }

  /** Ends streams whose credential has expired, and keeps all others alive. */
  #sweep(): void {
    this.#guard(() => {
      for (const reader of this.#readers) if (reader.endUnlessPermitted()) reader.keepAlive();
    });
  }

  /** Ends all streams. Readers reconnect and resume at their positions. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.stream.end('stopping');
    clearTimeout(this.#nextTurn);
    this.#cancelSweep?.();
  }

  #remove(reader: LiveReader, reason: StreamEndReason): void {
    this.#readers.delete(reader);
    this.#queue.delete(reader);
    this.#ends.set(reason, (this.#ends.get(reason) ?? 0) + 1);
    if (this.#readers.size > 0) return;
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
  }

  #wake(): void {
    this.#isWakeScheduled = false;
    const stale = this.#stale.splice(0);
    for (const reader of this.#readers) {
      if (stale.some((invalidation) => reader.isAffectedBy(invalidation))) reader.endUnlessPermitted();
      if (reader.hasCaughtUp) this.#enqueue(reader);
    }
  }

  /** Adds the reader at the end of the queue. */
  #enqueue(reader: LiveReader): void {
    if (reader.stream.isOver) return;
    this.#queue.add(reader);
    this.#scheduleTurn();
  }

  #scheduleTurn(): void {
    if (this.#nextTurn !== undefined || this.#queue.size === 0) return;
    const pause = Math.max(0, this.#nextTurnAt - performance.now());
    this.#nextTurn = setTimeout(() => {
      this.#guard(() => this.#serve());
      this.#nextTurn = undefined;
      this.#scheduleTurn();
    }, pause);
  }

  /** Serves one reader after another until none waits or the turn's time is over. */
  #serve(): void {
    const start = performance.now();
    const turn: Turn = { ...feedBounds(this.#options.db), blocks: new Map() };
    let now = start;
    let pause = 0;
    for (const reader of this.#queue) {
      this.#queue.delete(reader); // a reader that is added again is served again in this loop
      const factor = reader.hasCaughtUp ? streamPauseFactor : catchUpPauseFactor;
      const before = now;
      this.#sendPage(reader, turn);
      now = performance.now();
      pause += factor * (now - before);
      if (now - start >= streamTurnMillisecondsMax) break;
    }
    this.#nextTurnAt = now + Math.max(streamPauseMillisecondsMin, pause);
  }

  /**
   * Sends the next page to one reader. Before it has caught up for the first time, waits for its client;
   * afterwards a client that doesn't keep up is disconnected.
   */
  #sendPage(reader: LiveReader, { removedUpTo, latest, blocks }: Turn): void {
    const { position: after, access, types } = reader;
    if (!reader.endUnlessPermitted()) return;
    if (after < removedUpTo) return reader.stream.end('gone');
    const { events, end } = readFeed(this.#options.db, { after, latest, access, types, ...pageBounds });
    reader.advance(this.#blocksOf(events, blocks), end);
    if (!reader.stream.isOver) this.#eventsSent += events.length;
    if (end >= latest) reader.hasCaughtUp = true;
    else if (reader.hasCaughtUp) this.#enqueue(reader);
    else reader.stream.whenDrained(() => this.#enqueue(reader));
  }

  #blocksOf(events: readonly Event[], known: Turn['blocks']): string {
    const epoch = feedEpoch(this.#options.db);
    let text = '';
    for (const event of events) {
      const block = known.get(event.id) ?? this.#blockOf(event, epoch);
      known.set(event.id, block);
      text += block;
    }
    return text;
  }

  #blockOf(event: Event, epoch: string): string {
    const id = cursorAfter(epoch, event.id);
    return eventBlock({ id, type: event.type, data: JSON.stringify(event) });
  }

  /** Runs a task outside of requests: if it throws, all streams end, and readers reconnect. */
  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      const cause = causeOf(error);
      this.#options.log.write('error', 'the event streams failed and were ended', { cause });
      for (const reader of this.#readers) reader.stream.end('failed');
    }
  }
}

/** What all readers served in one turn share. */
type Turn = FeedBounds & {
  /** Blocks by the event's id, made once: making a block takes twice as long as reading the event. */
  readonly blocks: Map<number, string>;
};

function tooMany(policy: string, most: string): Problem {
  const detail = `${most} at the same time; close one, then try again.`;
  return new Problem('quota-exceeded', detail, { retryAfterSeconds: retrySeconds, violated: [policy] });
}
