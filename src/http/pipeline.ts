// The requests of one connection run one after the other: each starts once the previous response has left.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipelinedRequestsMax } from '../limits.ts';
import { stateOf } from './connection-state.ts';
import { dropRestOfRead } from './node-internals.ts';
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
   * Calls `start` once the response has the connection. `node:http` gives it that after it has handed the
   * whole previous response to the system, so a client that doesn't read stops only its own requests.
   */
  run(request: IncomingMessage, response: ServerResponse, start: Task): void {
    if (response.socket === null) this.#wait(request, response, start);
    else this.#scheduler.run(request, () => startUnlessGone(response, start));
  }

  #wait(request: IncomingMessage, response: ServerResponse, start: Task): void {
    this.#scheduler.countArrival();
    const { socket } = request;
    const state = stateOf(socket);
    // Parsed requests take far more memory than their bytes, and a client repeats what was not answered
    // (RFC 9112 section 9.3.2).
    if (state.waitingRequests === pipelinedRequestsMax) return this.#drop(socket);
    state.waitingRequests += 1;
    pauseReading(socket);
    response.once('socket', () =>
      this.#scheduler.addFollowing(request, () => {
        state.waitingRequests -= 1;
        if (state.waitingRequests === 0) socket.resume();
        else pauseReading(socket);
        startUnlessGone(response, start);
      }),
    );
  }

  /** Counted once, though what was parsed already still arrives. */
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

/** On the next tick: `node:http` resumes the socket at the end of each request and of each response. */
function pauseReading(socket: Socket): void {
  process.nextTick(() => {
    if (stateOf(socket).waitingRequests > 0) socket.pause();
  });
}
