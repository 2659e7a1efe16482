// TLS handshakes that are under way: each has to be complete within a time, from accepting the connection on.
import type { Socket } from 'node:net';
import type { Timers } from '../timers.ts';

type Handshake = { readonly socket: Socket; readonly cancelTimer: () => void };

type Options = { readonly timers: Timers; readonly milliseconds: number };

/** TLS puts a socket of its own over the raw one; what both have is the other end's address and port. */
const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

export class TlsHandshakes {
  readonly #options: Options;
  readonly #underWay = new Map<string, Handshake>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Ends the connection unless `complete` is called in time. */
  begin(socket: Socket): void {
    const name = nameOf(socket); // a closed socket has none
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

  destroyAll(): void {
    for (const { socket } of this.#underWay.values()) socket.destroy();
  }
}
