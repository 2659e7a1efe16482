// The requests of one connection run one after the other: each starts once the previous response has left.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipelinedRequestsMax } from '../limits.ts';
import { stateOf } from './connection-state.ts';
import { dropRestOfRead } from './node-internals.ts';
import type { TurnScheduler, Work } from './turn-scheduler.ts';

type PipelineOptions = { readonly scheduler: TurnScheduler<IncomingMessage>; readonly onCut: () => void };

export class Pipeline {
  readonly #onCut: () => void;
  readonly #scheduler: TurnScheduler<IncomingMessage>;

  constructor({ scheduler, onCut }: PipelineOptions) {
    this.#scheduler = scheduler;
    this.#onCut = onCut;
  }

  /**
   * Calls `start` once the response has the connection. `node:http` gives it that after it has handed the
   * whole previous response to the system, so a client that doesn't read stops its own requests alone.
   */
  run(request: IncomingMessage, response: ServerResponse, start: Work): void {
    if (response.socket === null) this.#wait(request, response, start);
    else this.#scheduler.run(request, () => startUnlessGone(response, start));
  }

  #wait(request: IncomingMessage, response: ServerResponse, start: Work): void {
    this.#scheduler.noteArrival();
    const { socket } = request;
    const state = stateOf(socket);
    // Parsed requests take far more memory than their bytes, and a client repeats what was not answered
    // (RFC 9112 section 9.3.2).
    if (state.waitingRequests === pipelinedRequestsMax) return this.#cut(socket);
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
  #cut(socket: Socket): void {
    if (socket.destroyed) return;
    this.#onCut();
    dropRestOfRead(socket);
    socket.destroy();
  }
}

function startUnlessGone(response: ServerResponse, start: Work): void {
  if (!response.destroyed) start();
}

/** On the next tick: `node:http` resumes the socket at the end of each request and of each response. */
function pauseReading(socket: Socket): void {
  process.nextTick(() => {
    if (stateOf(socket).waitingRequests > 0) socket.pause();
  });
}
