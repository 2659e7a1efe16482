// Lets the real Litestream replicate a service during continuous writes, while either is killed, stopped or
// unreachable and their disks are full, and compares the restored data with the acknowledged orders: `npm run
// check:litestream`, with `-- --minutes 20` for a longer run. npx fetches it.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { blockOf, paste } from '../support/second-machine-page.ts';
import { withSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { runCommand, startChild, type ChildService } from '../support/child-service.ts';
import { folderWith } from './check-api/outside-tools.ts';
import { Litestream } from './check-litestream/litestream.ts';
import { OrderWriter, type Acknowledged } from './check-litestream/order-writer.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '2' } } });
const milliseconds = Number(values.minutes) * 60_000;
assert(milliseconds >= 60_000 && milliseconds <= 3_600_000, '--minutes must be 1 to 60');

/** How far Litestream may lag behind: it polls once a second, and then copies. */
const lagMillisecondsMax = 5_000;
/** The orders of an hour in a shop with 24,000 a day. */
const hourOfOrders = 1_000;
const diskMegabytes = 2_048;
const folder = mkdtempSync(join(tmpdir(), 'orderly-check-'));
const second = join(folder, 'second');
const settings = { checkpoints: 'litestream' };
const writer = new OrderWriter();
let service: ChildService | undefined;
let data = '';
let walBytesMax = 0;

try {
  const skip = (): void => assert.fail('this account may not mount a tmpfs');
  await withSmallDisk({ skip }, diskMegabytes, (own) =>
    withSmallDisk({ skip }, diskMegabytes, (replicas) => check({ own, replicas })),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The disk of the service, with Litestream's files beside the database, and that of the second machine. */
type Disks = { readonly own: SmallDisk; readonly replicas: SmallDisk };

async function check(disks: Disks): Promise<void> {
  const tools = folderWith('litestream', folder);
  const program = join(tools, 'node_modules/@flydotio/litestream-linux-x64/litestream');
  data = join(disks.own.folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const replica = disks.replicas.folder;
  const litestream = new Litestream(program, { folder, database: databaseFile(), replica });
  try {
    await checkWith(litestream, disks);
  } finally {
    await writer.end();
    await service?.kill('SIGKILL');
    await litestream.kill();
  }
}

async function checkWith(litestream: Litestream, disks: Disks): Promise<void> {
  console.log(`Litestream ${await litestream.version()}, ${values.minutes} minutes`);
  await startService();
  litestream.start();
  writer.start();
  const watching = setInterval(noteWal, 200);
  for (const [name, disturb] of Object.entries(disturbancesOf(litestream, disks))) {
    await disturb();
    await pause(milliseconds / 9);
    report(name, await restoredNow(litestream), await litestream.generations());
  }
  assert.equal(await litestream.generations(), 1, 'Litestream had to start a new generation');
  await loseMachine(litestream);
  reportLoad();
  await stayAway(litestream);
  clearInterval(watching);
  reportLoad();
}

type Disturbances = Readonly<Record<string, () => Promise<void>>>;

function disturbancesOf(litestream: Litestream, { own, replicas }: Disks): Disturbances {
  return {
    'nothing happens': async () => {},
    'the service is killed': async () => {
      await stopService('SIGKILL');
      await startService();
    },
    'Litestream is killed': async () => {
      await litestream.kill();
      await pause(2_000);
      litestream.start();
    },
    'Litestream was away for an hour of orders': async () => {
      await litestream.kill();
      await ordersOf(hourOfOrders);
      litestream.start();
    },
    'the service is stopped and started': async () => {
      await stopService('SIGTERM');
      await startService();
    },
    'the service is restarted while Litestream is away': async () => {
      await litestream.kill();
      await stopService('SIGTERM');
      await startService();
      await pause(2_000);
      litestream.start();
    },
    'the disk of the replica was full': async () => {
      replicas.fill();
      await pause(milliseconds / 16);
      replicas.makeRoom();
      await litestream.kill(); // after such an error it writes nothing more until it is restarted
      litestream.start();
    },
    'the disk of the service was full': async () => {
      const before = writer.unavailable;
      own.fill();
      while (writer.unavailable === before) await pause(100); // the WAL was on its own disk
      await pause(milliseconds / 16);
      own.makeRoom();
      await ordersOf(1);
    },
    'a command writes': async () => {
      const args = ['admin', 'create', '--email', `admin${Date.now()}@example.com`];
      const { code, output } = await runCommand(data, args);
      assert.equal(code, 0, output);
    },
  };
}

/** Kills both at once, as in a fire: only what Litestream hadn't copied yet is lost. */
async function loseMachine(litestream: Litestream): Promise<void> {
  const lostAt = Date.now();
  await Promise.all([stopService('SIGKILL'), litestream.kill()]);
  const { missing, orders } = await restored(litestream);
  const oldest = Math.min(lostAt, ...missing.map(({ at }) => at));
  console.log(
    `the machine is lost: ${orders} of ${writer.acknowledged.length} acknowledged orders restored, ` +
      `${((lostAt - oldest) / 1000).toFixed(1)} s lost`,
  );
  assert.ok(lostAt - oldest <= lagMillisecondsMax);
}

/** Until the service checkpoints by itself, which only costs a new generation. */
async function stayAway(litestream: Litestream): Promise<void> {
  await startService();
  writer.isFast = true;
  while (service?.written().includes('Litestream has not checkpointed the WAL') !== true) await pause(100);
  writer.isFast = false;
  litestream.start();
  await pause(milliseconds / 9);
  report('Litestream was away for 256 MiB', await restoredNow(litestream), await litestream.generations());
  assert.equal(await litestream.generations(), 2);
}

async function ordersOf(count: number): Promise<void> {
  const before = writer.acknowledged.length;
  while (writer.acknowledged.length < before + count) await pause(100);
}

async function startService(): Promise<void> {
  service = await startChild({ folder: data, settings });
  await writer.connect(service.port);
}

async function stopService(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const stopping = service?.kill(signal);
  await writer.connect(undefined);
  await stopping;
}

function databaseFile(): string {
  return join(data, 'orderly.db');
}

function noteWal(): void {
  walBytesMax = Math.max(
    walBytesMax,
    statSync(`${databaseFile()}-wal`, { throwIfNoEntry: false })?.size ?? 0,
  );
}

type Restored = { readonly missing: readonly Acknowledged[]; readonly orders: number };

/** Orders that were acknowledged a while ago must be there. */
async function restoredNow(litestream: Litestream): Promise<Restored> {
  const before = Date.now() - lagMillisecondsMax;
  const found = await restored(litestream);
  const late = found.missing.filter(({ at }) => at < before).length;
  assert.equal(
    late,
    0,
    `${late} orders aren't in the replica; Litestream wrote: ${litestream.written.slice(-3_000)}`,
  );
  return found;
}

/** A restored copy is sound, and lacks at most the newest orders. */
async function restored(litestream: Litestream): Promise<Restored> {
  rmSync(second, { recursive: true, force: true });
  mkdirSync(second);
  const acknowledged = writer.acknowledged.slice();
  await litestream.restore(second);
  cpSync(join(data, 'secret.key'), join(second, 'keys', 'secret.key'));
  await paste(blockOf('Moving to the copy'), second);
  using sqlite = new DatabaseSync(join(second, 'data', 'orderly.db'), { readOnly: true, returnArrays: true });
  const [highest] = Object.values(sqlite.prepare('SELECT coalesce(max(id), 0) FROM orders').get() ?? {});
  const [orders] = Object.values(sqlite.prepare('SELECT count(*) FROM orders').get() ?? {});
  assert.equal(highest, orders, 'an order is missing in between');
  return { missing: acknowledged.filter(({ id }) => id > Number(highest)), orders: Number(orders) };
}

function report(name: string, { orders, missing }: Restored, generations: number): void {
  const seconds = Math.round((Date.now() - (writer.acknowledged[0]?.at ?? Date.now())) / 1000);
  console.log(
    `${String(seconds).padStart(5)} s  ${name}: ${orders} orders restored, ` +
      `${missing.length} not copied yet, generations: ${generations}`,
  );
}

function reportLoad(): void {
  const times = writer.times.splice(0).toSorted((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  console.log(
    `         the WAL had at most ${(walBytesMax / 1e6).toFixed(0)} MB; an order took ${p99.toFixed(0)} ms ` +
      `(99 %), ${(times.at(-1) ?? 0).toFixed(0)} ms at most`,
  );
}
