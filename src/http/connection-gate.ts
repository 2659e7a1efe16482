// Which connections are taken: so many in all, and so many from one address.
import { addressBucket, peerOf } from './peer.ts';

export type ConnectionCounts = {
  readonly open: number;
  /** Since the start, by reason: all places are taken, or all of one address. */
  readonly refused: Readonly<Record<Refusal, number>>;
};
export type Refusal = 'full' | 'address';

type Options = {
  readonly connectionsMax: number;
  readonly perAddressMax: number;
  /** Many people's requests come through a trusted proxy. */
  readonly isTrusted: (address: string) => boolean;
};

export type ConnectionGate = ReturnType<typeof createConnectionGate>;

export function createConnectionGate({ connectionsMax, perAddressMax, isTrusted }: Options) {
  const openByAddress = new Map<string, number>();
  const refused = { full: 0, address: 0 };
  let open = 0;

  /** Takes a connection from this address, until `leave`; or returns why it is refused. */
  function enter(remoteAddress: string | undefined): Refusal | undefined {
    const refusal = refusalOf(remoteAddress);
    if (refusal !== undefined) {
      refuse(refusal);
      return refusal;
    }
    open += 1;
    count(remoteAddress, 1);
    return undefined;
  }

  function refuse(refusal: Refusal): void {
    refused[refusal] += 1;
  }

  function leave(remoteAddress: string | undefined): void {
    open -= 1;
    count(remoteAddress, -1);
  }

  function refusalOf(remoteAddress: string | undefined): Refusal | undefined {
    if (open >= connectionsMax) return 'full';
    const bucket = bucketOf(remoteAddress);
    return bucket !== undefined && (openByAddress.get(bucket) ?? 0) >= perAddressMax ? 'address' : undefined;
  }

  function count(remoteAddress: string | undefined, step: 1 | -1): void {
    const bucket = bucketOf(remoteAddress);
    if (bucket === undefined) return;
    const connections = (openByAddress.get(bucket) ?? 0) + step;
    if (connections > 0) openByAddress.set(bucket, connections);
    else openByAddress.delete(bucket);
  }

  function bucketOf(remoteAddress: string | undefined): string | undefined {
    const peer = peerOf(remoteAddress, isTrusted);
    return peer.isLoopback || peer.isTrusted ? undefined : addressBucket(peer.address);
  }

  return {
    connectionsMax,
    enter,
    leave,
    refuse,
    counts: (): ConnectionCounts => ({ open, refused: { ...refused } }),
  };
}

/** What the service itself opens, the connections of its database and its threads among them. */
const ownFilesMax = 100;

/** How many files this process may have open at once; undefined where the system has no such limit. */
export function openFilesMax(): number | undefined {
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report; // its type lacks it
  report.excludeNetwork = true; // it would look up names, and wait for them
  // Of the documented members this one matters; "unlimited" is possible, too.
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/** So many that clients can't take the files that the service itself needs. */
export function connectionsWithin(filesMax: number | undefined, connectionsMax: number): number {
  return Math.min(connectionsMax, (filesMax ?? Infinity) - ownFilesMax);
}
