// What is under way on a connection: who is at the other end, the last request, and the response being sent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '../problem.ts';
import type { Peer } from './peer.ts';

/** Stored as a property of the socket, which is faster than a look-up in a map. */
type StatefulSocket = Socket & { [stateKey]?: ConnectionState };
const stateKey = Symbol('state');

/** `abort` is called when the parser rejects what comes next of the body. */
type AbortableBody = { abort(problem: Problem): void };

export class ConnectionState {
  peer: Peer | undefined = undefined;
  /** Set while a route reads the body of its request as it arrives, at its own pace. */
  streamedBody: AbortableBody | undefined = undefined;
  /** Requests that wait for the responses before them: until there are none, nothing more is read. */
  waitingRequests = 0;
  #request: IncomingMessage | undefined = undefined;
  #response: ServerResponse | undefined = undefined;

  /** `node:http` gives a pipelined request's response the connection when the previous one has left. */
  add(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    if (response.socket !== null) this.#response = response;
    else response.once('socket', () => (this.#response = response));
  }

  /** The response that has the connection; undefined between requests. */
  get currentResponse(): ServerResponse | undefined {
    return this.#response?.socket === null ? undefined : this.#response;
  }

  /** Whether the last request hasn't arrived whole. */
  get isBodyPending(): boolean {
    return this.#request?.complete === false;
  }
}

export function stateOf(socket: StatefulSocket): ConnectionState {
  return (socket[stateKey] ??= new ConnectionState());
}
