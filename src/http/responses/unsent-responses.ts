// Bounds the bytes of responses that clients have not read. Beyond the bound, the client with the most such
// bytes loses connections.
//
// What a connection has not sent is a number of its socket, which a response adds to a sum. What is sent later is
// not subtracted: the sum is an upper limit, and only where it exceeds the bound are the connections asked anew.
// A collection with an entry for each response would cost far more (see `docs/performance.md`).
import type { Socket } from 'node:net';
import { stateOf } from '../connections/connection-state.ts';

/** The bytes of responses that clients have not read yet, in total. */
export const unsentBytesMax = 64 * 1024 * 1024;
/** The bytes that may be added before the connections are asked again, since there may be thousands of them. */
const bytesBetweenChecks = unsentBytesMax / 64;

export class UnsentResponses {
  readonly #onDrop: () => void;
  /** The connections that once could not send a response immediately, the oldest first. */
  readonly #sockets = new Set<Socket>();
  /** At least the bytes that are unsent now. */
  #bytesAtMost = 0;
  #checkAbove = unsentBytesMax;

  /** `onDrop` is called for each connection that is closed. */
  constructor(onDrop: () => void) {
    this.#onDrop = onDrop;
  }

  /** Counts what the socket could not send of its client's response immediately; nothing without a client. */
  add(socket: Socket, client: string | undefined): void {
    const state = stateOf(socket);
    state.unsentOf = client;
    const bytes = unsentBytesOf(socket);
    if (bytes === 0) return;
    this.#watch(socket);
    this.#bytesAtMost += bytes;
    if (this.#bytesAtMost > this.#checkAbove) this.#dropUntilWithin();
  }

  #watch(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Closes connections of the client with the most bytes, the oldest connection first. */
  #dropUntilWithin(): void {
    for (;;) {
      const unsent = [...this.#sockets].filter((socket) => unsentBytesOf(socket) > 0);
      const byClient = Map.groupBy(unsent, (socket) => stateOf(socket).unsentOf);
      const sums = Array.from(byClient.values(), (sockets) => ({ sockets, bytes: sumOf(sockets) }));
      this.#bytesAtMost = sumOf(unsent);
      this.#checkAbove = Math.max(unsentBytesMax, this.#bytesAtMost + bytesBetweenChecks);
      if (this.#bytesAtMost <= unsentBytesMax) return;
      const [greediest] = sums.sort((a, b) => b.bytes - a.bytes);
      greediest?.sockets[0]?.destroy();
      this.#onDrop();
    }
  }
}

function unsentBytesOf(socket: Socket): number {
  return stateOf(socket).unsentOf === undefined || socket.destroyed ? 0 : socket.writableLength;
}

function sumOf(sockets: readonly Socket[]): number {
  return sockets.reduce((sum, socket) => sum + unsentBytesOf(socket), 0);
}
