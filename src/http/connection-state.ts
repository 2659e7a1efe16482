// What is under way on a connection: who is at the other end, the last request, and the response being sent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '../problem.ts';
import { hasConnection, onceConnected, type ParsedRead } from './node-internals.ts';
import type { Peer } from './peer.ts';
import { RequestLine } from './request-line.ts';

/** Stored as a property of the socket, which is faster than a look-up in a map. */
type StatefulSocket = Socket & { [stateKey]?: ConnectionState };
const stateKey = Symbol('state');

/** The body of the last request, as long as more of it may arrive. */
type ArrivingBody = {
  /** Whether its route limits the time that it takes. */
  readonly hasOwnTimeout: boolean;
  /** Nothing more of it comes: the request fails with this problem, unless it was answered already. */
  abort(problem: Problem): void;
};

/** What TLS encrypts at once (RFC 8446 section 5.1). A shorter read seldom holds a request and more. */
const largeReadBytes = 16 * 1024;

class ConnectionState {
  peer: Peer | undefined = undefined;
  /** Undefined if the last request has none. */
  body: ArrivingBody | undefined = undefined;
  /** Requests that wait for the responses before them: until there are none, nothing more is read. */
  waitingRequests = 0;
  /** Whether something sees to that. */
  isPausedWhileWaiting = false;
  /** Of a head that has not arrived whole. */
  readonly requestLine = new RequestLine();
  #request: IncomingMessage | undefined = undefined;
  #response: ServerResponse | undefined = undefined;
  /** Whether the read before ended within a head, or between requests; and no head has ended since. */
  #isInHead = true;
  /** Whether the last read began so, and not within a body. */
  hasReadBegunInHead = true;

  /** A pipelined request's response gets the connection when the previous one has left. */
  add(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    this.#isInHead = false;
    if (hasConnection(response)) this.#response = response;
    else onceConnected(response, () => (this.#response = response));
  }

  /** To be called after each read. Copies few of them: those without a request, large or rejected ones. */
  addRead({ result, copy }: ParsedRead): void {
    const isInHead = this.#isInHead;
    this.hasReadBegunInHead = isInHead;
    this.#isInHead = this.#request?.complete !== false;
    if (!isInHead) this.requestLine.reset();
    if (!this.#isInHead) return;
    if (result instanceof Error) this.requestLine.addLast(copy().subarray(0, result.bytesParsed));
    else if (isInHead || result >= largeReadBytes) this.requestLine.add(copy());
  }

  /** The response that has the connection; undefined between requests. */
  get currentResponse(): ServerResponse | undefined {
    const response = this.#response;
    return response !== undefined && hasConnection(response) ? response : undefined;
  }

  /** The body of the last request, unless it has arrived whole. */
  get pendingBody(): ArrivingBody | undefined {
    return this.#request?.complete === false ? this.body : undefined;
  }
}

export function stateOf(socket: StatefulSocket): ConnectionState {
  return (socket[stateKey] ??= new ConnectionState());
}
