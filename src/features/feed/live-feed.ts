// Sends events to the readers of streams as they happen. A reader has no queue of events, only a position in the
// table. A sync of the database wakes the readers that have read everything; each page that a reader is sent is a
// task of its own (`base/turns.ts`).
import { isStaff, type Caller } from '../../auth/access.ts';
import { causeOf } from '../../base/log-lines.ts';
import type { Logger } from '../../base/logger.ts';
import { counter, gauge, labelledSamples, type Family } from '../../base/prometheus.ts';
import type { Timers } from '../../base/timers.ts';
import type { Turns } from '../../base/turns.ts';
import type { ResponseStream, StreamEndReason } from '../../http/responses/response-stream.ts';
import { commentLine, eventBlock, retryLine } from '../../http/responses/server-sent-events.ts';
import type { Call } from '../../http/routing/route.ts';
import { Problem, unavailable } from '../../problem.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Event, EventType } from '../events/event.ts';
import { readFeed, type FeedAccess } from '../events/feed-store.ts';
import { cursorAfter, feedState } from './feed-cursor.ts';

export const streamsMax = 100;
/** The streams of all users without staff rights together, so that many accounts can't lock staff out. */
export const streamsWithoutStaffMax = 80;
export const streamsPerUserMax = 5;
export const streamsPerAddressMax = 20;
/** The most events and characters of a page, unless one event alone is longer. */
const streamPageEventsMax = 100;
export const streamPageCharsMax = 32 * 1024;
/** The bytes that a stream's client may leave unread before its connection is closed. */
export const streamUnsentBytesMax = 256 * 1024;
/** The time for which commits are collected, so that many share one write to each stream. */
const wakeMilliseconds = 20;
/** The time after which the rights of readers without new events are checked again. */
const sweepMilliseconds = 1_000;
const commentMilliseconds = 15_000;
const reconnectMilliseconds = 3_000;
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
  readonly turns: Turns;
};

type StreamCall = Pick<
  Call<object, object, undefined, Caller>,
  'caller' | 'network' | 'recheckCaller' | 'hasExpired'
>;

type NewReader = {
  readonly call: StreamCall;
  readonly stream: ResponseStream;
  readonly access: FeedAccess;
  /** Undefined for events of all types. */
  readonly types: readonly EventType[] | undefined;
  /** The id of the event before the first one to send. */
  readonly after: number;
};

export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #readers = new Set<LiveReader>();
  readonly #ends = new Map(endReasons.map((reason) => [reason, 0]));
  #eventsSent = 0;
  #isClosed = false;
  #isWaking = false;
  #cancelSweep = (): void => {};

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
  checkCapacity({ caller, network }: Pick<StreamCall, 'caller' | 'network'>): void {
    if (this.#isClosed) throw unavailable('The service is stopping.');
    const calls = Array.from(this.#readers, ({ call }) => call);
    const own = calls.filter((call) => call.caller.userId === caller.userId).length;
    if (own >= streamsPerUserMax)
      throw tooMany('streams-per-user', `A user may have ${streamsPerUserMax} event streams open`);
    const ofNetwork = calls.filter((call) => call.network === network).length;
    if (ofNetwork >= streamsPerAddressMax)
      throw tooMany('streams-per-address', `An address may have ${streamsPerAddressMax} event streams open`);
    const withoutStaff = calls.filter((call) => !isStaff(call.caller)).length;
    if (calls.length >= streamsMax || (!isStaff(caller) && withoutStaff >= streamsWithoutStaffMax))
      throw tooMany('streams', `All event streams are in use: there may be ${streamsMax} open`);
  }

  add(options: NewReader): void {
    const reader = new LiveReader(options, this.#options.now);
    this.#readers.add(reader);
    reader.stream.endWithClient();
    reader.stream.onEnd((reason) => this.#remove(reader, reason));
    if (this.#readers.size === 1) this.#sweepLater();
    this.#sendLater(reader);
  }

  /** Called once changes are on disk and visible to reads. */
  onSync(): void {
    if (this.#isWaking || this.#readers.size === 0) return;
    this.#isWaking = true;
    setTimeout(() => {
      this.#isWaking = false;
      for (const reader of this.#readers) if (reader.hasCaughtUp) this.#sendLater(reader);
    }, wakeMilliseconds).unref();
  }

  /** Ends all streams. Readers reconnect and resume at their positions. */
  close(): void {
    this.#isClosed = true;
    for (const { stream } of this.#readers) stream.end('stopping');
    this.#cancelSweep();
  }

  #remove(reader: LiveReader, reason: StreamEndReason): void {
    this.#readers.delete(reader);
    this.#ends.set(reason, (this.#ends.get(reason) ?? 0) + 1);
    if (this.#readers.size === 0) this.#cancelSweep();
  }

  /** Ends streams whose readers have lost the right to them, and keeps all others alive. */
  #sweepLater(): void {
    this.#cancelSweep = this.#options.timers.after(sweepMilliseconds, () => {
      this.#sweepLater();
      this.#guard(() => {
        for (const reader of this.#readers) if (reader.endUnlessPermitted()) reader.keepAlive();
      });
    });
  }

  #sendLater(reader: LiveReader): void {
    if (reader.isWaiting) return;
    reader.isWaiting = true;
    this.#options.turns.runLater(() => {
      reader.isWaiting = false;
      this.#guard(() => this.#sendPage(reader));
    });
  }

  /**
   * Sends the next page to one reader. Before it has caught up for the first time, waits for its client;
   * afterwards a client that doesn't keep up is disconnected.
   */
  #sendPage(reader: LiveReader): void {
    const { db } = this.#options;
    const { position: after, stream, access, types } = reader;
    if (!reader.endUnlessPermitted()) return;
    const { removedUpTo, latest, epoch } = feedState(db);
    if (after < removedUpTo) return stream.end('gone');
    const page = { rows: streamPageEventsMax, charsMax: streamPageCharsMax };
    const { events, end } = readFeed(db, { ...page, after, latest, access, types });
    reader.advance(events.map((event) => blockOf(event, epoch)).join(''), end);
    if (!stream.isOver) this.#eventsSent += events.length;
    if (end >= latest) reader.hasCaughtUp = true;
    else if (reader.hasCaughtUp) this.#sendLater(reader);
    else stream.whenDrained(() => this.#sendLater(reader));
  }

  /** Runs a task outside of requests: if it throws, all streams end, and readers reconnect. */
  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      const cause = causeOf(error);
      this.#options.log.write('error', 'the event streams failed and were ended', { cause });
      for (const { stream } of this.#readers) stream.end('failed');
    }
  }
}

function blockOf(event: Event, epoch: string): string {
  return eventBlock({
    id: cursorAfter(epoch, event.id),
    type: event.type,
    data: JSON.stringify(event),
  });
}

/** One reader: its rights, its position and its stream. */
class LiveReader {
  readonly call: StreamCall;
  readonly stream: ResponseStream;
  readonly access: FeedAccess;
  readonly types: readonly EventType[] | undefined;
  /** Whether the reader has ever reached the latest event. */
  hasCaughtUp = false;
  /** Whether a later turn sends it a page. */
  isWaiting = false;
  readonly #now: () => number;
  #position: number;
  #writtenAt: number;

  constructor({ call, stream, access, types, after }: NewReader, now: () => number) {
    this.call = call;
    this.stream = stream;
    this.access = access;
    this.types = types;
    this.#now = now;
    this.#position = after;
    this.#writtenAt = now();
    this.#write(retryLine(reconnectMilliseconds));
  }

  /** The id of the last event that was sent, or skipped because this reader may not see it. */
  get position(): number {
    return this.#position;
  }

  /** Sends blocks of events, if any, and moves to the id `end`. */
  advance(blocks: string, end: number): void {
    this.#position = end;
    if (blocks !== '') this.#write(blocks);
  }

  /** Ends the stream if its reader has lost the right to it; returns whether it is still open. */
  endUnlessPermitted(): boolean {
    if (this.stream.isOver) return false;
    if (this.call.hasExpired()) this.stream.end('expired');
    else if (!this.#hasSameRights()) this.stream.end('unauthorized');
    return !this.stream.isOver;
  }

  /** After a while without events, sends a comment. */
  keepAlive(): void {
    if (this.#now() - this.#writtenAt >= commentMilliseconds) this.#write(commentLine);
  }

  #hasSameRights(): boolean {
    try {
      return this.call.recheckCaller().role === this.call.caller.role;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    if (this.stream.unsentBytes + bytes.length > streamUnsentBytesMax) return this.stream.end('slow');
    this.#writtenAt = this.#now();
    this.stream.write(bytes);
  }
}

function tooMany(policy: string, most: string): Problem {
  const detail = `${most} at the same time; close one, then try again.`;
  return new Problem('quota-exceeded', detail, { retryAfterSeconds: retrySeconds, violated: [policy] });
}
