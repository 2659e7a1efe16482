// Limits TLS handshakes: each has to be complete in time after its connection is accepted, and only a few
// begin in one turn of the event loop.
import type { Socket } from 'node:net';
import { FairQueue } from '../fair-queue.ts';
import { addressBucket } from '../network/address-buckets.ts';
import type { Timers } from '../timers.ts';
import { plainAddress } from './peer.ts';

/** A handshake takes as long as several requests, so hundreds of them would block the event loop. */
const begunPerTurnMax = 10;
/**
 * While connections are accepted, a handshake begins in one of this many turns. Node accepts one connection
 * in a turn, in the order of their arrival, so those of one client delay those of all others.
 */
const acceptingTurnsPerHandshake = 8;

type Handshake = { readonly socket: Socket; readonly cancelTimer: () => void };

type TlsHandshakesOptions = { readonly timers: Timers; readonly milliseconds: number };

export class TlsHandshakes {
  readonly #options: TlsHandshakesOptions;
  readonly #underWay = new Map<string, Handshake>();
  /** The handshakes whose first bytes have arrived. */
  readonly #waiting = new FairQueue<() => void>();
  /** Whether this turn has accepted a connection, and how many turns before it did so without a pause. */
  #isAccepting = false;
  #acceptingTurns = 0;

  constructor(options: TlsHandshakesOptions) {
    this.#options = options;
  }

  /** Ends the connection unless `complete` is called in time. */
  begin(socket: Socket): void {
    this.#isAccepting = true;
    const name = nameOf(socket); // read now, since a closed socket has no address
    const { timers, milliseconds } = this.#options;
    const cancelTimer = timers.after(milliseconds, () => socket.destroy());
    this.#underWay.set(name, { socket, cancelTimer });
    socket.once('close', () => {
      cancelTimer();
      // a client may reuse its port before the end of the connection is noticed
      if (this.#underWay.get(name)?.socket === socket) this.#underWay.delete(name);
    });
  }

  /** `secured` is the socket of TLS. */
  complete(secured: Socket): void {
    const name = nameOf(secured);
    this.#underWay.get(name)?.cancelTimer();
    this.#underWay.delete(name);
  }

  /** Runs the task that begins the handshake, in this turn of the event loop or in a later one. */
  run(socket: Socket, task: () => void): void {
    if (this.#waiting.size === 0) setImmediate(() => this.#runSome());
    this.#waiting.add(addressBucket(plainAddress(socket.remoteAddress ?? '')), task);
  }

  #runSome(): void {
    const count = this.#countOfTurn();
    for (let begun = 0; begun < count; begun += 1) this.#waiting.take()?.();
    if (this.#waiting.size > 0) setImmediate(() => this.#runSome());
  }

  #countOfTurn(): number {
    this.#acceptingTurns = this.#isAccepting ? this.#acceptingTurns + 1 : 0;
    this.#isAccepting = false;
    if (this.#acceptingTurns === 0) return begunPerTurnMax;
    return this.#acceptingTurns % acceptingTurnsPerHandshake === 0 ? 1 : 0;
  }

  destroyAll(): void {
    for (const { socket } of this.#underWay.values()) socket.destroy();
  }
}

/** Identifies a raw socket and the TLS socket over it by the address and port that they share. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
