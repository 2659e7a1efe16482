// Defers the reading of connections to later turns of the event loop if parsing takes too long in one turn.
import type { Socket } from 'node:net';
import { stateOf } from './connection-state.ts';

/** Connections resumed in one turn: to resume ten thousand would take longer than a turn may. */
const resumedPerTurnMax = 500;

/**
 * In one turn Node reads and parses up to 64 KiB of each connection. Once this has taken too long, all
 * connections are paused, so Node reads no more of them in this turn. The next turn resumes one connection of
 * each network, the turn after it two, then four, until a turn takes too long again: however many connections
 * one client has, only a few of them are read before the connections of other clients.
 */
export class ReadingPause {
  readonly #sockets: ReadonlySet<Socket>;
  /** The paused sockets, in the order in which they are resumed. */
  #paused = new Set<Socket>();
  /**
   * Sockets that were read in the turn of the pause. They are resumed one turn later, so that the system
   * reports them after the sockets that were not read yet. Resumed at once, they would keep their places, and
   * sockets that always have something to read would starve all others.
   */
  #read: Socket[] = [];
  /** How many sockets of each network the next turn resumes. */
  #perAddress = 1;
  #isScheduled = false;

  constructor(sockets: ReadonlySet<Socket>) {
    this.#sockets = sockets;
  }

  /** Whether a socket is paused, or was resumed so recently that it may not have been read since. */
  get isActive(): boolean {
    return this.#isScheduled;
  }

  /** Pauses all sockets for the rest of this turn. */
  begin(): void {
    this.#perAddress = 1;
    for (const socket of this.#sockets) {
      if (socket.isPaused()) continue;
      socket.pause();
      this.#paused.delete(socket); // the end of a request may have resumed it early
      if (stateOf(socket).takeWasRead()) this.#read.push(socket);
      else this.#paused.add(socket);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#resumeSome());
  }

  #resumeSome(): void {
    this.#isScheduled = false;
    if (this.#paused.size === 0 && this.#read.length === 0) return;
    for (const socket of this.#next()) {
      this.#paused.delete(socket);
      if (!stateOf(socket).isHeld) socket.resume();
    }
    for (const socket of this.#read.splice(0)) this.#paused.add(socket);
    this.#perAddress *= 2;
    this.#schedule(); // even if none is left: the pause lasts until the sockets just resumed were read
  }

  /** Returns the next sockets of each network, beginning with the network that has the fewest. */
  #next(): Socket[] {
    const byAddress = Map.groupBy(this.#paused, (socket) => stateOf(socket).network);
    return [...byAddress.values()]
      .sort((a, b) => a.length - b.length)
      .flatMap((sockets) => sockets.slice(0, this.#perAddress))
      .slice(0, resumedPerTurnMax);
  }
}
