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
import { runCommand, startChild, type ChildService } from '../support/child-service.ts';
import { blockOf, paste } from '../support/page-blocks.ts';
import { withSmallDisk, type SmallDisk } from '../support/small-disk.ts';
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
const writer = new OrderWriter();
const started = Date.now();
let walBytesMax = 0;

try {
  const skip = (): void => assert.fail('this account may not mount a tmpfs');
  await withSmallDisk({ skip }, diskMegabytes, (own) =>
    withSmallDisk({ skip }, diskMegabytes, (replicas) => check(own, replicas)),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** `own` is the disk of the service, with Litestream's files beside the database; `replicas` that of the second machine. */
async function check(own: SmallDisk, replicas: SmallDisk): Promise<void> {
  const data = join(own.folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const database = join(data, 'orderly.db');
  const program = join(
    folderWith('litestream', folder),
    'node_modules/@flydotio/litestream-linux-x64/litestream',
  );
  const litestream = new Litestream(program, { folder, database, replica: replicas.folder });
  console.log(`Litestream ${await litestream.version()}, ${values.minutes} minutes`);
  let service: ChildService | undefined;
  const startService = async (): Promise<void> => {
    service = await startChild({ folder: data, settings: { checkpoints: 'litestream' } });
    await writer.connect(service.port);
  };
  const stopService = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    writer.disconnect();
    await service?.kill(signal);
  };
  const watching = setInterval(() => {
    const { size = 0 } = statSync(`${database}-wal`, { throwIfNoEntry: false }) ?? {};
    walBytesMax = Math.max(walBytesMax, size);
  }, 200);

  const disturbances: Readonly<Record<string, () => Promise<void>>> = {
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

  try {
    await startService();
    litestream.start();
    writer.start();
    for (const [name, disturb] of Object.entries(disturbances)) {
      await disturb();
      await pause(milliseconds / 9);
      await reportRestored(name, litestream, data);
    }
    assert.equal(await litestream.generations(), 1, 'Litestream had to start a new generation');

    // as in a fire: only what Litestream hadn't copied yet is lost
    const lostAt = Date.now();
    await Promise.all([stopService('SIGKILL'), litestream.kill()]);
    const { missing, orders } = await restored(litestream, data);
    const lostMilliseconds = lostAt - Math.min(lostAt, ...missing.map(({ at }) => at));
    const all = `${orders} of ${writer.acknowledged.length} acknowledged orders restored`;
    console.log(`the machine is lost: ${all}, ${(lostMilliseconds / 1000).toFixed(1)} s lost`);
    assert.ok(lostMilliseconds <= lagMillisecondsMax);
    reportLoad();

    // Litestream is away until the service checkpoints by itself, which only costs a new generation
    await startService();
    writer.isFast = true;
    while (service?.written().includes('Litestream has not checkpointed the WAL') !== true) await pause(100);
    writer.isFast = false;
    litestream.start();
    await pause(milliseconds / 9);
    await reportRestored('Litestream was away for 256 MiB', litestream, data);
    assert.equal(await litestream.generations(), 2);
    reportLoad();
  } finally {
    clearInterval(watching);
    await writer.end();
    await stopService('SIGKILL');
    await litestream.kill();
  }
}

async function ordersOf(count: number): Promise<void> {
  const before = writer.acknowledged.length;
  while (writer.acknowledged.length < before + count) await pause(100);
}

/** Orders that were acknowledged a while ago must be there. */
async function reportRestored(name: string, litestream: Litestream, data: string): Promise<void> {
  const before = Date.now() - lagMillisecondsMax;
  const { missing, orders } = await restored(litestream, data);
  const late = missing.filter(({ at }) => at < before).length;
  const wrote = litestream.written().slice(-3_000);
  assert.equal(late, 0, `${late} orders aren't in the replica; Litestream wrote: ${wrote}`);
  const seconds = String(Math.round((Date.now() - started) / 1000)).padStart(5);
  const counts = `${orders} orders restored, ${missing.length} not copied yet`;
  console.log(`${seconds} s  ${name}: ${counts}, generations: ${await litestream.generations()}`);
}

type Restored = { readonly missing: readonly Acknowledged[]; readonly orders: number };

/** A restored copy is sound, and lacks at most the newest orders. */
async function restored(litestream: Litestream, data: string): Promise<Restored> {
  const second = join(folder, 'second');
  rmSync(second, { recursive: true, force: true });
  mkdirSync(second);
  const acknowledged = writer.acknowledged.slice();
  await litestream.restore(second);
  cpSync(join(data, 'secret.key'), join(second, 'keys', 'secret.key'));
  await paste(blockOf('second-machine.md', 'mkdir -m 700 data'), second);
  using copy = new DatabaseSync(join(second, 'data', 'orderly.db'), { readOnly: true });
  const { highest, orders } =
    copy.prepare('SELECT coalesce(max(id), 0) AS highest, count(*) AS orders FROM orders').get() ?? {};
  assert.equal(highest, orders, 'an order is missing in between');
  return { missing: acknowledged.filter(({ id }) => id > Number(highest)), orders: Number(orders) };
}

function reportLoad(): void {
  const times = writer.times.splice(0).toSorted((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  const wal = `the WAL had at most ${(walBytesMax / 1e6).toFixed(0)} MB`;
  const most = (times.at(-1) ?? 0).toFixed(0);
  console.log(`         ${wal}; an order took ${p99.toFixed(0)} ms (99 %), ${most} ms at most`);
}
