// A response that goes on: its body is written as time passes, until the client or the service ends it.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stopParsing } from './lingering-close.ts';

/** Why a stream ended, as the log and the metrics name it. */
export type StreamEnd =
  'complete' | 'client' | 'slow' | 'unauthorized' | 'expired' | 'gone' | 'stopping' | 'failed';

type Options = {
  /** Runs work in a later turn of the event loop, where other clients have their turns, too. */
  readonly runLater: (work: () => void) => void;
  /** Called once, with the bytes of the body that were written. */
  readonly onEnd: (end: StreamEnd, bytes: number) => void;
};

export class ResponseStream {
  readonly runLater: Options['runLater'];
  readonly #response: ServerResponse;
  readonly #onEnd: Options['onEnd'][];
  #end: StreamEnd = 'client';
  #isOver = false;
  #bytes = 0;

  constructor(response: ServerResponse, { runLater, onEnd }: Options) {
    this.runLater = runLater;
    this.#response = response;
    this.#onEnd = [onEnd];
    response.once('close', () => this.#close());
  }

  get isOver(): boolean {
    return this.#isOver || this.#response.destroyed;
  }

  /** The bytes that are still in this process. */
  get unsentBytes(): number {
    return this.#response.writableLength;
  }

  onEnd(listener: Options['onEnd']): void {
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

  /** Calls `work` once the client has taken most of what was written. */
  whenDrained(work: () => void): void {
    if (this.#response.writableNeedDrain) this.#response.once('drain', work);
    else work();
  }

  /** A client that has not read what was written loses its connection, since nothing waits for it. */
  end(end: StreamEnd): void {
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

  /** Closes the connection without the last chunk: the client can't take what it has for a whole response. */
  breakOff(end: StreamEnd): void {
    if (this.isOver) return;
    this.#end = end;
    this.#isOver = true;
    this.#response.destroy();
  }

  /** The same, but what was written still reaches the client, even one that goes on sending. */
  breakOffOnceSent(end: StreamEnd): void {
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

  /** A client that has ended its side reads a response to its end; a stream that has none ends with it. */
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
