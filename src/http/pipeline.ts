// The requests of one connection run one after the other: each starts once the previous response has left.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { pipelinedMillisecondsMax, pipelinedRequestsMax } from '../limits.ts';

type Start = () => void;

export class Pipeline {
  readonly #onCut: () => void;
  readonly #waiting = new WeakMap<Socket, number>();
  readonly #slices = new Slices();

  constructor({ onCut }: { readonly onCut: () => void }) {
    this.#onCut = onCut;
  }

  /**
   * Calls `start` once the response has the connection. `node:http` gives it that after it has handed the
   * whole previous response to the system, so a client that doesn't read stops its own requests alone.
   */
  run(request: IncomingMessage, response: ServerResponse, start: Start): void {
    if (response.socket !== null) return start();
    const { socket } = request;
    const count = this.#waitingOn(socket) + 1;
    // Parsed requests take far more memory than their bytes, and a client repeats what was not answered
    // (RFC 9112 section 9.3.2).
    if (count > pipelinedRequestsMax) return this.#cut(socket);
    this.#waiting.set(socket, count);
    this.#pauseReading(socket);
    response.once('socket', () => this.#slices.add(() => this.#runNext(socket, response, start)));
  }

  #runNext(socket: Socket, response: ServerResponse, start: Start): void {
    const left = this.#waitingOn(socket) - 1;
    this.#waiting.set(socket, left);
    if (left === 0) socket.resume();
    else this.#pauseReading(socket);
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

/** Runs work in order, one slice in each turn of the event loop: other connections come in between. */
class Slices {
  readonly #queue: Start[] = [];
  #isScheduled = false;

  add(work: Start): void {
    this.#queue.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runSlice());
  }

  #runSlice(): void {
    this.#isScheduled = false;
    const end = performance.now() + pipelinedMillisecondsMax;
    while (this.#queue.length > 0 && performance.now() < end) this.#queue.shift()?.();
    if (this.#queue.length > 0) this.#schedule();
  }
}
