// Sends events to the readers of streams as they happen. A reader has no queue of events, only a position in the
// table. A durable change wakes the readers that have read everything. Each page for a reader is a separate task
// (`base/turns.ts`).
import { isStaff, type Caller } from '../../auth/access.ts';
import { causeOf } from '../../base/log-lines.ts';
import { counter, gauge, labelledSamples, type Family } from '../../base/prometheus.ts';
import type { ResponseStream, StreamEndReason } from '../../http/responses/response-stream.ts';
import { commentLine, eventBlock, retryLine } from '../../http/responses/server-sent-events.ts';
import type { Call } from '../../http/routing/route.ts';
import { Problem, unavailable } from '../../problem.ts';
import type { Event, EventType } from '../events/event.ts';
import { readFeed, type FeedAccess } from '../events/feed-store.ts';
import type { FeatureServices } from '../feature.ts';
import { cursorAfter, feedState } from './feed-cursor.ts';

export const streamsMax = 100;
/** The streams of all users without staff rights, in total, so that many accounts can't lock staff out. */
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

const endReasons = ['client', 'slow', 'unauthorized', 'expired', 'gone', 'stopping', 'failed'] as const;

type LiveFeedServices = Pick<FeatureServices, 'database' | 'log' | 'now' | 'timers' | 'turns'>;

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

type FeedReader = Omit<NewReader, 'after'> & {
  /** The id of the last event that was sent, or skipped because this reader may not see it. */
  position: number;
  /** Whether the reader has ever reached the latest event. */
  hasCaughtUp: boolean;
  /** Whether a task that sends the next page is queued. */
  isWaiting: boolean;
  writtenAt: number;
};

export class LiveFeed {
  readonly #services: LiveFeedServices;
  readonly #readers = new Set<FeedReader>();
  readonly #ends = new Map<StreamEndReason, number>(endReasons.map((reason) => [reason, 0]));
  #eventsSent = 0;
  #isClosed = false;
  #isWaking = false;
  #cancelSweep = (): void => {};

  constructor(services: LiveFeedServices) {
    this.#services = services;
  }

  families(): Family[] {
    const ends = labelledSamples('reason', this.#ends);
    return [
      gauge('orderly_streams', 'Open event streams.', this.#readers.size),
      counter('orderly_stream_events_total', 'Events sent to streams.', this.#eventsSent),
      counter('orderly_streams_ended_total', 'Event streams that ended, by reason.', ends),
    ];
  }

  /** Throws if the caller may not open another stream. */
  checkCapacity({ caller, network }: Pick<StreamCall, 'caller' | 'network'>): void {
    if (this.#isClosed) throw unavailable('The service is stopping.');
    const count = (counts: (call: StreamCall) => boolean): number =>
      [...this.#readers].filter(({ call }) => counts(call)).length;
    if (count((call) => call.caller.userId === caller.userId) >= streamsPerUserMax)
      throw tooMany('streams-per-user', `A user may have ${streamsPerUserMax} event streams open`);
    if (count((call) => call.network === network) >= streamsPerAddressMax)
      throw tooMany('streams-per-address', `An address may have ${streamsPerAddressMax} event streams open`);
    const isFull =
      this.#readers.size >= streamsMax ||
      (!isStaff(caller) && count((call) => !isStaff(call.caller)) >= streamsWithoutStaffMax);
    if (isFull) throw tooMany('streams', `All event streams are in use: there may be ${streamsMax} open`);
  }

  add({ after, ...rest }: NewReader): void {
    const reader = { ...rest, position: after, hasCaughtUp: false, isWaiting: false, writtenAt: 0 };
    const { stream } = reader;
    this.#readers.add(reader);
    stream.endWithClient();
    stream.onEnd((reason) => this.#remove(reader, reason));
    if (this.#readers.size === 1) this.#sweepLater();
    this.#write(reader, retryLine(reconnectMilliseconds));
    this.#sendLater(reader);
  }

  /** Called once changes are on disk and visible to reads. */
  onDurableChanges(): void {
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
    this.#endAll('stopping');
    this.#cancelSweep();
  }

  #endAll(reason: StreamEndReason): void {
    for (const { stream } of this.#readers) stream.end(reason);
  }

  #remove(reader: FeedReader, reason: StreamEndReason): void {
    this.#readers.delete(reader);
    this.#ends.set(reason, (this.#ends.get(reason) ?? 0) + 1);
    if (this.#readers.size === 0) this.#cancelSweep();
  }

  /** Ends streams whose readers have lost the right to them, and sends a comment to others that are idle. */
  #sweepLater(): void {
    const { now, timers } = this.#services;
    this.#cancelSweep = timers.after(sweepMilliseconds, () => {
      this.#sweepLater();
      this.#guard(() => {
        for (const reader of this.#readers)
          if (endUnlessPermitted(reader) && now() - reader.writtenAt >= commentMilliseconds)
            this.#write(reader, commentLine);
      });
    });
  }

  #sendLater(reader: FeedReader): void {
    if (reader.isWaiting) return;
    reader.isWaiting = true;
    this.#services.turns.runLater(() => {
      reader.isWaiting = false;
      this.#guard(() => this.#sendPage(reader));
    });
  }

  /**
   * Sends the next page to one reader. Before it has caught up for the first time, waits for its client;
   * afterwards a client that doesn't keep up is disconnected.
   */
  #sendPage(reader: FeedReader): void {
    const { read: db } = this.#services.database;
    const { position: after, stream, access, types } = reader;
    if (!endUnlessPermitted(reader)) return;
    const { removedUpTo, latest, epoch } = feedState(db);
    if (after < removedUpTo) return stream.end('gone');
    const page = { rows: streamPageEventsMax, charsMax: streamPageCharsMax };
    const { events, end } = readFeed(db, { ...page, after, latest, access, types });
    reader.position = end;
    const blockOf = (event: Event): string =>
      eventBlock({ id: cursorAfter(epoch, event.id), type: event.type, data: JSON.stringify(event) });
    if (events.length > 0) this.#write(reader, events.map(blockOf).join(''));
    if (!stream.isOver) this.#eventsSent += events.length;
    if (end >= latest) reader.hasCaughtUp = true;
    else if (reader.hasCaughtUp) this.#sendLater(reader);
    else stream.whenDrained(() => this.#sendLater(reader));
  }

  #write(reader: FeedReader, text: string): void {
    const { stream } = reader;
    const bytes = Buffer.from(text);
    if (stream.unsentBytes + bytes.length > streamUnsentBytesMax) return stream.end('slow');
    reader.writtenAt = this.#services.now();
    stream.write(bytes);
  }

  /** Runs a task outside of requests: if it throws, all streams end, and readers reconnect. */
  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      const cause = causeOf(error);
      this.#services.log.write('error', 'the event streams failed and were ended', { cause });
      this.#endAll('failed');
    }
  }
}

/** Ends the stream if its reader has lost the right to it; returns whether it is still open. */
function endUnlessPermitted({ call, stream }: FeedReader): boolean {
  if (stream.isOver) return false;
  if (call.hasExpired()) stream.end('expired');
  else if (!hasSameRights(call)) stream.end('unauthorized');
  return !stream.isOver;
}

function hasSameRights(call: StreamCall): boolean {
  try {
    return call.recheckCaller().role === call.caller.role;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

function tooMany(policy: string, most: string): Problem {
  const detail = `${most} at the same time; close one, then try again.`;
  return new Problem('quota-exceeded', detail, { retryAfterSeconds: retrySeconds, violated: [policy] });
}
