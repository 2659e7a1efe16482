// A body that its route reads while it arrives, at the route's pace.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { counted } from '../counted.ts';
import { Problem } from '../problem.ts';
import { bodyPiecesMax, streamedPieceBytesMin, streamedReadAheadBytes } from '../limits.ts';
import { hasTooManyPieces, type ArrivingBodies } from './arriving-bodies.ts';
import { stateOf } from './connection-state.ts';
import { headersOf } from './request-headers.ts';
import { endedEarly, noMemory, receiveBody } from './incoming-body.ts';
import { endAfterResponse } from './lingering-close.ts';
import { receiveDirectly } from './node-internals.ts';

const noBytes = Buffer.alloc(0);

/** The part of a streamed body that a handler reads. */
export type BodySource = Pick<StreamedBody, 'next' | 'abort'>;

type Waiting = PromiseWithResolvers<Buffer | undefined>;

type StreamedBodyOptions = { readonly bodies: ArrivingBodies; readonly bytesMax: number };

export class StreamedBody {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodies: ArrivingBodies;
  readonly #bytesMax: number;
  #hasBegun = false;
  #isWhole = false;
  #isStopped = false;
  #problem: Problem | undefined = undefined;
  #bytes = 0;
  #pieces = 0;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  /** The memory that is reserved for pieces until the route begins to read, from when it bounds them. */
  #reserved = 0;
  #waiting: Waiting | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse, { bodies, bytesMax }: StreamedBodyOptions) {
    this.#request = request;
    this.#response = response;
    this.#bodies = bodies;
    this.#bytesMax = bytesMax;
    receiveDirectly(request, this);
    request.on('error', this.#onEarlyEnd);
    request.on('close', () => this.#release());
    response.once('finish', () => this.#dropRest());
  }

  /** Begins to read the body. Throws if it announces more than `bytesMax`, or was aborted already. */
  begin(): void {
    if (this.#problem !== undefined) throw this.#problem;
    const announced = Number(headersOf(this.#request)['content-length'] ?? 0);
    if (announced > this.#bytesMax) throw tooLarge(this.#bytesMax);
    this.#hasBegun = true;
    this.#release();
    // the client may end only its side of the connection, and still read the response
    if (!this.#isWhole) this.#request.socket.once('end', this.#onEarlyEnd);
  }

  /** Returns the bytes since the last call; undefined at the end. Rejects if the body is incomplete. */
  next(): Promise<Buffer | undefined> {
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    this.#settle();
    return promise;
  }

  onPiece(piece: Buffer): void {
    if (this.#isStopped) return;
    this.#bodies.onPiece();
    this.#bytes += piece.length;
    this.#pieces += 1;
    if (this.#bytes > this.#bytesMax || hasTooManyPieces(this.#pieces, this.#bytes, streamedPieceBytesMin))
      return this.abort(tooLarge(this.#bytesMax));
    if (this.#problem !== undefined) return;
    if (!this.#hasBegun && !this.#reserve(piece.length + pieceOverheadBytes)) return this.#fail(noMemory());
    this.#unread.push(piece);
    this.#unreadBytes += piece.length;
    if (this.#unreadBytes >= streamedReadAheadBytes) this.#request.socket.pause();
    this.#settle();
  }

  /** Ignores the end of a connection whose body is complete, even if its route has not read it yet. */
  readonly #onEarlyEnd = (): void => {
    if (!this.#request.complete) this.#fail(endedEarly());
  };

  onEnd(): void {
    stateOf(this.#request.socket).pendingBody = undefined;
    this.#isWhole = true;
    this.#request.socket.off('end', this.#onEarlyEnd);
    this.#request.rawTrailers = []; // nothing reads them, and they take twenty times their bytes
    this.#settle();
  }

  /** Nothing reads the rest once the response has been sent: it is bounded and dropped like other bodies. */
  #dropRest(): void {
    this.#hasBegun = false;
    this.#drop();
    if (this.#isStopped || this.#request.complete) return;
    this.#request.socket.off('end', this.#onEarlyEnd);
    receiveBody(this.#request, this.#response, this.#bodies);
    this.#request.socket.resume();
  }

  /** Whether the route limits the time of the body, which it does once it has begun to read. */
  get hasOwnTimeout(): boolean {
    return this.#hasBegun;
  }

  /** Stops parsing the body, and closes the connection after the response. */
  abort(problem: Problem): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    endAfterResponse(this.#request, this.#response);
    this.#request.socket.resume();
    this.#fail(problem);
  }

  #fail(problem: Problem): void {
    if (this.#isWhole) return;
    this.#problem ??= problem;
    if (!this.#hasBegun) this.#drop(); // nothing will read them: `begin` throws
    this.#settle();
  }

  #drop(): void {
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#release();
  }

  #reserve(bytes: number): boolean {
    if (!this.#bodies.reserve(this.#request, bytes)) return false;
    this.#reserved += bytes;
    return true;
  }

  #release(): void {
    this.#bodies.release(this.#request, this.#reserved);
    this.#reserved = 0;
  }

  /** Settles a waiting read. Bytes that arrived before a failure are read first: their lines are complete. */
  #settle(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    if (this.#unreadBytes > 0) waiting.resolve(this.#readAll());
    else if (this.#problem !== undefined) waiting.reject(this.#problem);
    else if (this.#isWhole) waiting.resolve(undefined);
    else return;
    this.#waiting = undefined;
  }

  #readAll(): Buffer {
    const [first = noBytes] = this.#unread;
    const bytes = this.#unread.length === 1 ? first : Buffer.concat(this.#unread);
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#request.socket.resume();
    return bytes;
  }
}

/** The memory that a piece takes in addition to its bytes, measured. */
const pieceOverheadBytes = 400;

function tooLarge(bytesMax: number): Problem {
  const detail =
    `The body must have at most ${counted(bytesMax, 'byte')}, in at most ${bodyPiecesMax} pieces and one ` +
    `more for every ${streamedPieceBytesMin} bytes.`;
  return new Problem('content-too-large', detail);
}
