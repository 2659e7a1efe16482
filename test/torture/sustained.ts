// `npm run check:wal`: under sustained writes, with slow lists and backups at the same time, the WAL stays
// short and nothing stalls the event loop.
import assert from 'node:assert';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand, startChild } from './child-service.ts';
import { openLanes, pace, percentile, request, rush } from './lanes.ts';
import { createLoadClient, type LoadClient } from './load-client.ts';
import type { Watched } from './loop-watch.ts';

const mebibyte = 2 ** 20;
const walBytesMax = 256 * mebibyte;
const delayMillisecondsMax = 5;
const writesPerSecond = 800;
/** How long a checkpoint is assumed to have run before the WAL was reset. */
const checkpointMilliseconds = 300;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, orders: { type: 'string', default: '200000' } },
});
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), 'orderly-sustained-'));
const data = join(folder, 'data');
const wal = join(data, 'orderly.db-wal');
const sample = await runCommand(data, ['sample', '--orders', values.orders]);
assert.equal(sample.code, 0, sample.output);
const watched = join(folder, 'watched.json');
const service = await startChild({
  folder: data,
  environment: {
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'loop-watch.ts')}`,
    LOOP_WATCH_WAL: wal,
    LOOP_WATCH_OUT: watched,
  },
});

try {
  const client = createLoadClient(service.port);
  const admin = JSON.parse(readFileSync(join(data, 'initial-admin.json'), 'utf8'));
  const {
    thing: { accessToken },
  } = await client.ask({ method: 'POST', path: '/api/sessions', body: admin });
  const token = String(accessToken);
  const write = request('POST', '/orders', token, {
    customerId: 1,
    currency: 'EUR',
    items: [
      { name: 'Green tea', quantity: 2, unitPrice: 749 },
      { name: 'Teapot', quantity: 1, unitPrice: 3_490 },
    ],
  });
  const writers = await openLanes(service.port, 64);
  const placing = { seconds, status: 201, next: () => write };
  let longest = 0;
  const measure = setInterval(() => {
    longest = Math.max(longest, statSync(wal, { throwIfNoEntry: false })?.size ?? 0);
  }, 20);
  const pacedFrom = Date.now();
  const paced = await pace(writers, { ...placing, perSecond: writesPerSecond });
  const pacedTo = Date.now();
  console.log(
    `${writesPerSecond} writes/s for ${seconds} s: ${latency(paced)}; WAL at most ${shown(longest)}`,
  );
  const longReads = startLongReads(client, token);
  const rushed = await rush(writers, placing);
  await longReads.end();
  clearInterval(measure);
  console.log(
    `as many as 64 connections send: ${Math.round(rushed.perSecond)} writes/s, ` +
      `${latency(rushed.times)}; WAL at most ${shown(longest)}`,
  );
  console.log(
    `at the same time slow lists: ${latency(longReads.lists)} (${longReads.lists.length}), and backups: ` +
      `median ${percentile(longReads.backups, 0.5).toFixed(0)} ms (${longReads.backups.length})`,
  );
  client.close();
  for (const lane of writers) lane.close();
  const { code } = await service.kill('SIGTERM');
  assert.equal(code, 0, service.written().slice(-2_000));
  const left = statSync(wal, { throwIfNoEntry: false })?.size ?? 0;
  const check = await runCommand(data, ['check']);

  const { delays, walResets } = JSON.parse(readFileSync(watched, 'utf8')) as Watched;
  const isCheckpointing = (at: number): boolean =>
    walResets.some((end) => at > end - checkpointMilliseconds && at <= end + 20);
  const within = (from: number, to: number, isIn: (at: number) => boolean): number[] =>
    delays
      .filter(([at]) => at >= from && at < to && isIn(at))
      .map(([, late]) => late)
      .sort((a, b) => a - b);
  const checkpointing = within(pacedFrom, pacedTo, isCheckpointing);
  const between = within(pacedFrom, pacedTo, (at) => !isCheckpointing(at));
  console.log(
    `event-loop delay at ${writesPerSecond} writes/s: while checkpointing ${distribution(checkpointing)}; ` +
      `between ${distribution(between)}`,
  );
  console.log(
    `the WAL was reset ${walResets.length} times, and has ${left} bytes after the end; check: ` +
      `${check.output.split('\n').at(-1)}`,
  );
  const isWithinLimits =
    longest <= walBytesMax &&
    walResets.length > 2 &&
    percentile(checkpointing, 0.99) <= delayMillisecondsMax &&
    left === 0 &&
    check.code === 0;
  process.exitCode = isWithinLimits ? 0 : 1;
} finally {
  await service.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}

/** Long reads, one after another: while they have a snapshot the WAL can't be reset. */
function startLongReads(
  client: LoadClient,
  token: string,
): { readonly lists: number[]; readonly backups: number[]; end(): Promise<void> } {
  const lists: number[] = [];
  const backups: number[] = [];
  let isOver = false;
  const list = async (): Promise<void> => {
    const { status, text } = await client.ask({
      method: 'GET',
      path: '/orders?total=true&sort=total&currency=EUR&createdFrom=2025-02-01T00:00:00.000Z&limit=10',
      token,
    });
    assert.equal(status, 200, text);
  };
  const backUp = async (): Promise<void> => {
    const file = join(folder, `${backups.length}.db`);
    const { code, output } = await runCommand(data, ['backup', file]);
    assert.equal(code, 0, output);
    rmSync(file);
  };
  const repeat = async (work: () => Promise<void>, times: number[]): Promise<void> => {
    while (!isOver) {
      const start = performance.now();
      await work();
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
  };
  const all = Promise.all([repeat(list, lists), repeat(list, lists), repeat(backUp, backups)]);
  return {
    lists,
    backups,
    end: () => {
      isOver = true;
      return all.then(() => {});
    },
  };
}

function latency(sorted: readonly number[]): string {
  return `p50 ${percentile(sorted, 0.5).toFixed(2)}, p99 ${percentile(sorted, 0.99).toFixed(2)} ms`;
}

function shown(bytes: number): string {
  return `${Math.round(bytes / mebibyte)} MiB`;
}

function distribution(sorted: readonly number[]): string {
  return (
    `p50 ${percentile(sorted, 0.5).toFixed(2)}, p99 ${percentile(sorted, 0.99).toFixed(2)}, ` +
    `worst ${(sorted.at(-1) ?? 0).toFixed(1)} ms (${sorted.length})`
  );
}
