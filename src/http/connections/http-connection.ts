// A connection that carries HTTP. Its requests are handled one after another, each once the response before it has
// left, so a client that reads slowly delays only its own requests. Bytes that don't form a request are answered after
// all earlier requests, and end the connection.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '../../problem.ts';
import type { Peer } from './peer.ts';
import { bodyBytesMax } from './request-fields.ts';

/** The requests that may wait for earlier responses. */
export const waitingRequestsMax = 100;
/** The bytes that may arrive while requests wait. */
export const waitingBytesMax = 128 * 1024;
/** TCP resets a connection that is closed with unread bytes, and its last response would be lost. */
const lingerMilliseconds = 1_000;
/** The memory of the objects of a waiting request. */
const waitingObjectBytes = 3 * 1024;
/** The memory that a connection may hold: waiting requests, and a body. */
export const connectionBytesMax = waitingBytesMax + waitingRequestsMax * waitingObjectBytes + bodyBytesMax;

/** The part of a body that its connection knows. */
type ConnectionBody = {
  /** Whether all of it has arrived. */
  readonly isWhole: boolean;
  /** Whether its route limits its time. */
  readonly hasOwnTimeout: boolean;
  fail(problem: Problem): void;
};

export class HttpConnection {
  readonly peer: Peer;
  /** The socket on which responses are sent. */
  readonly socket: Socket;
  /** The last body of the connection, which may still be arriving. */
  body: ConnectionBody | undefined = undefined;
  /** Whether a response has announced the end of the connection. Later requests get no response. */
  hasAnnouncedEnd = false;
  /** Whether a request is being handled, or its response sent. */
  isBusy = false;
  /** Whether no further request can be read. */
  isEnding = false;
  /** Starts the requests that wait for earlier responses. */
  readonly #waiting: (() => void)[] = [];
  /** Answers bytes that don't form a request, after all requests before them. */
  #rejectLast: (() => void) | undefined = undefined;
  #bytesBefore = 0;

  constructor(socket: Socket, peer: Peer) {
    this.socket = socket;
    this.peer = peer;
  }

  /** Whether the connection ends after the present response. */
  get isAtLastResponse(): boolean {
    return this.isEnding && this.#waiting.length === 0 && this.#rejectLast === undefined;
  }

  /**
   * Calls `answer` at the end of a turn of the event loop, once all earlier responses have left. Closes the
   * connection and returns false if too much waits already: the client may repeat unanswered requests. A pipelined
   * request with a streamed body waits one turn (over TLS a response counts as sent only then). After that the
   * connection is closed, because the body would pile up unread.
   */
  startInTurn(response: ServerResponse, isStreamed: boolean, answer: () => void): boolean {
    if (!this.isBusy) {
      this.#start(response, answer);
      return true;
    }
    const start = (): void => this.#start(response, answer);
    if (isStreamed) setImmediate(() => this.#waiting.includes(start) && this.destroy());
    return this.#wait(start);
  }

  /** Ends the connection once the present response has left; does nothing between requests. */
  endAfterResponse(): void {
    if (this.isBusy) this.isEnding = true;
  }

  /** Called once nothing more of the body arrives. */
  forgetBody(body: ConnectionBody | undefined): void {
    if (this.body === body) this.body = undefined;
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.isEnding = true;
    this.socket.destroy();
  }

  /** Answers bytes that don't form a request: with a problem of the body to which they belong, or with a text. */
  reject(problem: Problem, textOf: (problem: Problem) => string): void {
    this.isEnding = true;
    const end = (): void => this.end(textOf(problem));
    if (this.body?.isWhole === false) {
      this.body.fail(problem);
      if (!this.isBusy) this.end(); // the body's request has its response already
    } else if (this.isBusy) this.#rejectLast = end;
    else end();
  }

  /** Sends the last bytes, ends this side, and for a while drops the bytes that still arrive. */
  end(text?: string): void {
    const { socket } = this;
    if (text !== undefined) socket.write(text, 'latin1');
    socket.end();
    const deadline = setTimeout(() => socket.destroy(), lingerMilliseconds);
    socket.once('close', () => clearTimeout(deadline));
  }

  #start(response: ServerResponse, answer: () => void): void {
    this.isBusy = true;
    // first of all listeners: `node:http` would close a connection whose client has ended its side
    response.prependOnceListener('finish', () => {
      if (this.#waiting.length === 0 && !this.hasAnnouncedEnd) this.#rejectLast?.();
    });
    response.once('close', () => this.#startNext());
    // everything that arrives in this turn is parsed first, which takes less time than parsing between requests
    setImmediate(answer);
  }

  #wait(start: () => void): boolean {
    const { bytesRead } = this.socket;
    if (this.#waiting.length === 0) this.#bytesBefore = bytesRead;
    const hasRoom =
      this.#waiting.length < waitingRequestsMax && bytesRead - this.#bytesBefore <= waitingBytesMax;
    if (hasRoom) this.#waiting.push(start);
    else this.destroy();
    return hasRoom;
  }

  #startNext(): void {
    this.isBusy = false;
    if (this.socket.destroyed || this.socket.writableEnded) return; // that response was the last one
    const next = this.#waiting.shift();
    if (next !== undefined) next();
    else if (this.isEnding) this.end();
  }
}
