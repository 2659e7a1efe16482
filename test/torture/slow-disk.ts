// `npm run check:slow-disk`: with every sync slowed by 30 ms reads don't wait for writes, and writes share their syncs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { admin } from '../service.ts';
import { startChild } from './child-service.ts';
import { buildLibrary } from './fault-support.ts';
import { median, openLanes, pace, percentile, request, rush } from './lanes.ts';
import { createLoadClient } from './load-client.ts';
import { writeBeside } from './write-load.ts';

const readsPerSecond = 1_500;
const writesPerSecond = 200;
const ratioMax = 1.5;
const durablePerSecondMin = 1_000;
const orders = 2_000;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' }, seconds: { type: 'string', default: '3' }, milliseconds: { type: 'string', default: '30' }, cache: { type: 'string', default: '33554432' } } });
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), 'orderly-slow-'));
const service = await startChild({
  folder: join(folder, 'data'), settings: { 'cache-bytes': values.cache },
  environment: { LD_PRELOAD: buildLibrary('../bench/slow-sync.c', folder), SLOW_SYNC_MS: values.milliseconds },
});

try {
  const client = createLoadClient(service.port);
  const { thing: { accessToken } } = await client.ask({ method: 'POST', path: '/api/sessions', body: admin });
  const token = String(accessToken);
  const { thing: { id: customerId } } = await client.ask({ method: 'POST', path: '/customers', token, body: { name: 'Grace Hopper' } });
  client.close();
  const write = request('POST', '/orders', token, { customerId, currency: 'EUR', items: [{ name: 'Green tea', quantity: 2, unitPrice: 749 }, { name: 'Teapot', quantity: 1, unitPrice: 3_490 }] });
  const readers = await openLanes(service.port, 8);
  await writeBeside({ port: service.port, request: write, perSecond: orders / seconds, seconds });
  let read = 0;
  const reading = { perSecond: readsPerSecond, seconds, status: 200, next: () => request('GET', `/orders/${1 + (read += 1) % orders}`, token) };
  await pace(readers, reading);

  const paces = { [`${readsPerSecond} reads/s`]: () => pace(readers, reading), 'reads at full speed': () => rush(readers, reading).then(({ times }) => times) };
  const ratios = [];
  for (const [name, readAll] of Object.entries(paces)) {
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      const before = await readAll();
      const [during, written] = await Promise.all([readAll(), writeBeside({ port: service.port, request: write, perSecond: writesPerSecond, seconds })]);
      alone.push(percentile(before, 0.99));
      beside.push(percentile(during, 0.99));
      console.log(`round ${round}, ${name}: alone ${latency(before)}; beside ${writesPerSecond} writes/s ${latency(during)}; writes ${latency(written)}`);
    }
    const ratio = median(beside) / median(alone);
    ratios.push(ratio);
    console.log(`p99 of ${name}: ${median(alone).toFixed(2)} ms alone, ${median(beside).toFixed(2)} ms beside writes, ratio ${ratio.toFixed(2)} (at most ${ratioMax})`);
  }
  const writers = await openLanes(service.port, 64);
  const { perSecond, times } = await rush(writers, { seconds, status: 201, next: () => write });
  console.log(`durable writes from 64 connections: ${Math.round(perSecond)}/s (at least ${durablePerSecondMin}), ${latency(times)}`);
  process.exitCode = Math.max(...ratios) <= ratioMax && perSecond >= durablePerSecondMin ? 0 : 1;
  for (const lane of [...readers, ...writers]) lane.close();
} finally {
  await service.kill('SIGTERM');
  rmSync(folder, { recursive: true });
}

function latency(sorted: readonly number[]): string {
  return `p50 ${percentile(sorted, 0.5).toFixed(2)}, p99 ${percentile(sorted, 0.99).toFixed(2)} ms (${sorted.length})`;
}
