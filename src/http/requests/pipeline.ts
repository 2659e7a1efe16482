// Runs the requests of one connection one after the other: each starts once the previous response has left.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Task, Turns } from '../../base/turns.ts';
import { stateOf } from '../connections/connection-state.ts';
import { currentResponse, dropRestOfRead } from '../connections/node-internals.ts';
import { SharedBound, type Bounds } from '../connections/shared-bound.ts';

/**
 * Bounds of the requests that wait for earlier responses: of one connection, in total, and of one client. A
 * parsed request takes about 2 KB, and 10 µs when it is dropped.
 */
export const pipelinedRequestsMax = 100;
export const allPipelinedRequestsMax = 16_000;
export const pipelinedRequestsPerClientMax = 2_000;

type PipelineOptions = {
  readonly turns: Turns;
  /** Returns the client's network. */
  readonly networkOf: (request: IncomingMessage) => string;
  readonly onDrop: () => void;
};

const bounds: Bounds = { total: allPipelinedRequestsMax, perClient: pipelinedRequestsPerClientMax };

export class Pipeline {
  readonly #waiting = new SharedBound(bounds);
  /** The sockets whose waiting requests are released when they close. */
  readonly #released = new WeakSet<Socket>();
  readonly #onDrop: () => void;
  readonly #turns: Turns;
  readonly #networkOf: PipelineOptions['networkOf'];

  constructor({ turns, networkOf, onDrop }: PipelineOptions) {
    this.#turns = turns;
    this.#networkOf = networkOf;
    this.#onDrop = onDrop;
  }

  /**
   * Calls `start` once the system has accepted the whole previous response of the connection. A client that
   * doesn't read delays only its own requests.
   */
  startInOrder(request: IncomingMessage, response: ServerResponse, start: Task): void {
    const isNext = currentResponse(request.socket) === response;
    if (isNext) this.#turns.run(this.#networkOf(request), () => startUnlessGone(response, start));
    else this.#wait(request, response, start);
  }

  #wait(request: IncomingMessage, response: ServerResponse, start: Task): void {
    this.#turns.noteArrival();
    const { socket } = request;
    const state = stateOf(socket);
    const previous = state.lastWaiting ?? currentResponse(socket);
    // parsed requests take far more memory than their bytes, and a client repeats requests without a response
    // (RFC 9112 section 9.3.2)
    if (!this.#reserve(socket)) return this.#drop(socket);
    state.lastWaiting = response;
    state.hold();
    previous?.once('close', () => {
      // all responses of a connection that ends are closed: a task for each would outnumber those of other clients
      if (socket.destroyed) return;
      this.#turns.runLater(this.#networkOf(request), () => {
        if (response.destroyed || socket.destroyed) return;
        if (state.lastWaiting === response) state.lastWaiting = undefined;
        this.#release(socket, 1);
        if (!state.isHeld) socket.resume();
        start();
      });
    });
  }

  /** Reserves the place of a request that waits, and returns whether there was room for it. */
  #reserve(socket: Socket): boolean {
    const state = stateOf(socket);
    if (state.waitingRequests === pipelinedRequestsMax) return false;
    if (this.#waiting.reserve(state.network, 1) !== 'reserved') return false;
    state.waitingRequests += 1;
    if (!this.#released.has(socket)) socket.once('close', () => this.#release(socket, state.waitingRequests));
    this.#released.add(socket);
    return true;
  }

  #release(socket: Socket, requests: number): void {
    const state = stateOf(socket);
    state.waitingRequests -= requests;
    this.#waiting.release(state.network, requests);
  }

  /**
   * Drops the connection once the responses of this turn are sent. Further requests of it that were already
   * parsed are ignored.
   */
  #drop(socket: Socket): void {
    const state = stateOf(socket);
    if (state.isEnding) return;
    state.isEnding = true;
    this.#onDrop();
    dropRestOfRead(socket);
    setImmediate(() => socket.destroy());
  }
}

function startUnlessGone(response: ServerResponse, start: Task): void {
  if (!response.destroyed) start();
}
