// Sends events to the readers of streams as they happen. A reader has no queue, only a position in the table.
// Readers at the head share each batch; one who is behind reads pages of its own until it is at the head.
import { isStaff, type Caller } from '../auth/access.ts';
import type { Cursors } from '../http/cursor.ts';
import type { StreamEndReason } from '../http/response-stream.ts';
import { eventBlock } from '../http/server-sent-events.ts';
import type { Invalidation } from '../invalidation.ts';
import {
  streamBatchBytesMax,
  streamBatchEventsMax,
  streamsMax,
  streamsPerUserMax,
  streamsWithoutStaffMax,
} from '../limits.ts';
import { causeOf } from '../log-lines.ts';
import type { Logger } from '../logger.ts';
import { Problem, unavailable } from '../problem.ts';
import type { Connection } from '../storage/connection.ts';
import type { Event } from '../resources/events/event.ts';
import {
  feedBounds,
  feedEpoch,
  readFeed,
  readWholeFeed,
  type FeedEvent,
} from '../resources/events/feed-store.ts';
import { cursorAfter } from './feed-cursor.ts';
import { LiveReader, type LiveReaderOptions } from './live-reader.ts';

/** The pause between two batches, so that many commits share the cost of a write to each reader. */
const batchPauseMilliseconds = 50;
/** The pause after a batch that left events for the next one. */
const fullBatchPauseMilliseconds = 10;
/** The pause between two pages of a reader who is behind. */
const pagePauseMilliseconds = 5;
/** Characters are one to three bytes, so `#blocksOf` may leave out some of the events. */
const batchBounds = { rows: streamBatchEventsMax, charsMax: streamBatchBytesMax };
const sweepMilliseconds = 1_000;
const retrySeconds = 10;

/** Why an event stream ends: it is never complete, and nothing takes its place. */
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
  readonly cursors: Cursors;
  readonly log: Logger;
  readonly now: () => number;
};

/** The options of a new reader that a route passes. */
type NewReader = Omit<LiveReaderOptions, 'now' | 'cursorAfter'>;

/** The methods that routes may use. */
export type Streams = Pick<LiveFeed, 'checkCapacity' | 'add'>;

export class LiveFeed {
  readonly counts = { eventsSent: 0, ends: new Map(endReasons.map((reason) => [reason, 0])) };
  readonly #options: LiveFeedOptions;
  readonly #readers = new Set<LiveReader>();
  readonly #atHead = new Set<LiveReader>();
  /** The id up to which readers at the head have read. */
  #position = 0;
  #isClosed = false;
  #stale: Invalidation[] = [];
  #isWakeScheduled = false;
  #nextBatchAt = 0;
  #batchTimer: NodeJS.Timeout | undefined;
  #sweeps: NodeJS.Timeout | undefined;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#readers.size;
  }

  /** Throws if the caller may not open another stream. */
  checkCapacity(caller: Caller): void {
    if (this.#isClosed) throw unavailable('The service is stopping.');
    const readers = [...this.#readers];
    const own = readers.filter((reader) => reader.caller.userId === caller.userId).length;
    if (own >= streamsPerUserMax)
      throw tooMany('streams-per-user', `A user may have ${streamsPerUserMax} event streams open`);
    const withoutStaff = readers.filter((reader) => !isStaff(reader.caller)).length;
    if (readers.length >= streamsMax || (!isStaff(caller) && withoutStaff >= streamsWithoutStaffMax))
      throw tooMany('streams', `All event streams are in use: there may be ${streamsMax} open`);
  }

  add(options: NewReader): void {
    const { db, cursors, now } = this.#options;
    const cursorOf = (id: number) => cursorAfter(feedEpoch(db), id, cursors);
    const reader = new LiveReader({ ...options, now, cursorAfter: cursorOf });
    this.#readers.add(reader);
    reader.stream.endWithClient();
    reader.stream.onEnd((reason) => this.#remove(reader, reason));
    this.#sweeps ??= setInterval(() => this.sweep(), sweepMilliseconds).unref();
    this.#join(reader);
  }

  /** Called once changes are on disk and visible to reads. */
  onSync(invalidations: readonly Invalidation[]): void {
    if (this.#readers.size === 0) return;
    this.#stale.push(...invalidations);
    if (this.#isWakeScheduled) return;
    this.#isWakeScheduled = true;
    setImmediate(() => this.#guard(() => this.#wake()));
  }

  /** Ends streams whose credential has expired, and keeps the others alive; called every second. */
  sweep(): void {
    this.#guard(() => {
      for (const reader of this.#readers) if (reader.endUnlessPermitted()) reader.keepAlive();
    });
  }

  /** Ends all streams. Readers reconnect and resume at their positions. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.stream.end('stopping');
    clearTimeout(this.#batchTimer);
    clearInterval(this.#sweeps);
  }

  #remove(reader: LiveReader, reason: StreamEndReason): void {
    this.#readers.delete(reader);
    this.#atHead.delete(reader);
    this.counts.ends.set(reason, (this.counts.ends.get(reason) ?? 0) + 1);
    if (this.#readers.size > 0) return;
    clearInterval(this.#sweeps);
    this.#sweeps = undefined;
  }

  /** Adds the reader to those at the head, or lets them catch up first. */
  #join(reader: LiveReader): void {
    if (reader.stream.isOver) return;
    if (this.#atHead.size === 0) this.#position = feedBounds(this.#options.db).latest;
    if (reader.position < this.#position)
      return reader.stream.runLater(() => this.#guard(() => this.#catchUp(reader)));
    this.#atHead.add(reader);
    this.#scheduleBatch();
  }

  /** Sends a page of the feed, and the next page once the client has received it. */
  #catchUp(reader: LiveReader): void {
    const { db } = this.#options;
    if (!reader.endUnlessPermitted()) return;
    const { position: after, access, types } = reader;
    const { removedUpTo, latest } = feedBounds(db);
    if (after < removedUpTo) return reader.stream.end('gone');
    const page = readFeed(db, { after, latest, access, types, ...batchBounds });
    const blocks = this.#blocksOf(page.events);
    const last = page.events[blocks.length - 1];
    const isTruncated = blocks.length < page.events.length && last !== undefined;
    this.#send(reader, batchOf(blocks), isTruncated ? last.id : page.end);
    reader.stream.whenDrained(() => {
      setTimeout(() => this.#guard(() => this.#join(reader)), pagePauseMilliseconds).unref();
    });
  }

  #wake(): void {
    this.#isWakeScheduled = false;
    const stale = this.#stale.splice(0);
    for (const reader of this.#readers)
      if (stale.some((invalidation) => reader.isAffectedBy(invalidation))) reader.endUnlessPermitted();
    this.#scheduleBatch();
  }

  #scheduleBatch(): void {
    if (this.#batchTimer !== undefined) return;
    const pause = this.#nextBatchAt - performance.now();
    if (pause <= 0) return this.#sendBatch();
    this.#batchTimer = setTimeout(() => {
      this.#batchTimer = undefined;
      this.#guard(() => this.#sendBatch());
    }, pause);
  }

  /** Reads the table once for all readers at the head, and makes one text for each group of readers. */
  #sendBatch(): void {
    if (this.#atHead.size === 0) return;
    const { events, isAll } = readWholeFeed(this.#options.db, this.#position, batchBounds);
    const blocks = this.#blocksOf(events.map(({ event }) => event));
    const batch = events.slice(0, blocks.length);
    const last = batch.at(-1);
    if (last === undefined) return;
    this.#position = last.event.id;
    const batches = new Map<string, EventBatch>();
    for (const reader of this.#atHead) {
      if (!reader.endUnlessPermitted()) continue;
      const key = `${reader.position} ${reader.group}`;
      const visible = batches.get(key) ?? batchOf(visibleBlocks(reader, batch, blocks));
      batches.set(key, visible);
      this.#send(reader, visible, this.#position);
    }
    this.#pause(batch.length < events.length || !isAll);
  }

  #pause(isMoreThere: boolean): void {
    const pause = isMoreThere ? fullBatchPauseMilliseconds : batchPauseMilliseconds;
    this.#nextBatchAt = performance.now() + pause;
    if (isMoreThere) this.#scheduleBatch();
  }

  #send(reader: LiveReader, { bytes, count }: EventBatch, end: number): void {
    reader.advance(bytes, end);
    if (!reader.stream.isOver) this.counts.eventsSent += count;
  }

  /** Returns the blocks of the first events, up to `streamBatchBytesMax` bytes. */
  #blocksOf(events: readonly Event[]): string[] {
    const { db, cursors } = this.#options;
    const epoch = feedEpoch(db);
    const blocks: string[] = [];
    let bytes = 0;
    for (const event of events) {
      const id = cursorAfter(epoch, event.id, cursors);
      const block = eventBlock({ id, type: event.type, data: JSON.stringify(event) });
      bytes += Buffer.byteLength(block);
      if (bytes > streamBatchBytesMax && blocks.length > 0) break;
      blocks.push(block);
    }
    return blocks;
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

/** The blocks of several events. */
type EventBatch = { readonly bytes: Buffer; readonly count: number };

function batchOf(blocks: readonly string[]): EventBatch {
  return { bytes: Buffer.from(blocks.join('')), count: blocks.length };
}

function visibleBlocks(reader: LiveReader, batch: readonly FeedEvent[], blocks: readonly string[]): string[] {
  const visible: string[] = [];
  batch.forEach((event, index) => {
    const block = blocks[index];
    if (block !== undefined && reader.sees(event)) visible.push(block);
  });
  return visible;
}

function tooMany(policy: string, most: string): Problem {
  const detail = `${most} at the same time; close one, then try again.`;
  return new Problem('quota-exceeded', detail, { retryAfterSeconds: retrySeconds, violated: [policy] });
}
