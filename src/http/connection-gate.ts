// Limits connections: in total, from one address, and from one network.
import { addressBucket } from '../network/address-buckets.ts';
import { peerOf } from './peer.ts';
import { SharedBound, type Bounds } from './shared-bound.ts';

export type ConnectionCounts = {
  readonly open: number;
  /** Rejected connections since the start, by the limit that was reached. */
  readonly rejected: Readonly<Record<RejectionReason, number>>;
};
type RejectionReason = 'full' | 'address' | 'network';

type ConnectionGateOptions = {
  readonly connectionsMax: number;
  readonly perAddressMax: number;
  /** Whether this is the address of a trusted proxy, which forwards the requests of many clients. */
  readonly isTrusted: (address: string) => boolean;
};

const reasons: Readonly<Record<keyof Bounds, RejectionReason>> = {
  total: 'full',
  perAddress: 'address',
  perNetwork: 'network',
};

export class ConnectionGate {
  readonly connectionsMax: number;
  readonly perAddressMax: number;
  readonly #isTrusted: ConnectionGateOptions['isTrusted'];
  readonly #open: SharedBound;
  readonly #rejected = { full: 0, address: 0, network: 0 };

  constructor({ connectionsMax, perAddressMax, isTrusted }: ConnectionGateOptions) {
    this.connectionsMax = connectionsMax;
    this.perAddressMax = perAddressMax;
    this.#isTrusted = isTrusted;
    const perNetwork = Math.max(perAddressMax, Math.floor(connectionsMax / networksMin));
    this.#open = new SharedBound({ total: connectionsMax, perAddress: perAddressMax, perNetwork });
  }

  get counts(): ConnectionCounts {
    return { open: this.#open.used, rejected: { ...this.#rejected } };
  }

  /** Counts a connection from this address until `leave`, or returns why it is rejected. */
  enter(remoteAddress: string | undefined): 'entered' | RejectionReason {
    const outcome = this.#open.reserve(this.bucketOf(remoteAddress), 1);
    if (outcome === 'reserved') return 'entered';
    this.countRejection(reasons[outcome]);
    return reasons[outcome];
  }

  countRejection(reason: RejectionReason): void {
    this.#rejected[reason] += 1;
  }

  leave(remoteAddress: string | undefined): void {
    this.#open.release(this.bucketOf(remoteAddress), 1);
  }

  /** Returns undefined for this machine and for trusted proxies: only the total limits their connections. */
  bucketOf(remoteAddress: string | undefined): string | undefined {
    const peer = peerOf(remoteAddress, this.#isTrusted);
    return peer.isLoopback || peer.isTrusted ? undefined : addressBucket(peer.address);
  }
}

/** It takes at least this many networks to use all connections. */
const networksMin = 4;
