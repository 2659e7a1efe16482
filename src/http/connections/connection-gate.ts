// Limits connections, in total and for each client: all that are open, and fewer whose TLS handshake is under
// way, since each of these takes 45 KB for a few bytes of its client.
import { networkOf } from '../../base/addresses.ts';
import { peerOf } from './peer.ts';
import { SharedBound, type Bounds } from './shared-bound.ts';

export const connectionsMax = 10_000;
export const handshakesMax = 1_000;
export const handshakesPerClientMax = 100;

export type ConnectionCounts = {
  readonly open: number;
  /** Rejected connections since the start, by the limit that was reached. */
  readonly rejected: Readonly<Record<RejectionReason, number>>;
};
type RejectionReason = 'full' | 'address';

type ConnectionGateOptions = {
  readonly connectionsMax: number;
  readonly perClientMax: number;
  /** Whether this is the address of a trusted proxy, which forwards the requests of many clients. */
  readonly isTrusted: (address: string) => boolean;
};

export class ConnectionGate {
  readonly connectionsMax: number;
  readonly #isTrusted: ConnectionGateOptions['isTrusted'];
  readonly #open: SharedBound;
  /** The open connections that carry HTTP: over TLS, those whose handshake is complete. */
  readonly #served = new SharedBound({ total: Infinity, perClient: Infinity });
  readonly #rejected = { full: 0, address: 0 };

  constructor({ connectionsMax, perClientMax, isTrusted }: ConnectionGateOptions) {
    this.connectionsMax = connectionsMax;
    this.#isTrusted = isTrusted;
    this.#open = new SharedBound({ total: connectionsMax, perClient: perClientMax });
  }

  get counts(): ConnectionCounts {
    return { open: this.#open.used, rejected: { ...this.#rejected } };
  }

  /** Counts a connection from this address until `leave`, or returns why it is rejected. */
  enter(remoteAddress: string): 'entered' | RejectionReason {
    const client = this.#networkOf(remoteAddress);
    const outcome = this.#exceededHandshakes(client) ?? this.#open.reserve(client, 1);
    if (outcome === 'reserved') return 'entered';
    const reason = outcome === 'total' ? 'full' : 'address';
    this.countRejection(reason);
    return reason;
  }

  countRejection(reason: RejectionReason): void {
    this.#rejected[reason] += 1;
  }

  leave(remoteAddress: string): void {
    this.#open.release(this.#networkOf(remoteAddress), 1);
  }

  /** Counts the connection as one that carries HTTP, until `endServing`. */
  beginServing(remoteAddress: string): void {
    this.#served.reserve(this.#networkOf(remoteAddress), 1);
  }

  endServing(remoteAddress: string): void {
    this.#served.release(this.#networkOf(remoteAddress), 1);
  }

  #exceededHandshakes(client: string | undefined): keyof Bounds | undefined {
    if (this.#open.used - this.#served.used >= handshakesMax) return 'total';
    if (client === undefined) return undefined;
    const handshakes = this.#open.usedBy(client) - this.#served.usedBy(client);
    return handshakes >= handshakesPerClientMax ? 'perClient' : undefined;
  }

  /** Returns undefined for this machine and for trusted proxies, whose connections only the total limits. */
  #networkOf(remoteAddress: string): string | undefined {
    const peer = peerOf(remoteAddress, this.#isTrusted);
    return peer.isLoopback || peer.isTrusted ? undefined : networkOf(peer.address);
  }
}
