// The requests of one connection, one after the other: each starts once the answer before it has left.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { pipelinedMillisecondsMax, pipelinedRequestsMax } from '../limits.ts';

type Start = () => void;
type Pipeline = (request: IncomingMessage, response: ServerResponse, start: Start) => void;

/**
 * Calls `start` when the response has the connection. `node:http` gives it that when it has handed the whole
 * answer before to the system: so what a client doesn't read stops the client's own requests.
 */
export function createPipeline({ onCut }: { readonly onCut: () => void }): Pipeline {
  const waiting = new WeakMap<Socket, number>();
  const later = createSlices();

  /** After what runs now: `node:http` resumes the socket at the end of each request and of each response. */
  function holdReading(socket: Socket): void {
    process.nextTick(() => {
      if ((waiting.get(socket) ?? 0) > 0) socket.pause();
    });
  }

  /** Once, though what was parsed already still arrives. */
  function cut(socket: Socket): void {
    if (!socket.destroyed) onCut();
    socket.destroy();
  }

  return (request, response, start) => {
    if (response.socket !== null) return start();
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    // A client repeats what was not answered (RFC 9112 section 9.3.2); parsed requests take far more memory
    // than their bytes.
    if (count > pipelinedRequestsMax) return cut(socket);
    waiting.set(socket, count);
    holdReading(socket);
    response.once('socket', () => {
      later(() => {
        const left = (waiting.get(socket) ?? 1) - 1;
        waiting.set(socket, left);
        if (left === 0) socket.resume();
        else holdReading(socket);
        if (!response.destroyed) start();
      });
    });
  };
}

/** Runs work in its order, a slice in each turn of the event loop: other connections come in between. */
function createSlices(): (work: Start) => void {
  const queue: Start[] = [];
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(runSlice);
  }

  function runSlice(): void {
    isScheduled = false;
    const end = performance.now() + pipelinedMillisecondsMax;
    while (queue.length > 0 && performance.now() < end) queue.shift()?.();
    if (queue.length > 0) schedule();
  }

  return (work) => {
    queue.push(work);
    schedule();
  };
}
