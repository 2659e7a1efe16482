// The body of a request whose route reads it while it arrives: a piece at a time, at the route's pace.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { counted } from '../counted.ts';
import { Problem } from '../problem.ts';
import { streamedPieceBytes } from '../limits.ts';
import { isCrumbled, type ArrivingBodies } from './arriving-bodies.ts';
import { stateOf } from './connection-state.ts';
import { endedEarly, receiveBody } from './incoming-body.ts';
import { stopParsing } from './lingering-close.ts';

/** What a handler reads. */
export type BodySource = Pick<StreamedBody, 'next'>;

type Waiting = PromiseWithResolvers<Buffer | undefined>;

export class StreamedBody {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bodies: ArrivingBodies;
  #bytesMax = 0;
  #isTaken = false;
  #isWhole = false;
  #problem: Problem | undefined = undefined;
  #bytes = 0;
  #pieces = 0;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #waiting: Waiting | undefined = undefined;

  /** Until it is taken, nothing of it is read; where it never is, it is received as any other body. */
  constructor(request: IncomingMessage, response: ServerResponse, bodies: ArrivingBodies) {
    this.#request = request;
    this.#response = response;
    this.#bodies = bodies;
    response.once('finish', () => {
      if (!this.#isTaken) receiveBody(request, response, bodies);
    });
  }

  /** Throws where it announces more than `bytesMax`; else it begins to arrive. */
  take(bytesMax: number): void {
    this.#bytesMax = bytesMax;
    if (Number(this.#request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
    this.#isTaken = true;
    const request = this.#request;
    stateOf(request.socket).streamedBody = this;
    request.on('data', (piece: Buffer) => this.#add(piece));
    request.once('end', () => this.#end());
    request.on('error', this.#onBreak);
    request.once('close', this.#onBreak);
    request.socket.once('end', this.#onBreak); // the client's side alone: the response could still be sent
  }

  /** What has arrived since; undefined at the end. Rejects with a Problem where the body isn't whole. */
  next(): Promise<Buffer | undefined> {
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    this.#settle();
    return promise;
  }

  #add(piece: Buffer): void {
    if (this.#problem !== undefined) return;
    this.#bodies.onPiece();
    this.#bytes += piece.length;
    this.#pieces += 1;
    if (this.#bytes > this.#bytesMax || isCrumbled(this.#pieces, this.#bytes)) return this.#cut();
    this.#unread.push(piece);
    this.#unreadBytes += piece.length;
    if (this.#unreadBytes >= streamedPieceBytes) this.#request.pause();
    this.#settle();
  }

  /** A client may end its side of the connection behind a whole body, before all of it is read here. */
  readonly #onBreak = (): void => {
    if (!this.#request.complete) this.#fail(endedEarly());
  };

  breakOff(problem: Problem): void {
    this.#fail(problem);
  }

  #end(): void {
    this.#isWhole = true;
    const { socket } = this.#request;
    socket.off('end', this.#onBreak);
    stateOf(socket).streamedBody = undefined;
    this.#settle();
  }

  /** No more is parsed, and the connection ends with the response. */
  #cut(): void {
    const { socket } = this.#request;
    stopParsing(socket);
    this.#response.shouldKeepAlive = false;
    this.#response.once('finish', () => socket.destroySoon());
    this.#fail(tooLarge(this.#bytesMax));
  }

  #fail(problem: Problem): void {
    if (this.#isWhole) return;
    this.#problem ??= problem;
    this.#settle();
  }

  /** What arrived before it failed is read first: the lines in it are complete. */
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
    const [first = nothing] = this.#unread;
    const bytes = this.#unread.length === 1 ? first : Buffer.concat(this.#unread);
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#request.resume();
    return bytes;
  }
}

const nothing = Buffer.alloc(0);

function tooLarge(bytesMax: number): Problem {
  const detail = `The body must have at most ${counted(bytesMax, 'byte')}, and no tiny chunks.`;
  return new Problem('content-too-large', detail);
}
