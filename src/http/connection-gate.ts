// Which connections are accepted: a number in all, of one address, and of one network.
import { readFileSync } from 'node:fs';
import { addressBucket } from '../network/address-buckets.ts';
import { peerOf } from './peer.ts';
import { SharedBound, type Bounds } from './shared-bound.ts';

export type ConnectionCounts = {
  readonly open: number;
  /** Since the start, by reason: the limit in total, of the address, or of its network is reached. */
  readonly rejected: Readonly<Record<RejectionReason, number>>;
};
type RejectionReason = 'full' | 'address' | 'network';

type ConnectionGateOptions = {
  readonly connectionsMax: number;
  readonly perAddressMax: number;
  /** A trusted proxy forwards the requests of many clients. */
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

  /** Counts a connection from this address, until `leave`; or returns why it is rejected. */
  enter(remoteAddress: string | undefined): RejectionReason | undefined {
    const exceeded = this.#open.reserve(this.#bucketOf(remoteAddress), 1);
    if (exceeded === undefined) return undefined;
    this.countRejection(reasons[exceeded]);
    return reasons[exceeded];
  }

  countRejection(reason: RejectionReason): void {
    this.#rejected[reason] += 1;
  }

  leave(remoteAddress: string | undefined): void {
    this.#open.release(this.#bucketOf(remoteAddress), 1);
  }

  /** Undefined for this machine and trusted proxies, which have no bound of their own. */
  #bucketOf(remoteAddress: string | undefined): string | undefined {
    const peer = peerOf(remoteAddress, this.#isTrusted);
    return peer.isLoopback || peer.isTrusted ? undefined : addressBucket(peer.address);
  }
}

/** At least this many networks are needed to use all connections. */
const networksMin = 4;

/** Files that the service itself opens, among them those of its database and its threads. */
const ownFilesMax = 100;

/** How many files this process may have open; undefined if the system sets no limit. */
export function openFilesMax(): number | undefined {
  const limits = linuxLimits();
  const soft = limits === undefined ? reportedFilesMax() : /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** Undefined if the system has no such file, or doesn't let this process read it. */
function linuxLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return undefined;
  }
}

/** For all systems, but making a report takes 20 ms of the start. */
export function reportedFilesMax(): number | undefined {
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report; // its type lacks it
  report.excludeNetwork = true; // it would look up names, and wait for them
  // Of the documented members this one matters; "unlimited" is possible, too.
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/** How many connections leave the service the files that it needs itself. */
export function connectionsWithin(filesMax: number | undefined, connectionsMax: number): number {
  return Math.min(connectionsMax, (filesMax ?? Infinity) - ownFilesMax);
}
