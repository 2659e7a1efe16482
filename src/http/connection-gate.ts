// Which connections are accepted: a number in all, and a number from one address.
import { addressBucket, peerOf } from './peer.ts';

export type ConnectionCounts = {
  readonly open: number;
  /** Since the start, by reason: the limit in total, or that of the address, is reached. */
  readonly rejected: Readonly<Record<RejectionReason, number>>;
};
export type RejectionReason = 'full' | 'address';

type Options = {
  readonly connectionsMax: number;
  readonly perAddressMax: number;
  /** A trusted proxy forwards the requests of many clients. */
  readonly isTrusted: (address: string) => boolean;
};

export class ConnectionGate {
  readonly connectionsMax: number;
  readonly #perAddressMax: number;
  readonly #isTrusted: Options['isTrusted'];
  readonly #openByAddress = new Map<string, number>();
  readonly #rejected = { full: 0, address: 0 };
  #open = 0;

  constructor({ connectionsMax, perAddressMax, isTrusted }: Options) {
    this.connectionsMax = connectionsMax;
    this.#perAddressMax = perAddressMax;
    this.#isTrusted = isTrusted;
  }

  get counts(): ConnectionCounts {
    return { open: this.#open, rejected: { ...this.#rejected } };
  }

  /** Counts a connection from this address, until `leave`; or returns why it is rejected. */
  enter(remoteAddress: string | undefined): RejectionReason | undefined {
    const reason = this.#rejectionReason(remoteAddress);
    if (reason !== undefined) {
      this.countRejection(reason);
      return reason;
    }
    this.#open += 1;
    this.#count(remoteAddress, 1);
    return undefined;
  }

  countRejection(reason: RejectionReason): void {
    this.#rejected[reason] += 1;
  }

  leave(remoteAddress: string | undefined): void {
    this.#open -= 1;
    this.#count(remoteAddress, -1);
  }

  #rejectionReason(remoteAddress: string | undefined): RejectionReason | undefined {
    if (this.#open >= this.connectionsMax) return 'full';
    const bucket = this.#bucketOf(remoteAddress);
    if (bucket === undefined) return undefined;
    return (this.#openByAddress.get(bucket) ?? 0) >= this.#perAddressMax ? 'address' : undefined;
  }

  #count(remoteAddress: string | undefined, step: 1 | -1): void {
    const bucket = this.#bucketOf(remoteAddress);
    if (bucket === undefined) return;
    const connections = (this.#openByAddress.get(bucket) ?? 0) + step;
    if (connections > 0) this.#openByAddress.set(bucket, connections);
    else this.#openByAddress.delete(bucket);
  }

  /** Undefined for this machine and trusted proxies, which have no bound of their own. */
  #bucketOf(remoteAddress: string | undefined): string | undefined {
    const peer = peerOf(remoteAddress, this.#isTrusted);
    return peer.isLoopback || peer.isTrusted ? undefined : addressBucket(peer.address);
  }
}

/** Files that the service itself opens, among them those of its database and its threads. */
const ownFilesMax = 100;

/** How many files this process may have open; undefined where the system sets no limit. */
export function openFilesMax(): number | undefined {
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
