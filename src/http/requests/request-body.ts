// Receives the body of a request. Its pieces are copied into one buffer as they arrive, since a piece of one
// byte takes hundreds of bytes of memory. The bytes of all buffers are bounded, in total and for each client.
// Most routes take a body when it is whole. A route with a streamed body takes it bit by bit; the connection
// is read only a little ahead of the route.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { capacity } from '../../base/capacity.ts';
import { counted } from '../../base/counted.ts';
import { Problem, unavailable } from '../../problem.ts';
import { stateOf } from '../connections/connection-state.ts';
import { endAfterResponse } from '../connections/lingering-close.ts';
import { dropRestOfRead, receiveDirectly } from '../connections/node-internals.ts';
import { bodyBytesMax, headersOf } from '../connections/request-fields.ts';
import { SharedBound, type Bounds } from '../connections/shared-bound.ts';

/** The memory of incomplete bodies: in total, and of one client. */
export const unfinishedBodyBytesMax = capacity.transferBytes;
export const unfinishedBodyBytesPerClientMax = capacity.transferBytes / 8;
/**
 * A small piece costs as much as a large one, so a body may have this many pieces, and one more for every 16
 * bytes.
 */
const piecesMax = 512;
const pieceBytesMin = 16;
/** The bytes of a streamed body that are read ahead of its route. */
const streamedReadAheadBytes = 64 * 1024;

const noBytes = Buffer.alloc(0);
const firstBufferBytes = 1024;

type BodyMemoryOptions = {
  /** Returns the client's network. */
  readonly networkOf: (request: IncomingMessage) => string;
  /** Called for each piece of a body. */
  readonly onPiece?: () => void;
  readonly bounds?: Bounds;
};

const boundsDefault: Bounds = { total: unfinishedBodyBytesMax, perClient: unfinishedBodyBytesPerClientMax };

/** Counts the bytes of bodies that no route has taken yet. */
export class BodyMemory {
  readonly onPiece: () => void;
  readonly #networkOf: BodyMemoryOptions['networkOf'];
  readonly #bytes: SharedBound;

  constructor({ networkOf, onPiece = () => {}, bounds = boundsDefault }: BodyMemoryOptions) {
    this.onPiece = onPiece;
    this.#networkOf = networkOf;
    this.#bytes = new SharedBound(bounds);
  }

  get bytes(): number {
    return this.#bytes.used;
  }

  /** Reserves further bytes, and returns whether there was room for them. */
  reserve(request: IncomingMessage, bytes: number): boolean {
    return this.#bytes.reserve(this.#networkOf(request), bytes) === 'reserved';
  }

  release(request: IncomingMessage, bytes: number): void {
    if (bytes > 0) this.#bytes.release(this.#networkOf(request), bytes);
  }
}

/** Whether the request announces a body (RFC 9112 section 6). */
export function hasBody(request: IncomingMessage): boolean {
  const headers = headersOf(request);
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

type RequestBodyOptions = {
  readonly memory: BodyMemory;
  /** The bytes that a route reads as they arrive; undefined for a body that is read as a whole. */
  readonly streamedBytesMax: number | undefined;
};

type Reader = {
  readonly take: (bytes: Buffer | undefined) => void;
  readonly reject: (problem: Problem) => void;
};

export class RequestBody {
  readonly isStreamed: boolean;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #memory: BodyMemory;
  readonly #bytesMax: number;
  readonly #announced: number;
  #buffer: Buffer = noBytes;
  /** The number of bytes in the buffer; `#bytes` counts all that have arrived. */
  #length = 0;
  #bytes = 0;
  #pieces = 0;
  #reserved = 0;
  #hasBegun = false;
  #isWhole = false;
  #problem: Problem | undefined = undefined;
  #reader: Reader | undefined = undefined;
  #onBegun: (() => void) | undefined = undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { memory, streamedBytesMax }: RequestBodyOptions,
  ) {
    this.#request = request;
    this.#response = response;
    this.#memory = memory;
    this.isStreamed = streamedBytesMax !== undefined;
    this.#bytesMax = streamedBytesMax ?? bodyBytesMax;
    this.#announced = Number(headersOf(request)['content-length'] ?? 0);
    receiveDirectly(request, this);
    request.on('error', () => this.#fail(endedEarly()));
    request.on('close', () => this.#release());
    if (this.isStreamed) response.once('finish', () => this.#dropRest());
    if (this.#announced > this.#bytesMax) this.abort(tooLarge(this.#bytesMax));
  }

  /** Why the body is rejected, as soon as this is known. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Whether a streamed body is so far ahead of its route that reading should stop. */
  get isFull(): boolean {
    return this.isStreamed && this.#problem === undefined && this.#length >= streamedReadAheadBytes;
  }

  /**
   * Whether the route itself limits the time of the body: a route that has begun to read a streamed body
   * does.
   */
  get hasOwnTimeout(): boolean {
    return this.#hasBegun;
  }

  /** Whether the body has ended without a byte: a proxy makes such a chunked one of a request without a body. */
  get isEmpty(): boolean {
    return this.#isWhole && this.#bytes === 0;
  }

  /** Whether it isn't known yet if the body has a byte. */
  get mayBeEmpty(): boolean {
    return this.#announced === 0 && this.#bytes === 0 && !this.#isOver;
  }

  /** Calls `then` once it is known whether the body has a byte. */
  onceBegun(then: () => void): void {
    this.#onBegun = then;
  }

  /** Begins to read a streamed body. Throws if it is already rejected. */
  begin(): void {
    if (this.#problem !== undefined) throw this.#problem;
    this.#hasBegun = true;
  }

  /**
   * Returns the bytes of a streamed body that arrived since the last call; undefined at its end. Rejects if
   * the body fails.
   */
  next(): Promise<Buffer | undefined> {
    return new Promise((take, reject) => this.#read({ take, reject }));
  }

  /** Calls `take` with the whole body, or `reject`. */
  deliver(take: (body: Buffer) => void, reject: (problem: Problem) => void): void {
    this.#read({ take: (bytes) => take(bytes ?? noBytes), reject });
  }

  /** Rejects the body, and ends the connection after the response. */
  abort(problem: Problem): void {
    endAfterResponse(this.#request, this.#response);
    this.#fail(problem);
    this.#request.socket.resume();
  }

  #read(reader: Reader): void {
    this.#reader = reader;
    this.#passOn();
  }

  #noteBegun(): void {
    this.#onBegun?.();
    this.#onBegun = undefined;
  }

  /**
   * Delivers what has arrived. Bytes that arrived before a failure are read first: their lines are complete.
   */
  #passOn(): void {
    const reader = this.#reader;
    const hasMore = this.isStreamed && this.#length > 0;
    if (reader === undefined || (!hasMore && !this.#isOver)) return;
    this.#reader = undefined;
    if (this.#problem !== undefined && !hasMore) reader.reject(this.#problem);
    else reader.take(this.#length > 0 ? this.#takeBytes() : undefined);
  }

  get #isOver(): boolean {
    return this.#isWhole || this.#problem !== undefined;
  }

  onPiece(piece: Buffer): void {
    this.#memory.onPiece();
    this.#bytes += piece.length;
    this.#pieces += 1;
    if (this.#pieces > piecesMax + this.#bytes / pieceBytesMin) {
      dropRestOfRead(this.#request.socket);
      return this.abort(tooLarge(this.#bytesMax));
    }
    if (this.#response.writableEnded || this.#request.socket.writableEnded) return this.#drop();
    if (this.#problem !== undefined) return;
    if (this.#bytes > this.#bytesMax) return this.abort(tooLarge(this.#bytesMax));
    // a body in one piece needs no copy, and no memory for incomplete bodies
    if (piece.length === this.#announced) this.#buffer = piece;
    else if (!this.#makeRoom(this.#length + piece.length)) return this.#fail(noMemory());
    else piece.copy(this.#buffer, this.#length);
    this.#length += piece.length;
    this.#noteBegun();
    if (!this.isStreamed) return;
    if (this.isFull) stateOf(this.#request.socket).hold();
    this.#passOn();
  }

  #makeRoom(bytes: number): boolean {
    const size = this.#buffer.length;
    if (bytes <= size) return true;
    const wanted = Math.max(bytes, Math.min(2 * size, this.#bytesMax), firstBufferBytes);
    if (!this.#memory.reserve(this.#request, wanted - size)) return false;
    this.#reserved += wanted - size;
    const larger = Buffer.allocUnsafeSlow(wanted);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
    return true;
  }

  #takeBytes(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#drop();
    if (this.isStreamed) this.#request.socket.resume();
    return bytes;
  }

  onEnd(): void {
    stateOf(this.#request.socket).body = undefined;
    this.#isWhole = true;
    this.#release();
    this.#noteBegun();
    this.#passOn();
  }

  #fail(problem: Problem): void {
    if (this.#isOver) return;
    this.#problem = problem;
    if (!this.#hasBegun) this.#drop(); // nothing will read the buffered bytes
    this.#noteBegun();
    this.#passOn();
  }

  /** Drops what arrives after the response, within the server's time limit. */
  #dropRest(): void {
    this.#hasBegun = false;
    this.#drop();
    this.#request.socket.resume();
  }

  #drop(): void {
    this.#buffer = noBytes;
    this.#length = 0;
    this.#release();
  }

  #release(): void {
    this.#memory.release(this.#request, this.#reserved);
    this.#reserved = 0;
  }
}

function tooLarge(bytesMax: number): Problem {
  return new Problem(
    'content-too-large',
    `The body must have at most ${counted(bytesMax, 'byte')}, in at most ${piecesMax} pieces (chunks, or reads ` +
      `of the connection) and one more for every ${pieceBytesMin} bytes.`,
  );
}

function noMemory(): Problem {
  return unavailable('Too many bodies are arriving; retry in a moment.');
}

function endedEarly(): Problem {
  return new Problem('bad-request', 'The request ended before its body was complete.');
}
