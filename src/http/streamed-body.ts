// A body that its route reads while it arrives, at the route's pace.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { counted } from '../counted.ts';
import { Problem } from '../problem.ts';
import { streamedReadAheadBytes } from '../limits.ts';
import { hasTooManyChunks, type ArrivingBodies } from './arriving-bodies.ts';
import { noBytes } from './bytes.ts';
import { headersOf } from './request-headers.ts';
import { endedEarly, receiveBody } from './incoming-body.ts';
import { endAfterResponse } from './lingering-close.ts';

/** The part of a streamed body that a handler reads. */
export type BodySource = Pick<StreamedBody, 'next'>;

type Waiting = PromiseWithResolvers<Buffer | undefined>;

export class StreamedBody {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodies: ArrivingBodies;
  #bytesMax = 0;
  #hasBegun = false;
  #isWhole = false;
  #isStopped = false;
  #problem: Problem | undefined = undefined;
  #bytes = 0;
  #chunks = 0;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #waiting: Waiting | undefined = undefined;

  /** Nothing is read before `begin`. If the route never calls it, the body is received like any other. */
  constructor(request: IncomingMessage, response: ServerResponse, bodies: ArrivingBodies) {
    this.#request = request;
    this.#response = response;
    this.#bodies = bodies;
    response.once('finish', () => {
      if (!this.#hasBegun) receiveBody(request, response, bodies);
    });
  }

  /** Begins to receive the body. Throws if it announces more than `bytesMax`, or was aborted already. */
  begin(bytesMax: number): void {
    this.#bytesMax = bytesMax;
    if (this.#problem !== undefined) throw this.#problem;
    if (Number(headersOf(this.#request)['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
    this.#hasBegun = true;
    const request = this.#request;
    request.on('data', (chunk: Buffer) => this.#add(chunk));
    request.once('end', () => this.#end());
    request.on('error', this.#onEarlyEnd);
    request.once('close', this.#onEarlyEnd);
    // the client may end only its side of the connection, and still read the response
    request.socket.once('end', this.#onEarlyEnd);
  }

  /** Returns the bytes since the last call; undefined at the end. Rejects if the body is incomplete. */
  next(): Promise<Buffer | undefined> {
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    this.#settle();
    return promise;
  }

  #add(chunk: Buffer): void {
    if (this.#problem !== undefined) return;
    this.#bodies.onChunk();
    this.#bytes += chunk.length;
    this.#chunks += 1;
    if (this.#bytes > this.#bytesMax || hasTooManyChunks(this.#chunks, this.#bytes))
      return this.abort(tooLarge(this.#bytesMax));
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes >= streamedReadAheadBytes) this.#request.pause();
    this.#settle();
  }

  /** Ignores the end of a connection whose body is complete, even if its route has not read it yet. */
  readonly #onEarlyEnd = (): void => {
    if (!this.#request.complete) this.#fail(endedEarly());
  };

  #end(): void {
    this.#isWhole = true;
    const { socket } = this.#request;
    socket.off('end', this.#onEarlyEnd);
    this.#settle();
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
    this.#fail(problem);
  }

  #fail(problem: Problem): void {
    if (this.#isWhole) return;
    this.#problem ??= problem;
    this.#settle();
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
    this.#request.resume();
    return bytes;
  }
}

function tooLarge(bytesMax: number): Problem {
  const detail = `The body must have at most ${counted(bytesMax, 'byte')}, and no tiny chunks.`;
  return new Problem('content-too-large', detail);
}
