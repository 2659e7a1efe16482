// One reader of the live feed: its rights, its position and its stream.
import type { Caller } from '../../auth/access.ts';
import type { ResponseStream } from '../../http/responses/response-stream.ts';
import { commentLine, retryLine } from '../../http/responses/server-sent-events.ts';
import type { Invalidation } from '../../storage/invalidation.ts';
import { Problem } from '../../problem.ts';
import type { EventType } from '../events/event.ts';
import type { FeedAccess } from '../events/feed-store.ts';

/** The bytes that a stream's client may leave unread before its connection is closed. */
export const streamUnsentBytesMax = 256 * 1024;
const streamCommentMilliseconds = 15_000;
const streamRetryMilliseconds = 3_000;

export type LiveReaderOptions = {
  readonly stream: ResponseStream;
  readonly caller: Caller;
  /** A result of `networkOf`. */
  readonly network: string;
  /**
   * Returns the caller with current rights. Throws a Problem if the caller has lost the right to the stream.
   */
  readonly recheckCaller: () => Caller;
  readonly hasExpired: () => boolean;
  readonly access: FeedAccess;
  /** Undefined for events of all types. */
  readonly types: readonly EventType[] | undefined;
  /** The id of the event before the first one to send. */
  readonly after: number;
  readonly now: () => number;
};

export class LiveReader {
  readonly caller: Caller;
  readonly network: string;
  readonly access: FeedAccess;
  readonly types: readonly EventType[] | undefined;
  readonly stream: ResponseStream;
  /**
   * Whether the reader has ever reached the latest event. Until then it waits for its client after each page.
   */
  hasCaughtUp = false;
  readonly #options: LiveReaderOptions;
  #position: number;
  #writtenAt: number;

  constructor(options: LiveReaderOptions) {
    const { stream, caller, network, access, types, after } = options;
    this.#options = options;
    this.stream = stream;
    this.caller = caller;
    this.network = network;
    this.access = access;
    this.types = types;
    this.#position = after;
    this.#writtenAt = options.now();
    this.#write(retryLine(streamRetryMilliseconds));
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
    if (this.#options.hasExpired()) this.stream.end('expired');
    else if (!this.#hasSameRights()) this.stream.end('unauthorized');
    return !this.stream.isOver;
  }

  /** Whether this reader's rights may have changed. */
  isAffectedBy(invalidation: Invalidation): boolean {
    const { sessionId, keyId, userId } = this.caller;
    switch (invalidation.kind) {
      case 'session':
        return invalidation.id === sessionId;
      case 'key':
        return invalidation.id === keyId;
      case 'user':
        return invalidation.id === userId;
      case 'everything':
        return true;
      case 'order':
      case 'customer':
      case 'other':
        return false;
      default:
        invalidation satisfies never; // a new kind doesn't compile without its case
        return false;
    }
  }

  /** After a while without events, sends a comment. */
  keepAlive(): void {
    if (this.#options.now() - this.#writtenAt < streamCommentMilliseconds) return;
    this.#write(commentLine);
  }

  #hasSameRights(): boolean {
    try {
      return this.#options.recheckCaller().role === this.caller.role;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    if (this.stream.unsentBytes + bytes.length > streamUnsentBytesMax) return this.stream.end('slow');
    this.#writtenAt = this.#options.now();
    this.stream.write(bytes);
  }
}
