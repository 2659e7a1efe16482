// Defers the reading of connections to later turns of the event loop if parsing takes too long in one turn.
import type { Socket } from 'node:net';
import { stateOf } from './connection-state.ts';

/** Connections resumed in one turn: to resume ten thousand would take longer than a turn may. */
const resumedPerTurnMax = 500;

/**
 * In one turn Node reads and parses up to 64 KiB of each connection. Once that has taken long enough, all
 * connections are paused: Node then skips those that it has not yet read from in this turn. They are resumed
 * before the others, or else those that always have something to read would be the only ones that are read.
 */
export class ReadingPause {
  readonly #sockets: ReadonlySet<Socket>;
  /** The paused sockets that were not read since they were resumed, in the order in which they will be. */
  #unread: Socket[] = [];
  /**
   * The others, resumed a turn later. In that turn the system finds them paused, and puts them behind all
   * others that it has to report; if resumed earlier, they would keep their places.
   */
  #read: Socket[] = [];
  /** The number of the last pause before which an address was read. */
  #lastReads = new Map<string, number>();
  #pauses = 0;
  #isScheduled = false;

  constructor(sockets: ReadonlySet<Socket>) {
    this.#sockets = sockets;
  }

  /** Pauses all sockets for the rest of this turn. */
  begin(): void {
    this.#pauses += 1;
    const newlyPaused = [...this.#sockets].filter((socket) => !socket.isPaused());
    const read: Socket[] = [];
    for (const socket of newlyPaused) {
      socket.pause();
      if (stateOf(socket).takeWasRead()) read.push(socket);
      else this.#unread.push(socket);
    }
    // a request that ends may have resumed some earlier: those are here twice
    this.#unread = this.#inFairOrder(new Set([...this.#unread, ...this.#read]), read);
    this.#read = read;
    this.#schedule();
  }

  /** Sockets of the address that was read the longest ago come first. */
  #inFairOrder(sockets: ReadonlySet<Socket>, read: readonly Socket[]): Socket[] {
    for (const socket of read) this.#lastReads.set(stateOf(socket).addressBucket, this.#pauses);
    const byAddress = Map.groupBy(sockets, (socket) => stateOf(socket).addressBucket);
    const lastRead = (address: string): number => this.#lastReads.get(address) ?? 0;
    return [...byAddress.keys()]
      .sort((a, b) => lastRead(a) - lastRead(b))
      .flatMap((address) => byAddress.get(address) ?? []);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#resumeSome());
  }

  #resumeSome(): void {
    this.#isScheduled = false;
    for (const socket of this.#unread.splice(0, resumedPerTurnMax))
      if (stateOf(socket).waitingRequests === 0) socket.resume();
    this.#unread.push(...this.#read.splice(0));
    if (this.#unread.length > 0) this.#schedule();
    else this.#lastReads.clear();
  }
}
