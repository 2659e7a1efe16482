// Bounds the bytes of responses that clients have not read, in total. Beyond the bound, connections with such bytes
// are closed, the oldest first. Streams don't count, since they have bounds of their own.
import type { Socket } from 'node:net';

export class UnsentResponses {
  readonly #bytesMax: number;
  readonly #onDrop: () => void;
  /** The connections that could not send a whole response at once, the oldest first. */
  readonly #sockets = new Set<Socket>();
  readonly #onClose: (this: Socket) => void;
  /** An upper bound of the unsent bytes: the exact sum is computed only when this exceeds `#bytesMax`. */
  #bytesAtMost = 0;

  constructor(bytesMax: number, onDrop: () => void) {
    this.#bytesMax = bytesMax;
    this.#onDrop = onDrop;
    const sockets = this.#sockets;
    this.#onClose = function () {
      sockets.delete(this);
    };
  }

  /** Counts the bytes of a response that the socket could not send at once. */
  add(socket: Socket): void {
    if (socket.writableLength === 0) return;
    if (!this.#sockets.has(socket)) socket.once('close', this.#onClose);
    this.#sockets.add(socket);
    this.#bytesAtMost += socket.writableLength;
    if (this.#bytesAtMost <= this.#bytesMax) return;
    this.#bytesAtMost = 0;
    for (const each of [...this.#sockets].toReversed()) {
      if (this.#bytesAtMost + each.writableLength <= this.#bytesMax) this.#bytesAtMost += each.writableLength;
      else this.#drop(each);
    }
  }

  #drop(socket: Socket): void {
    this.forget(socket);
    socket.destroy();
    this.#onDrop();
  }

  /** Stops counting the bytes of the socket, until its next response. */
  forget(socket: Socket): void {
    socket.off('close', this.#onClose);
    this.#sockets.delete(socket);
  }
}
