// A streamed response: its body is written gradually until the client or the service ends it.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Turns } from '../../base/turns.ts';
import type { HttpConnection } from '../connections/http-connection.ts';

/** Why a stream ended, as the log and the metrics name it. */
export type StreamEndReason =
  'complete' | 'client' | 'slow' | 'unauthorized' | 'expired' | 'gone' | 'stopping' | 'failed';

/** Called once, with the number of bytes of the body that were written. */
type EndListener = (reason: StreamEndReason, bytes: number) => void;

export class ResponseStream {
  readonly #connection: HttpConnection;
  readonly #turns: Turns;
  readonly #response: ServerResponse;
  readonly #onEnd: EndListener[];
  #endReason: StreamEndReason = 'client';
  #isOver = false;
  #bytes = 0;

  constructor(response: ServerResponse, connection: HttpConnection, turns: Turns, onEnd: EndListener) {
    this.#connection = connection;
    this.#turns = turns;
    this.#response = response;
    this.#onEnd = [onEnd];
    response.once('close', () => this.#close());
  }

  /** Resolves in a later turn of the event loop. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#turns.runLater(resolve));
  }

  get isOver(): boolean {
    return this.#isOver || this.#response.destroyed;
  }

  /** The number of bytes that are still in this process. */
  get unsentBytes(): number {
    return this.#response.writableLength;
  }

  /** The number of bytes that the system has accepted, without the head and the frames of chunks. */
  get sentBytes(): number {
    return Math.max(this.#bytes - this.unsentBytes, 0);
  }

  onEnd(listener: EndListener): void {
    this.#onEnd.push(listener);
  }

  /** Sends the head before the first bytes of the body. */
  begin(): void {
    this.#response.flushHeaders();
  }

  write(bytes: Buffer): void {
    if (this.isOver) return;
    this.#bytes += bytes.length;
    this.#response.write(bytes);
  }

  /** Resolves once the system has accepted the bytes. */
  writeAndWait(bytes: Buffer): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.#bytes += bytes.length;
    return new Promise((resolve) => this.#response.write(bytes, () => resolve()));
  }

  /** Calls `task` once the client has accepted most of the bytes that were written. */
  whenDrained(task: () => void): void {
    if (this.#response.writableNeedDrain) this.#response.once('drain', task);
    else task();
  }

  /** Ends the stream. Closes the connection if the client has not read all bytes, instead of waiting. */
  end(reason: StreamEndReason): void {
    this.#endBy(reason, (response) => {
      if (response.writableLength > 0) response.destroy();
      else response.end();
    });
  }

  /** Ends the stream after its complete body. */
  finish(): void {
    this.#endBy('client', (response) => {
      response.once('finish', () => (this.#endReason = 'complete'));
      response.end();
    });
  }

  /**
   * Closes the connection without the last chunk, so that the client sees that the response is incomplete.
   */
  abort(reason: StreamEndReason): void {
    this.#endBy(reason, (response) => response.destroy());
  }

  /** Aborts once the written bytes have been sent, even if the client continues to send. */
  abortOnceSent(reason: StreamEndReason): void {
    // `node:http` collects the writes of one tick
    this.#endBy(reason, () => setImmediate(() => this.#connection.end()));
  }

  /** Ends the stream when the client ends its side of the connection: for streams without an end. */
  endWithClient(): void {
    const socket: Socket | null = this.#response.socket;
    if (socket === null) return;
    const end = (): void => this.end('client');
    socket.once('end', end);
    this.onEnd(() => socket.off('end', end));
    if (socket.readableEnded) end();
  }

  #endBy(reason: StreamEndReason, end: (response: ServerResponse) => void): void {
    if (this.isOver) return;
    this.#endReason = reason;
    this.#isOver = true;
    end(this.#response);
  }

  #close(): void {
    this.#isOver = true;
    for (const listener of this.#onEnd.splice(0)) listener(this.#endReason, this.#bytes);
  }
}
