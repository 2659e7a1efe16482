// A connection that carries HTTP. Its requests are handled one after the other, each once the response before it
// has left, so a client that reads slowly delays only its own. Bytes that are no request are answered after all
// requests before them, and end the connection.
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
/** The objects of a request that waits. */
const waitingObjectBytes = 3 * 1024;
/** What a connection may hold: the requests that wait, and a body. */
export const connectionBytesMax = waitingBytesMax + waitingRequestsMax * waitingObjectBytes + bodyBytesMax;

/** The part of a body that its connection knows. */
type ArrivingBody = {
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
  body: ArrivingBody | undefined = undefined;
  /** Whether a response has said that the connection ends. What follows gets no response. */
  hasAnnouncedEnd = false;
  /** Whether a request is being handled, or its response sent. */
  isBusy = false;
  /** Whether no further request can be read. */
  isEnding = false;
  /** What begins when all responses before it have left. */
  readonly #waiting: (() => void)[] = [];
  /** Answers bytes that are no request, after all requests before them. */
  #rejectLast: (() => void) | undefined = undefined;
  #bytesBefore = 0;

  constructor(socket: Socket, peer: Peer) {
    this.socket = socket;
    this.peer = peer;
  }

  /** Whether the connection ends after the present response. */
  get isAtLast(): boolean {
    return this.isEnding && this.#waiting.length === 0 && this.#rejectLast === undefined;
  }

  /**
   * Calls `start` at the end of a turn of the event loop, once all earlier responses have left. Closes the
   * connection, and returns false, if too much waits already: its client may repeat what has no response. A pipelined
   * request with a streamed body waits one turn (over TLS a response counts as sent only then); after that the
   * connection is closed, because its pieces would pile up unread.
   */
  begin(response: ServerResponse, isStreamed: boolean, start: () => void): boolean {
    const begin = (): void => {
      this.isBusy = true;
      // first of all listeners: `node:http` would close a connection whose client has ended its side
      response.prependOnceListener('finish', () => {
        if (this.#waiting.length === 0 && !this.hasAnnouncedEnd) this.#rejectLast?.();
      });
      response.once('close', () => this.#beginNext());
      // all that arrives in this turn is parsed first: so most requests take up to a third less time
      setImmediate(start);
    };
    if (this.isBusy) {
      if (isStreamed) setImmediate(() => this.#waiting.includes(begin) && this.drop());
      return this.#wait(begin);
    }
    begin();
    return true;
  }

  /** Ends the connection once the present response has left; does nothing between requests. */
  endAfterResponse(): void {
    if (this.isBusy) this.isEnding = true;
  }

  /** Called once nothing more of the body arrives. */
  forget(body: ArrivingBody | undefined): void {
    if (this.body === body) this.body = undefined;
  }

  /** Closes the connection at once. */
  drop(): void {
    this.isEnding = true;
    this.socket.destroy();
  }

  /** Answers bytes that are no request: as a problem of the body that they are part of, or with a text. */
  reject(problem: Problem, textOf: (problem: Problem) => string): void {
    this.isEnding = true;
    const end = (): void => this.end(textOf(problem));
    if (this.body?.isWhole === false) {
      this.body.fail(problem);
      if (!this.isBusy) this.end(); // the body's request has its response already
    } else if (this.isBusy) this.#rejectLast = end;
    else end();
  }

  /** Sends the last bytes, ends this side, and drops what still arrives for a while. */
  end(text?: string): void {
    const { socket } = this;
    if (text !== undefined) socket.write(text, 'latin1');
    socket.end();
    const deadline = setTimeout(() => socket.destroy(), lingerMilliseconds);
    socket.once('close', () => clearTimeout(deadline));
  }

  #wait(begin: () => void): boolean {
    const { bytesRead } = this.socket;
    if (this.#waiting.length === 0) this.#bytesBefore = bytesRead;
    const hasRoom =
      this.#waiting.length < waitingRequestsMax && bytesRead - this.#bytesBefore <= waitingBytesMax;
    if (hasRoom) this.#waiting.push(begin);
    else this.drop();
    return hasRoom;
  }

  #beginNext(): void {
    this.isBusy = false;
    if (this.socket.destroyed || this.socket.writableEnded) return; // that response was the last one
    const next = this.#waiting.shift();
    if (next !== undefined) next();
    else if (this.isEnding) this.end();
  }
}
