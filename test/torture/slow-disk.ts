// `npm run check:slow-disk`: if each sync takes 30 ms longer, reads don't wait for writes, and writes share
// syncs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { admin } from '../support/service.ts';
import { startChild, type ChildService } from './child-service.ts';
import { buildLibrary } from './fault-support.ts';
import { median, openLanes, pace, percentile, request, rush, type Lane } from './lanes.ts';
import { createLoadClient } from './load-client.ts';
import { writeBeside } from './write-load.ts';

const readsPerSecond = 1_500;
const writesPerSecond = 200;
const ratioMax = 1.5;
const writersCount = 64;
/** The share of the writes that are possible if each waits for two syncs: the one that runs, and its own. */
const durableShareMin = 0.9;
const orders = 2_000;

type Disk = {
  readonly service: ChildService;
  readonly readers: readonly Lane[];
  readonly write: string;
  readonly next: () => string;
};

const options = {
  rounds: { type: 'string', default: '7' },
  seconds: { type: 'string', default: '3' },
  milliseconds: { type: 'string', default: '30' },
} as const;
const { values } = parseArgs({ options });
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), 'orderly-slow-'));
const disks: Disk[] = [];

try {
  const slow = await prepare('slow', {
    LD_PRELOAD: buildLibrary('native/slow-sync.c', folder),
    SLOW_SYNC_MS: values.milliseconds,
  });
  // At full speed, as in a benchmark.
  const full = await compare(
    'reads at full speed',
    (disk) => rush(disk.readers, reading(disk)).then(({ times }) => times),
    slow,
  );
  // At a steady rate below that, a read waits only for the thread's work on writes, which any disk needs; so
  // the slow disk is also compared with a fast one here. The fast one starts only now, since the service ends
  // connections that are idle for long.
  const fast = await prepare('fast', {});
  const paced = await compare(
    `${readsPerSecond} reads/s`,
    ({ readers, next }) => pace(readers, { perSecond: readsPerSecond, seconds, status: 200, next }),
    slow,
    fast,
  );
  const writers = await openLanes(slow.service.port, writersCount);
  const { perSecond, times } = await rush(writers, { seconds, status: 201, next: () => slow.write });
  const durableMin = (durableShareMin * writersCount * 1_000) / (2 * Number(values.milliseconds));
  console.log(
    `durable writes from ${writersCount} connections: ${Math.round(perSecond)}/s (at least ` +
      `${Math.round(durableMin)}), ${latency(times)}`,
  );
  for (const lane of writers) lane.close();
  process.exitCode = full.toAlone <= ratioMax && paced.toFast <= ratioMax && perSecond >= durableMin ? 0 : 1;
} finally {
  for (const { service, readers } of disks) {
    for (const lane of readers) lane.close();
    await service.kill('SIGTERM');
  }
  rmSync(folder, { recursive: true });
}

/** A service with some orders, and connections to read them with. */
async function prepare(name: string, environment: Readonly<Record<string, string>>): Promise<Disk> {
  const service = await startChild({ folder: join(folder, name), environment });
  const client = createLoadClient(service.port);
  const {
    thing: { accessToken },
  } = await client.ask({ method: 'POST', path: '/api/sessions', body: admin });
  const token = String(accessToken);
  const {
    thing: { id: customerId },
  } = await client.ask({ method: 'POST', path: '/customers', token, body: { name: 'Grace Hopper' } });
  client.close();
  const items = [
    { name: 'Green tea', quantity: 2, unitPrice: 749 },
    { name: 'Teapot', quantity: 1, unitPrice: 3_490 },
  ];
  const write = request('POST', '/orders', token, { customerId, currency: 'EUR', items });
  await writeBeside({ port: service.port, request: write, perSecond: orders / seconds, seconds });
  let read = 0;
  const disk = {
    service,
    write,
    readers: await openLanes(service.port, 8),
    next: () => request('GET', `/orders/${1 + ((read += 1) % orders)}`, token),
  };
  disks.push(disk);
  await rush(disk.readers, reading(disk));
  return disk;
}

function reading({ next }: Pick<Disk, 'next'>): {
  readonly seconds: number;
  readonly status: number;
  readonly next: () => string;
} {
  return { seconds, status: 200, next };
}

/**
 * The p99 of reads during writes, divided by that of reads alone and by that during writes on a fast disk.
 * They are measured in turn; each is the median of all rounds.
 */
async function compare(
  name: string,
  readAll: (disk: Disk) => Promise<number[]>,
  slow: Disk,
  fast?: Disk,
): Promise<{ readonly toAlone: number; readonly toFast: number }> {
  const p99s: { readonly alone: number[]; readonly beside: number[]; readonly fast: number[] } = {
    alone: [],
    beside: [],
    fast: [],
  };
  const besideWrites = async (disk: Disk, into: number[]): Promise<string> => {
    const [reads, writes] = await Promise.all([
      readAll(disk),
      writeBeside({ port: disk.service.port, request: disk.write, perSecond: writesPerSecond, seconds }),
    ]);
    into.push(percentile(reads, 0.99));
    return `${latency(reads)}, the writes ${latency(writes)}`;
  };
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const alone = await readAll(slow);
    p99s.alone.push(percentile(alone, 0.99));
    const onFast = fast === undefined ? '' : `; on a fast disk ${await besideWrites(fast, p99s.fast)}`;
    console.log(
      `${name}: alone ${latency(alone)}; beside ${writesPerSecond} writes/s ` +
        `${await besideWrites(slow, p99s.beside)}${onFast}`,
    );
  }
  const [alone, beside, onFast] = [median(p99s.alone), median(p99s.beside), median(p99s.fast)];
  const toFast = Number.isNaN(onFast)
    ? ''
    : `, ${onFast.toFixed(2)} ms beside writes on a fast disk: ratio ${(beside / onFast).toFixed(2)}`;
  console.log(
    `p99 of ${name}: ${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} ms beside writes: ` +
      `ratio ${(beside / alone).toFixed(2)}${toFast}`,
  );
  return { toAlone: beside / alone, toFast: beside / onFast };
}

function latency(sorted: readonly number[]): string {
  return (
    `p50 ${percentile(sorted, 0.5).toFixed(2)}, p99 ${percentile(sorted, 0.99).toFixed(2)} ms ` +
    `(${sorted.length})`
  );
}
