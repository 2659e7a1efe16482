// How much of the machine the service may use: read once at the start. All bounds that depend on it are here.
//
// | memory   | cache  | SQLite's cache | passwords hashed at once | unread responses | connections |
// |----------|--------|----------------|--------------------------|------------------|-------------|
// | M        | M / 16 | M / 32         | below 256 MiB 1          | M / 8            | M / 4       |
// | at most  | 16 MiB | 8 MiB          | 2                        | 64 MiB           |             |
//
// The WAL may take a third of the room that it and the free space of its disk have together.
import { readFileSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

const mebibyte = 1024 ** 2;
const memoryForTwoHashes = 256 * mebibyte;

/** Returns the bounds for a machine, or a control group, with this memory. */
export function capacityOf(memoryBytes: number) {
  return {
    memoryBytes,
    cacheBytes: Math.min(16 * mebibyte, Math.floor(memoryBytes / 16)),
    /** Kibibytes that SQLite may cache for the connection that writes. */
    pageCacheKibibytes: Math.min(8 * 1024, Math.floor(memoryBytes / 32 / 1024)),
    hashesAtOnce: memoryBytes < memoryForTwoHashes ? 1 : 2,
    /** The bytes that all unread responses may hold. */
    unsentBytes: Math.min(64 * mebibyte, Math.floor(memoryBytes / 8)),
    /** The bytes that all connections may hold, with the data that have arrived on them. */
    connectionBytes: Math.floor(memoryBytes / 4),
  } as const;
}

/** Without a limit, `constrainedMemory` is 0, or, in a control group of version 1, beyond any memory. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit === 0 ? totalmem() : Math.min(limit, totalmem());
}

/** The capacity of this process. */
export const capacity = capacityOf(memoryBytes());

/**
 * Returns the memory that can be allocated now. In a control group these are the bytes that this process
 * doesn't use, since the kernel drops cached files; on a whole machine, others use memory as well.
 */
export function freeMemoryBytes(): number {
  // 0 without /proc, as in a bare chroot
  if (capacity.memoryBytes === totalmem()) return process.availableMemory() || Infinity;
  return capacity.memoryBytes - anonymousBytes();
}

function anonymousBytes(): number {
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
  return kibibytes === undefined ? process.memoryUsage.rss() : Number(kibibytes) * 1024;
}

/** Returns the free space of a folder's disk, without the part reserved for root; Infinity if it is unknown. */
export function freeDiskBytes(folder: string): number {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return blocks === 0 ? Infinity : bavail * bsize; // some file systems of FUSE report no size
  } catch {
    return Infinity;
  }
}
