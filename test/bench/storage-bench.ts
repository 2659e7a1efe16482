// Compares the write path with the simple way (a transaction with a sync for each request) in one run. Not a
// test:   node test/bench/storage-bench.ts [--seconds N] [--writers N] [--sync-milliseconds N] [--only
// grouped|simple]
import { fdatasync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { openDatabase } from '../../src/storage/database.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    writers: { type: 'string', default: '64' },
    'sync-milliseconds': { type: 'string', default: '0' },
    only: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const writers = Number(values.writers);
const syncMilliseconds = Number(values['sync-milliseconds']);

const schema = `
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY, status TEXT NOT NULL, customerId INTEGER NOT NULL, userId INTEGER,
    currency TEXT NOT NULL, items TEXT NOT NULL, total INTEGER NOT NULL,
    createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ordersByCustomer ON orders (customerId, createdAt);
  CREATE INDEX ordersByUser ON orders (userId, createdAt);
  CREATE INDEX ordersByStatus ON orders (status, createdAt);
  CREATE INDEX ordersByTotal ON orders (total, id)`;
const insert =
  'INSERT INTO orders (status, customerId, userId, currency, items, total, createdAt, ' +
  'updatedAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
const items = JSON.stringify(
  Array.from({ length: 3 }, (_, index) => ({
    sku: `sku-${index}`,
    name: 'A thing that people order by the dozen',
    quantity: 2,
    unitPrice: 1999,
    total: 3998,
  })),
);

function order(number: number): [string, number, number, string, string, number, number, number] {
  const time = 1.7e12 + number;
  return [
    'open',
    (number * 7919) % 20_000,
    (number * 104_729) % 5_000,
    'EUR',
    items,
    (number * 31) % 100_000,
    time,
    time,
  ];
}

type Way = { write(number: number): Promise<unknown>; end(): Promise<void>; note(): string };

async function grouped(folder: string): Promise<Way> {
  const slow: typeof fdatasync = ((descriptor, done) =>
    fdatasync(descriptor, (error) => setTimeout(done, syncMilliseconds, error))) as typeof fdatasync;
  const database = await openDatabase({
    folder,
    migrations: [{ feature: 'orders', name: 'orders', sql: schema }],
    onSync() {},
    onFatal(error) {
      throw error;
    },
    ...(syncMilliseconds > 0 && { fdatasync: slow }),
  });
  return {
    write: (number) => database.write((db) => db.run(insert, ...order(number)).lastId),
    end: () => database.close(),
    note: () =>
      `${database.stats.commits} commits, with syncs of ` +
      `${((database.stats.syncSeconds.sum / database.stats.commits) * 1e3).toFixed(2)} ms, ` +
      `${database.stats.checkpoints} checkpoints`,
  };
}

async function simple(folder: string): Promise<Way> {
  const sqlite = new DatabaseSync(join(folder, 'simple.db'));
  sqlite.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${schema}`);
  const [begin, add, commit] = [
    sqlite.prepare('BEGIN IMMEDIATE'),
    sqlite.prepare(insert),
    sqlite.prepare('COMMIT'),
  ];
  return {
    write: async (number) => {
      await new Promise((resolve) => setImmediate(resolve));
      begin.run();
      add.run(...order(number));
      commit.run();
    },
    end: async () => sqlite.close(),
    note: () => 'a sync per write, on the event loop',
  };
}

async function measure(name: string, open: (folder: string) => Promise<Way>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-bench-'));
  const way = await open(folder);
  let number = 0;
  const latencies: number[] = [];
  const run = async (until: number): Promise<void> => {
    for (let now = performance.now(); now < until;) {
      await way.write(number++);
      const then = performance.now();
      latencies.push(then - now);
      now = then;
    }
  };
  const all = (until: number): Promise<unknown> =>
    Promise.all(Array.from({ length: writers }, () => run(until)));
  await all(performance.now() + 1000);
  latencies.length = 0;
  const first = number;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const [cpu, thread, start] = [process.cpuUsage(), process.threadCpuUsage(), performance.now()];
  await all(start + seconds * 1000);
  delay.disable();
  const took = (performance.now() - start) / 1000;
  const [cpuUsed, threadUsed] = [process.cpuUsage(cpu), process.threadCpuUsage(thread)];
  const count = number - first;
  const perWrite = (used: { user: number; system: number }): string =>
    ((used.user + used.system) / count).toFixed(1);
  latencies.sort((a, b) => a - b);
  const at = (share: number): string => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1);
  console.log(
    `${name}: ${Math.round(count / took)} durable inserts/s; CPU ${perWrite(threadUsed)} µs each ` +
      `on the main thread, ${perWrite(cpuUsed)} on all;` +
      ` latency p50 ${at(0.5)} p99 ${at(0.99)} max ${(latencies.at(-1) ?? 0).toFixed(1)} ms;` +
      ` event loop late by p99 ${(delay.percentile(99) / 1e6).toFixed(1)} max ` +
      `${(delay.max / 1e6).toFixed(1)} ms; ${way.note()}`,
  );
  await way.end();
  rmSync(folder, { recursive: true });
}

if (values.only !== 'simple') await measure('grouped', grouped);
if (values.only !== 'grouped') await measure('simple ', simple);
