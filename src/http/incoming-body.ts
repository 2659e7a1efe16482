// Receives the body of one request, whether or not a route reads it: bounded in bytes, pieces and memory.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem, unavailable } from '../problem.ts';
import { bodyBytesMax, bodyPieceBytesMin, bodyPiecesMax, bodyWireBytesMax } from '../limits.ts';
import { hasTooManyPieces, type ArrivingBodies } from './arriving-bodies.ts';
import { stateOf } from './connection-state.ts';
import { endAfterResponse } from './lingering-close.ts';
import { receiveDirectly } from './node-internals.ts';
import { headersOf } from './request-headers.ts';

const noBytes = Buffer.alloc(0);

type Take = (body: Buffer) => void;
type Reject = (problem: Problem) => void;

/** Begins to receive the body that a request announces (RFC 9112 section 6); undefined if there is none. */
export function receiveBody(
  request: IncomingMessage,
  response: ServerResponse,
  bodies: ArrivingBodies,
): IncomingBody | undefined {
  const headers = headersOf(request);
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  return isEmpty ? undefined : new IncomingBody(request, response, bodies);
}

export class IncomingBody {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodies: ArrivingBodies;
  readonly #announced: number;
  readonly #bytesReadBefore: number;
  /** Copies of the pieces: to keep a piece of one byte itself would take hundreds of bytes. */
  #buffer: Buffer = noBytes;
  #length = 0;
  /** The number of all pieces that arrived, dropped or not; `#bytes` is their length. */
  #pieces = 0;
  #bytes = 0;
  #reserved = 0;
  #isWhole = false;
  #isStopped = false;
  #problem: Problem | undefined = undefined;
  #reader: { readonly take: Take; readonly reject: Reject } | undefined = undefined;
  /** The time limit of requests applies, unlike to a `StreamedBody`. */
  readonly hasOwnTimeout = false;

  constructor(request: IncomingMessage, response: ServerResponse, bodies: ArrivingBodies) {
    this.#request = request;
    this.#response = response;
    this.#bodies = bodies;
    this.#announced = Number(headersOf(request)['content-length'] ?? 0);
    this.#bytesReadBefore = request.socket.bytesRead;
    if (this.#announced > bodyBytesMax) this.#problem = tooLarge();
    receiveDirectly(request, this);
    request.on('error', () => this.#fail(endedEarly()));
    request.on('close', () => this.#release());
    if (this.#announced > bodyWireBytesMax) this.abort(tooLarge());
  }

  /** Why the body is rejected, if that is known yet. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Calls `take` with the whole body, or `reject`. */
  deliver(take: Take, reject: Reject): void {
    if (this.#problem !== undefined) return reject(this.#problem);
    if (this.#isWhole) return take(this.#takeBytes());
    this.#reader = { take, reject };
  }

  onPiece(piece: Buffer): void {
    if (this.#isStopped) return;
    this.#bodies.onPiece();
    this.#pieces += 1;
    this.#bytes += piece.length;
    const wireBytes = this.#request.socket.bytesRead - this.#bytesReadBefore;
    if (hasTooManyPieces(this.#pieces, this.#bytes) || wireBytes > bodyWireBytesMax)
      return this.abort(tooLarge());
    if (this.#response.headersSent) return this.#drop();
    if (this.#problem !== undefined) return;
    if (this.#length + piece.length > bodyBytesMax) return this.#fail(tooLarge());
    // the whole body at once needs no copy, and none of the memory for those that are incomplete
    if (piece.length === this.#announced) this.#buffer = piece;
    else if (!this.#makeRoom(this.#length + piece.length)) return this.#fail(noMemory());
    else piece.copy(this.#buffer, this.#length);
    this.#length += piece.length;
  }

  #makeRoom(bytes: number): boolean {
    const size = this.#buffer.length;
    if (bytes <= size) return true;
    const wanted = Math.min(bodyBytesMax, Math.max(bytes, 2 * size, firstBufferBytes));
    if (!this.#bodies.reserve(this.#request, wanted - size)) return false;
    this.#reserved += wanted - size;
    const larger = Buffer.allocUnsafeSlow(wanted);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
    return true;
  }

  onEnd(): void {
    stateOf(this.#request.socket).pendingBody = undefined;
    this.#release();
    this.#isWhole = true;
    this.#request.rawTrailers = []; // nothing reads them, and they take twenty times their bytes
    if (this.#problem === undefined) this.#reader?.take(this.#takeBytes());
  }

  #takeBytes(): Buffer {
    const body = this.#buffer.subarray(0, this.#length);
    this.#buffer = noBytes;
    return body;
  }

  #fail(problem: Problem): void {
    if (this.#problem !== undefined || this.#isWhole) return;
    this.#problem = problem;
    this.#drop();
    this.#reader?.reject(problem);
  }

  /**
   * Stops parsing the body, since a piece costs the service far more than it costs the client. The connection
   * ends after the response.
   */
  abort(problem: Problem): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    endAfterResponse(this.#request, this.#response);
    this.#fail(problem);
  }

  #drop(): void {
    this.#buffer = noBytes;
    this.#length = 0;
    this.#release();
  }

  #release(): void {
    this.#bodies.release(this.#request, this.#reserved);
    this.#reserved = 0;
  }
}

const firstBufferBytes = 1024;

function tooLarge(): Problem {
  const detail =
    `The body must have at most ${bodyBytesMax} bytes, in at most ${bodyPiecesMax} pieces and one more for ` +
    `every ${bodyPieceBytesMin} bytes.`;
  return new Problem('content-too-large', detail);
}

export function noMemory(): Problem {
  return unavailable('Too many bodies are arriving; retry in a moment.');
}

export function endedEarly(): Problem {
  return new Problem('bad-request', 'The request ended before its body was complete.');
}
