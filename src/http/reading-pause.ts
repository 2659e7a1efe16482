// Defers the reading of connections to later turns of the event loop if parsing takes too long in one turn.
import type { Socket } from 'node:net';
import { stateOf } from './connection-state.ts';

/** Connections resumed in one turn: to resume ten thousand would take longer than a turn may. */
const resumedPerTurnMax = 500;

/**
 * In one turn Node reads and parses up to 64 KiB of each connection. Once that has taken long enough, all
 * connections are paused: Node then skips those that it has not yet read from in this turn.
 */
export class ReadingPause {
  readonly #sockets: ReadonlySet<Socket>;
  /** The paused sockets, in the order in which they are resumed. */
  #paused: Socket[] = [];

  constructor(sockets: ReadonlySet<Socket>) {
    this.#sockets = sockets;
  }

  /** Pauses all sockets for the rest of this turn. */
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
