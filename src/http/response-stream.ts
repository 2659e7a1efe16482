// A streamed response: its body is written bit by bit, until the client or the service ends it.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stopParsing } from './lingering-close.ts';

/** Why a stream ended, as the log and the metrics name it. */
export type StreamEndReason =
  'complete' | 'client' | 'slow' | 'unauthorized' | 'expired' | 'gone' | 'stopping' | 'failed';

type ResponseStreamOptions = {
  /** Runs `task` in a later turn of the event loop, between the tasks of other clients. */
  readonly runLater: (task: () => void) => void;
  /** Called once, with the bytes of the body that were written. */
  readonly onEnd: (end: StreamEndReason, bytes: number) => void;
};

export class ResponseStream {
  readonly runLater: ResponseStreamOptions['runLater'];
  readonly #response: ServerResponse;
  readonly #onEnd: ResponseStreamOptions['onEnd'][];
  #end: StreamEndReason = 'client';
  #isOver = false;
  #bytes = 0;

  constructor(response: ServerResponse, { runLater, onEnd }: ResponseStreamOptions) {
    this.runLater = runLater;
    this.#response = response;
    this.#onEnd = [onEnd];
    response.once('close', () => this.#close());
  }

  /** Resolves in a later turn of the event loop, between the tasks of other clients. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => this.runLater(resolve));
  }

  get isOver(): boolean {
    return this.#isOver || this.#response.destroyed;
  }

  /** The bytes that are still in this process. */
  get unsentBytes(): number {
    return this.#response.writableLength;
  }

  onEnd(listener: ResponseStreamOptions['onEnd']): void {
    this.#onEnd.push(listener);
  }

  /** Sends the head before there is anything of the body. */
  begin(): void {
    this.#response.flushHeaders();
  }

  write(bytes: Buffer): void {
    if (this.isOver) return;
    this.#bytes += bytes.length;
    this.#response.write(bytes);
  }

  /** Resolves once the system has the bytes, which may then be overwritten. */
  writeAndWait(bytes: Buffer): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.#bytes += bytes.length;
    return new Promise((resolve) => this.#response.write(bytes, () => resolve()));
  }

  /** Calls `task` once the client has taken most of what was written. */
  whenDrained(task: () => void): void {
    if (this.#response.writableNeedDrain) this.#response.once('drain', task);
    else task();
  }

  /** Closes the connection of a client that has not read all that was written, rather than wait for it. */
  end(end: StreamEndReason): void {
    if (this.isOver) return;
    this.#end = end;
    this.#isOver = true;
    if (this.unsentBytes > 0) this.#response.destroy();
    else this.#response.end();
  }

  /** The body is whole. */
  finish(): void {
    if (this.isOver) return;
    this.#isOver = true;
    this.#response.once('finish', () => (this.#end = 'complete'));
    this.#response.end();
  }

  /** Closes the connection without the last chunk: the client can tell that the response is incomplete. */
  abort(end: StreamEndReason): void {
    if (this.isOver) return;
    this.#end = end;
    this.#isOver = true;
    this.#response.destroy();
  }

  /** Aborts once what was written has been sent, even to a client that goes on sending. */
  abortOnceSent(end: StreamEndReason): void {
    const { socket } = this.#response;
    if (this.isOver || socket === null) return;
    this.#end = end;
    this.#isOver = true;
    // `node:http` gathers what is written in one tick
    setImmediate(() => {
      stopParsing(socket);
      socket.destroySoon();
    });
  }

  /** For a stream without an end of its own: it ends when the client ends its side of the connection. */
  endWithClient(): void {
    const socket: Socket | null = this.#response.socket;
    if (socket === null) return;
    const end = (): void => this.end('client');
    socket.once('end', end);
    this.onEnd(() => socket.off('end', end));
    if (socket.readableEnded) end();
  }

  #close(): void {
    this.#isOver = true;
    for (const listener of this.#onEnd.splice(0)) listener(this.#end, this.#bytes);
  }
}
