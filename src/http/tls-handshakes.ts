// Limits TLS handshakes: each has to be complete in time after its connection is accepted, and only a few
// begin in one turn of the event loop.
import type { Socket } from 'node:net';
import { FairQueue } from '../fair-queue.ts';
import { addressBucket } from '../network/address-buckets.ts';
import type { Timers } from '../timers.ts';
import { plainAddress } from './peer.ts';

/** A handshake takes as long as several requests, so hundreds of them would block the event loop. */
const begunPerTurnMax = 10;

type Handshake = { readonly socket: Socket; readonly cancelTimer: () => void };

type TlsHandshakesOptions = { readonly timers: Timers; readonly milliseconds: number };

export class TlsHandshakes {
  readonly #options: TlsHandshakesOptions;
  readonly #underWay = new Map<string, Handshake>();
  /** The handshakes whose first bytes have arrived. */
  readonly #waiting = new FairQueue<() => void>();

  constructor(options: TlsHandshakesOptions) {
    this.#options = options;
  }

  /** Ends the connection unless `complete` is called in time. */
  begin(socket: Socket): void {
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
    for (let count = 0; count < begunPerTurnMax; count += 1) this.#waiting.take()?.();
    if (this.#waiting.size > 0) setImmediate(() => this.#runSome());
  }

  destroyAll(): void {
    for (const { socket } of this.#underWay.values()) socket.destroy();
  }
}

/** Identifies a raw socket and the TLS socket over it by the address and port that they share. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
