// Limits the connections: in total, of one address, and of one network.
import { readFileSync } from 'node:fs';
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
  readonly #isTrusted: ConnectionGateOptions['isTrusted'];
  readonly #open: SharedBound;
  readonly #rejected = { full: 0, address: 0, network: 0 };

  constructor({ connectionsMax, perAddressMax, isTrusted }: ConnectionGateOptions) {
    this.connectionsMax = connectionsMax;
    this.#isTrusted = isTrusted;
    const perNetwork = Math.max(perAddressMax, Math.floor(connectionsMax / networksMin));
    this.#open = new SharedBound({ total: connectionsMax, perAddress: perAddressMax, perNetwork });
  }

  get counts(): ConnectionCounts {
    return { open: this.#open.used, rejected: { ...this.#rejected } };
  }

  /** Counts a connection from this address until `leave`, or returns why it is rejected. */
  enter(remoteAddress: string | undefined): 'entered' | RejectionReason {
    const outcome = this.#open.reserve(this.#bucketOf(remoteAddress), 1);
    if (outcome === 'reserved') return 'entered';
    this.countRejection(reasons[outcome]);
    return reasons[outcome];
  }

  countRejection(reason: RejectionReason): void {
    this.#rejected[reason] += 1;
  }

  leave(remoteAddress: string | undefined): void {
    this.#open.release(this.#bucketOf(remoteAddress), 1);
  }

  /** Returns undefined for this machine and for trusted proxies: only the total limits their connections. */
  #bucketOf(remoteAddress: string | undefined): string | undefined {
    const peer = peerOf(remoteAddress, this.#isTrusted);
    return peer.isLoopback || peer.isTrusted ? undefined : addressBucket(peer.address);
  }
}

/** It takes at least this many networks to use all connections. */
const networksMin = 4;

/** The files that the service itself opens, among them those of its database and its threads. */
const ownFilesMax = 100;

/** Returns how many files this process may have open; undefined if the system sets no limit. */
export function openFilesMax(): number | undefined {
  const limits = linuxLimits();
  const soft = limits === undefined ? reportedOpenFilesMax() : /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** Returns undefined if the system has no such file, or doesn't let this process read it. */
function linuxLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return undefined;
  }
}

/** Returns the limit on any system; creating the report delays the start by 20 ms. */
export function reportedOpenFilesMax(): number | undefined {
  // the type of `report` lacks `excludeNetwork`
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  report.excludeNetwork = true; // otherwise the report waits for look-ups of names
  // the type has only the member that is read; `soft` may also be "unlimited"
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/** Lowers the number of connections so far that the service has enough files for itself. */
export function connectionsWithin(filesMax: number | undefined, connectionsMax: number): number {
  return Math.min(connectionsMax, (filesMax ?? Infinity) - ownFilesMax);
}
