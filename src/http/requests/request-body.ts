// The body of a request. It is copied into one buffer as it arrives, since a piece of one byte takes hundreds of
// bytes of memory. Most routes read the whole body. A route with a streamed body reads it as it arrives, and the
// connection is read only a little ahead of the route.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { counted } from '../../base/message-words.ts';
import { Problem } from '../../problem.ts';
import type { HttpConnection } from '../connections/http-connection.ts';
import type { ArrivedRequest } from '../connections/http-server.ts';
import { bodyBytesMax, headersOf } from '../connections/request-fields.ts';

/** A small piece costs as much as a large one: a body may have this many, and one more for every `pieceBytesMin`. */
const piecesMax = 512;
const pieceBytesMin = 16;
/** The pieces of a rejected body after which its connection is closed, even before its response. */
const droppedPiecesMax = 1_024;
/** The bytes of a streamed body that are read ahead of its route. */
const readAheadBytes = 64 * 1024;
const firstBufferBytes = 1024;
export const noBytes = Buffer.alloc(0);

/** Whether the request announces a body (RFC 9112 section 6). */
export function hasBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': coding, 'content-length': length = '0' } = headersOf(request);
  return coding !== undefined || Number(length) > 0;
}

export class RequestBody {
  readonly isStreamed: boolean;
  /** Why the body is rejected. The rest of it is dropped as it arrives. */
  problem: Problem | undefined = undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #connection: HttpConnection;
  readonly #bytesMax: number;
  /** The first `#length` bytes have arrived and were not read yet. */
  #buffer = noBytes;
  #length = 0;
  /** The number of bytes that have arrived. */
  #bytes = 0;
  #pieces = 0;
  /** Whether the client waits for a 100 Continue before it sends the body. */
  #awaitsContinue: boolean;
  #isBeingRead = false;
  #nextRead: PromiseWithResolvers<Buffer | undefined> | undefined = undefined;
  #onBegun = (): void => {};

  constructor(arrived: ArrivedRequest, streamedBytesMax: number | undefined) {
    const { request, response, connection, expectation } = arrived;
    this.#request = request;
    this.#response = response;
    this.#connection = connection;
    this.#awaitsContinue = expectation === '100-continue';
    this.isStreamed = streamedBytesMax !== undefined;
    this.#bytesMax = streamedBytesMax ?? bodyBytesMax;
    request.on('data', (piece: Buffer) => this.#add(piece));
    request.on('end', () => {
      this.#onBegun();
      this.#serveReader();
    });
    request.on('error', () => this.fail(endedEarly()));
    request.read(0); // from now on a piece isn't queued by the stream, which would take longer
    if (Number(headersOf(request)['content-length'] ?? 0) > this.#bytesMax)
      this.fail(tooLarge(this.#bytesMax));
  }

  /** Whether the whole body has arrived. */
  get isWhole(): boolean {
    return this.#request.complete;
  }

  /** Whether the body has ended without a byte: some proxies add an empty chunked body to a request without one. */
  get isEmpty(): boolean {
    return this.isWhole && this.#bytes === 0;
  }

  /** Whether the body has no byte yet, and may end without one. */
  get mayBeEmpty(): boolean {
    const isAnnounced = headersOf(this.#request)['content-length'] !== undefined;
    return !isAnnounced && this.#bytes === 0 && !this.isWhole && this.problem === undefined;
  }

  /** Resolves with the first byte, or with the end of the body. */
  whenBegun(): Promise<void> {
    this.#sendContinue();
    return new Promise((resolve) => (this.#onBegun = resolve));
  }

  /** Whether the route limits the time of the body: a route that reads a streamed body does. */
  get hasOwnTimeout(): boolean {
    return this.#isBeingRead;
  }

  /** Begins to read a streamed body. Throws if it is already rejected. */
  beginReading(): void {
    if (this.problem !== undefined) throw this.problem;
    this.#isBeingRead = true;
    this.#response.once('finish', () => this.#dropRest());
    this.#sendContinue();
  }

  /**
   * Returns the whole body. Of a streamed body it returns the bytes that arrived since the last call; undefined at the
   * end. Rejects if the body fails.
   */
  next(): Promise<Buffer | undefined> {
    this.#nextRead = Promise.withResolvers();
    const { promise } = this.#nextRead;
    this.#sendContinue();
    this.#serveReader();
    return promise;
  }

  /** Rejects the body, and ends the connection after the response. */
  abort(problem: Problem): void {
    this.#connection.endAfterResponse();
    this.fail(problem);
  }

  /** Rejects the body. If it is streamed, the bytes that arrived before are still read: their lines are complete. */
  fail(problem: Problem): void {
    this.problem ??= problem;
    this.#onBegun();
    if (!this.#isBeingRead) this.#take();
    this.#serveReader();
    this.#request.resume();
  }

  /** Drops unread bytes, and the bytes that still arrive within the server's time limit. */
  #dropRest(): void {
    this.#isBeingRead = false;
    this.fail(endedEarly());
  }

  /** Sends 100 Continue, once, if the client waits for it. */
  #sendContinue(): void {
    if (!this.#awaitsContinue || this.problem !== undefined) return;
    this.#awaitsContinue = false;
    this.#response.writeContinue();
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#pieces += 1;
    if (this.#pieces > piecesMax + this.#bytes / pieceBytesMin) return this.#rejectPieces();
    if (this.problem !== undefined) return;
    if (this.#bytes > this.#bytesMax) return this.abort(tooLarge(this.#bytesMax));
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) this.#growTo(length);
    piece.copy(this.#buffer, this.#length);
    this.#length = length;
    this.#onBegun();
    if (!this.isStreamed) return;
    if (length >= readAheadBytes) this.#request.pause();
    this.#serveReader();
  }

  #rejectPieces(): void {
    if (!this.#connection.isBusy || this.#pieces > droppedPiecesMax) {
      this.#request.destroy(); // the parser still has the rest of the read, and destroyed streams drop it sooner
      this.#connection.destroy();
    } else if (this.problem === undefined) this.abort(tooLarge(this.#bytesMax));
  }

  #growTo(length: number): void {
    const size = Math.max(length, Math.min(2 * this.#buffer.length, bodyBytesMax), firstBufferBytes);
    const larger = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  /** Settles the pending read once bytes, the end or a problem has come. */
  #serveReader(): void {
    if (this.#nextRead === undefined) return;
    const hasBytes = this.#length > 0 && (this.isStreamed || this.#request.readableEnded);
    if (hasBytes) this.#nextRead.resolve(this.#take());
    else if (this.problem !== undefined) this.#nextRead.reject(this.problem);
    else if (this.#request.readableEnded) this.#nextRead.resolve(undefined);
    else return;
    this.#nextRead = undefined;
  }

  #take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#buffer = noBytes;
    this.#length = 0;
    this.#request.resume();
    return bytes;
  }
}

function tooLarge(bytesMax: number): Problem {
  return new Problem(
    'content-too-large',
    `The body must have at most ${counted(bytesMax, 'byte')}, in at most ${piecesMax} pieces (chunks, or reads ` +
      `of the connection) and one more for every ${pieceBytesMin} bytes.`,
  );
}

function endedEarly(): Problem {
  return new Problem('bad-request', 'The request ended before its body was complete.');
}
