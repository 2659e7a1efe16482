// Limits connections: in total, and for each client.
import { networkOf } from '../../base/addresses.ts';
import { peerOf } from './peer.ts';
import { SharedBound } from './shared-bound.ts';

export const connectionsMax = 10_000;

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
  enter(remoteAddress: string | undefined): 'entered' | RejectionReason {
    const outcome = this.#open.reserve(this.#networkOf(remoteAddress), 1);
    if (outcome === 'reserved') return 'entered';
    const reason = outcome === 'total' ? 'full' : 'address';
    this.countRejection(reason);
    return reason;
  }

  countRejection(reason: RejectionReason): void {
    this.#rejected[reason] += 1;
  }

  leave(remoteAddress: string | undefined): void {
    this.#open.release(this.#networkOf(remoteAddress), 1);
  }

  /** Returns undefined for this machine and for trusted proxies, whose connections only the total limits. */
  #networkOf(remoteAddress: string | undefined): string | undefined {
    const peer = peerOf(remoteAddress, this.#isTrusted);
    return peer.isLoopback || peer.isTrusted ? undefined : networkOf(peer.address);
  }
}
