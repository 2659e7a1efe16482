// Limits TLS handshakes: each has to be complete in time after its connection is accepted, only as many begin
// in one turn of the event loop as fit into it, and few of one address run at the same time.
import { performance } from 'node:perf_hooks';
import type { Socket } from 'node:net';
import { FairQueue } from '../fair-queue.ts';
import { turnMillisecondsMax } from '../limits.ts';
import { addressBucket } from '../addresses.ts';
import type { Timers } from '../timers.ts';
import type { ConnectionGate } from './connection-gate.ts';
import { plainAddress } from './peer.ts';
import { SharedBound } from './shared-bound.ts';

/**
 * While connections are accepted, a handshake begins in one of this many turns. Node accepts one connection
 * in a turn, in the order of their arrival, so those of one client delay those of all others.
 */
const acceptingTurnsPerHandshake = 8;

/**
 * Of the connections that one address may have, those whose handshakes have begun and are not complete. Their
 * last messages, for which the service computes most, may arrive in the same turn, where nothing defers them.
 */
const begunShareMax = 1 / 8;

type Handshake = {
  readonly socket: Socket;
  readonly address: string;
  /** The address as the gate counts it. */
  readonly bucket: string | undefined;
  readonly cancelTimer: () => void;
  hasBegun: boolean;
  isOver: boolean;
};
type Waiting = { readonly handshake: Handshake; readonly task: () => void };

type TlsHandshakesOptions = {
  readonly timers: Timers;
  readonly milliseconds: number;
  readonly gate: Pick<ConnectionGate, 'bucketOf' | 'perAddressMax'>;
};

export class TlsHandshakes {
  readonly #options: TlsHandshakesOptions;
  readonly #underWay = new Map<string, Handshake>();
  /** The handshakes whose first bytes have arrived. */
  readonly #waiting = new FairQueue<Waiting>();
  readonly #begun: SharedBound;
  /** Those that wait until another handshake of their address is over. */
  readonly #held = new Map<string, Waiting[]>();
  /** Whether some of those waiting run now, or will in the next turn. */
  #isRunning = false;
  /** Whether this turn has accepted a connection, and how many turns before it did so without a pause. */
  #isAccepting = false;
  #acceptingTurns = 0;

  constructor(options: TlsHandshakesOptions) {
    this.#options = options;
    const perClient = Math.ceil(options.gate.perAddressMax * begunShareMax);
    this.#begun = new SharedBound({ total: Infinity, perClient });
  }

  /** Ends the connection unless `complete` is called in time. */
  begin(socket: Socket): Handshake {
    this.#isAccepting = true;
    const name = nameOf(socket); // read now, since a closed socket has no address
    const address = addressBucket(plainAddress(socket.remoteAddress ?? ''));
    const { timers, milliseconds, gate } = this.#options;
    const bucket = gate.bucketOf(socket.remoteAddress);
    const cancelTimer = timers.after(milliseconds, () => socket.destroy());
    const handshake = { socket, address, bucket, cancelTimer, hasBegun: false, isOver: false };
    this.#underWay.set(name, handshake);
    socket.once('close', () => {
      this.#end(handshake);
      // a client may reuse its port before the end of the connection is noticed
      if (this.#underWay.get(name) === handshake) this.#underWay.delete(name);
    });
    return handshake;
  }

  /** `secured` is the socket of TLS. */
  complete(secured: Socket): void {
    const name = nameOf(secured);
    const handshake = this.#underWay.get(name);
    if (handshake !== undefined) this.#end(handshake);
    this.#underWay.delete(name);
  }

  /** Runs the task that begins the handshake, in this turn of the event loop or in a later one. */
  run(handshake: Handshake, task: () => void): void {
    this.#add({ handshake, task });
  }

  #add(waiting: Waiting): void {
    this.#waiting.add(waiting.handshake.address, waiting);
    if (!this.#isRunning) this.#runInNextTurn();
  }

  #runInNextTurn(): void {
    this.#isRunning = this.#waiting.size > 0;
    if (this.#isRunning) setImmediate(() => this.#runSome());
  }

  #runSome(): void {
    const count = this.#countOfTurn();
    if (count === 0) this.#runInNextTurn();
    else this.#runUntil(performance.now() + turnMillisecondsMax, count);
  }

  /** Each waits for the tick in which Node computes the one before, so that its duration counts. */
  #runUntil(end: number, count: number): void {
    this.#runNext();
    process.nextTick(() => {
      const hasTime = count > 1 && performance.now() < end;
      if (hasTime && this.#waiting.size > 0) this.#runUntil(end, count - 1);
      else this.#runInNextTurn();
    });
  }

  #runNext(): void {
    const waiting = this.#waiting.take();
    if (waiting === undefined) return;
    const { handshake, task } = waiting;
    const { address, bucket, isOver } = handshake;
    if (isOver) return this.#resumeHeld(address);
    if (this.#begun.reserve(bucket, 1) !== 'reserved') return this.#hold(waiting);
    handshake.hasBegun = true;
    task();
  }

  #hold(waiting: Waiting): void {
    const { address } = waiting.handshake;
    this.#held.set(address, [...(this.#held.get(address) ?? []), waiting]);
  }

  #resumeHeld(address: string): void {
    const [next, ...others] = this.#held.get(address) ?? [];
    if (next === undefined) return;
    if (others.length > 0) this.#held.set(address, others);
    else this.#held.delete(address);
    this.#add(next);
  }

  #end(handshake: Handshake): void {
    if (handshake.isOver) return;
    handshake.isOver = true;
    handshake.cancelTimer();
    if (!handshake.hasBegun) return;
    this.#begun.release(handshake.bucket, 1);
    this.#resumeHeld(handshake.address);
  }

  /** Returns the number of handshakes that may begin in this turn, if they fit into its time. */
  #countOfTurn(): number {
    this.#acceptingTurns = this.#isAccepting ? this.#acceptingTurns + 1 : 0;
    this.#isAccepting = false;
    if (this.#acceptingTurns === 0) return Infinity;
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
