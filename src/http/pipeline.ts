// Runs the requests of one connection one after the other: each starts once the previous response has left.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipelinedRequestsMax } from '../limits.ts';
import { stateOf } from './connection-state.ts';
import { dropRestOfRead, hasConnection, keepPausedWhile, onceConnected } from './node-internals.ts';
import type { TurnScheduler, Task } from './turn-scheduler.ts';

type PipelineOptions = { readonly scheduler: TurnScheduler<IncomingMessage>; readonly onDrop: () => void };

export class Pipeline {
  readonly #onDrop: () => void;
  readonly #scheduler: TurnScheduler<IncomingMessage>;

  constructor({ scheduler, onDrop }: PipelineOptions) {
    this.#scheduler = scheduler;
    this.#onDrop = onDrop;
  }

  /**
   * Calls `start` once the response has the connection: when the system has accepted the whole previous
   * response. So a client that doesn't read delays only its own requests.
   */
  startInOrder(request: IncomingMessage, response: ServerResponse, start: Task): void {
    if (hasConnection(response)) this.#scheduler.run(request, () => startUnlessGone(response, start));
    else this.#wait(request, response, start);
  }

  #wait(request: IncomingMessage, response: ServerResponse, start: Task): void {
    this.#scheduler.noteArrival();
    const { socket } = request;
    const state = stateOf(socket);
    // parsed requests take far more memory than their bytes, and a client repeats those that got no response
    // (RFC 9112 section 9.3.2)
    if (state.waitingRequests === pipelinedRequestsMax) return this.#drop(socket);
    state.waitingRequests += 1;
    if (!state.hasPauseListener) keepPausedWhile(socket, () => state.waitingRequests > 0);
    state.hasPauseListener = true;
    socket.pause();
    onceConnected(response, () =>
      this.#scheduler.addFollowing(request, () => {
        state.waitingRequests -= 1;
        if (state.waitingRequests === 0) socket.resume();
        startUnlessGone(response, start);
      }),
    );
  }

  /** Drops the connection, and counts it once: requests that were already parsed still arrive. */
  #drop(socket: Socket): void {
    if (socket.destroyed) return;
    this.#onDrop();
    dropRestOfRead(socket);
    socket.destroy();
  }
}

function startUnlessGone(response: ServerResponse, start: Task): void {
  if (!response.destroyed) start();
}
