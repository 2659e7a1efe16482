// The state of a connection: who is at the other end, and how much has been read from it.
import type { Socket } from 'node:net';
import { headReadsMax } from '../limits.ts';
import { addressBucket } from '../network/address-buckets.ts';
import type { Problem } from '../problem.ts';
import { isLineBreaks } from './bytes.ts';
import { hasArrived, type ParsedRead } from './node-internals.ts';
import { plainAddress, type Peer } from './peer.ts';
import { RequestLine } from './request-line.ts';
import type { SharedBound } from './shared-bound.ts';

/** The state is a property of the socket, which is faster than a look-up in a map. */
type StatefulSocket = Socket & { [stateKey]?: ConnectionState };
const stateKey = Symbol('state');

/** The body of the last request, as long as more of it may arrive. */
type ArrivingBody = {
  /** Whether its route limits the time in which it may arrive. */
  readonly hasOwnTimeout: boolean;
  /** Fails the request with this problem, unless it was already answered; no more of the body is read. */
  abort(problem: Problem): void;
};

/** The size of a TLS record (RFC 8446 section 5.1). Shorter reads seldom hold more than one request. */
const largeReadBytes = 16 * 1024;

/**
 * Both flags are set after each read. An example, a POST and the beginning of the next request:
 *
 *     read                    `#isInHead` then                 `hasReadBegunInHead` then
 *     `POST /orders HT`       true                             true
 *     the rest of the head    false, since its body follows    false, since a head ended in it
 *     the body                true, since the request ended    false
 *     `GET /ord`              true                             true
 */
class ConnectionState {
  readonly #socket: Socket;
  peer: Peer | undefined = undefined;
  /** Whether the last request has a body. */
  hasBody = false;
  /** Undefined once it has arrived: an idle connection would keep its last request with it. */
  #body: ArrivingBody | undefined = undefined;
  /** Called for each read, parsed or dropped. */
  onRead = (): void => {};
  /** How many requests wait for the responses before them; while any waits, nothing more is read. */
  waitingRequests = 0;
  /** Whether `keepPausedWhile` has been called for this socket: once is enough. */
  hasPauseListener = false;
  /** The bytes of reads of line breaks alone, of which the parser skips any number between requests. */
  lineBreakBytes = 0;
  /** The request line of a head that has not arrived completely. */
  readonly requestLine = new RequestLine();
  /** Whether the previous read ended within a head or between requests, and no head has ended since. */
  #isInHead = true;
  /** Whether the last read began within a head or between requests, and no head ended in it. */
  hasReadBegunInHead = true;
  #addressBucket: string | undefined = undefined;
  #bytesReadBefore = 0;
  /** The bound that the incomplete heads of all connections share. */
  arrivingHeads: SharedBound | undefined = undefined;
  /** The reads of a head that has not arrived completely, and their bytes. */
  #headReads = 0;
  #headBytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Called when the head of a request has arrived; `body` is undefined if no body follows. */
  beginRequest(body: ArrivingBody | undefined): void {
    this.hasBody = body !== undefined;
    this.#body = body;
    this.#isInHead = false;
  }

  /**
   * Called after each read. Ends the connection if a head takes too many of them, or too much memory. Copies
   * those that may end within a head: reads that began there and completed none, and large or rejected ones.
   */
  addRead({ result, copy }: ParsedRead): void {
    this.onRead();
    const isInHead = this.#isInHead;
    this.hasReadBegunInHead = isInHead;
    this.#isInHead = hasArrived(this.#socket);
    if (!isInHead || !this.#isInHead) this.releaseHead();
    else if (!this.#reserveHead(result instanceof Error ? 0 : result)) return void this.#socket.destroy();
    if (!isInHead) this.requestLine.reset();
    if (!this.#isInHead) return;
    this.#body = undefined;
    if (result instanceof Error) this.requestLine.addLast(copy().subarray(0, result.bytesParsed));
    else if (isInHead || result >= largeReadBytes) this.#addToHead(copy());
  }

  /** Returns whether there is room for another read of a head that has not arrived completely. */
  #reserveHead(bytes: number): boolean {
    this.#headReads += 1;
    if (this.#headReads > headReadsMax) return false;
    const outcome = this.arrivingHeads?.reserve(this.addressBucket, bytes) ?? 'reserved';
    if (outcome !== 'reserved') return false;
    this.#headBytes += bytes;
    return true;
  }

  /** Called when a head has arrived, or the connection is closed. */
  releaseHead(): void {
    this.#headReads = 0;
    if (this.#headBytes === 0) return;
    this.arrivingHeads?.release(this.addressBucket, this.#headBytes);
    this.#headBytes = 0;
  }

  #addToHead(read: Buffer): void {
    if (isLineBreaks(read)) this.lineBreakBytes += read.length;
    this.requestLine.add(read);
  }

  /** The bucket of the address at the other end, which may be a proxy's. */
  get addressBucket(): string {
    return (this.#addressBucket ??= addressBucket(plainAddress(this.#socket.remoteAddress ?? '')));
  }

  /** Whether anything was read since the last call. */
  takeWasRead(): boolean {
    const { bytesRead } = this.#socket;
    const wasRead = bytesRead !== this.#bytesReadBefore;
    this.#bytesReadBefore = bytesRead;
    return wasRead;
  }

  /** The body of the last request, unless it has arrived completely. */
  get pendingBody(): ArrivingBody | undefined {
    return hasArrived(this.#socket) ? undefined : this.#body;
  }
}

export function stateOf(socket: StatefulSocket): ConnectionState {
  return (socket[stateKey] ??= new ConnectionState(socket));
}
