// The requests of one connection run one after the other: each starts once the previous response has left.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipelinedRequestsMax } from '../limits.ts';
import type { TurnScheduler, Work } from './turn-scheduler.ts';

type PipelineOptions = { readonly scheduler: TurnScheduler<IncomingMessage>; readonly onCut: () => void };

export class Pipeline {
  readonly #onCut: () => void;
  readonly #waiting = new WeakMap<Socket, number>();
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
    if (response.socket !== null)
      return this.#scheduler.run(request, () => this.#startUnlessGone(response, start));
    const { socket } = request;
    const count = this.#waitingOn(socket) + 1;
    // Parsed requests take far more memory than their bytes, and a client repeats what was not answered
    // (RFC 9112 section 9.3.2).
    if (count > pipelinedRequestsMax) return this.#cut(socket);
    this.#waiting.set(socket, count);
    this.#pauseReading(socket);
    response.once('socket', () =>
      this.#scheduler.addFollowing(request, () => this.#runNext(socket, response, start)),
    );
  }

  #runNext(socket: Socket, response: ServerResponse, start: Work): void {
    const left = this.#waitingOn(socket) - 1;
    this.#waiting.set(socket, left);
    if (left === 0) socket.resume();
    else this.#pauseReading(socket);
    this.#startUnlessGone(response, start);
  }

  #startUnlessGone(response: ServerResponse, start: Work): void {
    if (!response.destroyed) start();
  }

  /** Counted once, though what was parsed already still arrives. */
  #cut(socket: Socket): void {
    if (!socket.destroyed) this.#onCut();
    socket.destroy();
  }

  #waitingOn(socket: Socket): number {
    return this.#waiting.get(socket) ?? 0;
  }

  /** On the next tick: `node:http` resumes the socket at the end of each request and of each response. */
  #pauseReading(socket: Socket): void {
    process.nextTick(() => {
      if (this.#waitingOn(socket) > 0) socket.pause();
    });
  }
}
