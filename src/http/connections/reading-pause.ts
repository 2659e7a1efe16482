// Defers the reading of connections to later turns of the event loop if parsing takes too long in one turn.
import type { Socket } from 'node:net';
import { stateOf } from './connection-state.ts';

/** Connections resumed in one turn: to resume ten thousand would take longer than a turn may. */
const resumedPerTurnMax = 500;

/**
 * In one turn Node reads and parses up to 64 KiB of each connection. Once that has taken long enough, all
 * connections are paused: Node then skips those that it has not yet read from in this turn. In the next turn
 * one connection of each address is resumed, then two, then four, until a turn takes too long again: however
 * many connections one client has, only a few of them are read before those of others.
 */
export class ReadingPause {
  readonly #sockets: ReadonlySet<Socket>;
  /** The paused sockets, in the order in which those of one address are resumed. */
  #paused = new Set<Socket>();
  /**
   * Those that were read in the turn of the pause, resumed a turn later. In that turn the system finds them
   * paused, and puts them behind all others that it has to report; if resumed earlier, they would keep their
   * places, and those that always have something to read would be the only ones that are read.
   */
  #read: Socket[] = [];
  /** How many sockets of each address the next turn resumes. */
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
      this.#paused.delete(socket); // a request that ended may have resumed it before its time
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
    this.#schedule(); // even if none is left: those that were just resumed are read before the next turn
  }

  /** Returns the next sockets of each address, beginning with the address that has the fewest. */
  #next(): Socket[] {
    const byAddress = Map.groupBy(this.#paused, (socket) => stateOf(socket).network);
    return [...byAddress.values()]
      .sort((a, b) => a.length - b.length)
      .flatMap((sockets) => sockets.slice(0, this.#perAddress))
      .slice(0, resumedPerTurnMax);
  }
}
