// Bounds the bytes of responses that clients have not read, in total. Beyond the bound, connections with such bytes
// are closed, the oldest first. Streams don't count, since they have bounds of their own.
import type { Socket } from 'node:net';

export class UnsentResponses {
  readonly #bytesMax: number;
  readonly #onDrop: () => void;
  /** The connections that once could not send a response at once, the oldest first. */
  readonly #sockets = new Set<Socket>();
  /** At least the bytes that are unsent now: what was sent since is subtracted only beyond the bound. */
  #bytesAtMost = 0;

  constructor(bytesMax: number, onDrop: () => void) {
    this.#bytesMax = bytesMax;
    this.#onDrop = onDrop;
  }

  /** Counts what the socket could not send of a response at once. */
  add(socket: Socket): void {
    if (socket.writableLength === 0) return;
    if (!this.#sockets.has(socket)) {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    }
    this.#bytesAtMost += socket.writableLength;
    if (this.#bytesAtMost > this.#bytesMax) this.#dropOldest();
  }

  /** Counts nothing of the socket, until its next response. */
  forget(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  #dropOldest(): void {
    const unsent = [...this.#sockets].filter((socket) => !socket.destroyed && socket.writableLength > 0);
    this.#bytesAtMost = unsent.reduce((sum, socket) => sum + socket.writableLength, 0);
    for (const socket of unsent) {
      if (this.#bytesAtMost <= this.#bytesMax) return;
      this.#bytesAtMost -= socket.writableLength;
      socket.destroy();
      this.#onDrop();
    }
  }
}
