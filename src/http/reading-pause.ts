// If parsing what arrives in one turn of the event loop takes too long, other connections are read in later
// ones.
import type { Socket } from 'node:net';
import { stateOf } from './connection-state.ts';

/** To resume ten thousand connections at once would take longer than a turn may. */
const resumedPerTurnMax = 500;

/**
 * In one turn Node parses what all connections have sent, up to 64 KiB of each. Once that has taken long
 * enough, all are paused: Node skips those that it has not yet read from in this turn.
 */
export class ReadingPause {
  readonly #sockets: ReadonlySet<Socket>;
  /** In the order in which they are resumed. */
  #paused: Socket[] = [];

  constructor(sockets: ReadonlySet<Socket>) {
    this.#sockets = sockets;
  }

  /** For the rest of this turn. */
  begin(): void {
    if (this.#paused.length === 0) setImmediate(() => this.#resumeSome());
    for (const socket of this.#sockets) {
      if (socket.isPaused()) continue;
      socket.pause();
      this.#paused.push(socket);
    }
  }

  #resumeSome(): void {
    for (const socket of this.#paused.splice(0, resumedPerTurnMax))
      if (stateOf(socket).waitingRequests === 0) socket.resume();
    if (this.#paused.length > 0) setImmediate(() => this.#resumeSome());
  }
}
