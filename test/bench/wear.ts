// `npm run bench:wear`: what an order, an idle time and a day of a shop write to the disk, by the counters of a loop
// device, beside SQLite alone with the same rows. Flash wears with each of these bytes. Needs root, for the device.
//
// The orders come one by one, as from a till: each is in a transaction of its own, with a sync of its own. A day is
// sold over the counter: each order is placed as delivered, so it has four events.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeLoopDisk, type LoopDisk } from '../support/loop-disk.ts';
import { startChild } from '../torture/child-service.ts';

const { values: options } = parseArgs({
  options: {
    /** Orders of a day, the same number of single orders before it, and orders that were there before. */
    orders: { type: 'string', default: '300' },
    before: { type: 'string', default: '20000' },
    /** Between two orders; ext4 writes its journal every five seconds. */
    'gap-milliseconds': { type: 'string', default: '500' },
    'idle-seconds': { type: 'string', default: '300' },
  },
});
const orders = Number(options.orders);
const before = Number(options.before);
const gapMilliseconds = Number(options['gap-milliseconds']);
const idleSeconds = Number(options['idle-seconds']);
const diskBytes = 2 * 1024 ** 3;
/** By then a service has written what it puts off, such as when a key was last used. */
const settleMilliseconds = 65_000;
const day = { status: 'delivered', payment: 'cash' };
const email = 'admin@example.com';

type Rows = { readonly order: SQLInputValue[]; readonly events: SQLInputValue[][] };

async function main(): Promise<void> {
  const disk = makeLoopDisk(diskBytes);
  try {
    const data = join(disk.folder, 'data');
    await command(['sample', '--orders', String(before), '--until', 'now', '--data', data]);
    await command(['admin', 'create', '--email', email, '--data', data]);
    const scopes = ['--scopes', 'orders:read,orders:write'];
    const made = await command([
      'keys',
      'create',
      '--email',
      email,
      '--name',
      'wear',
      ...scopes,
      '--data',
      data,
    ]);
    const [key = ''] = /ord_\S+/.exec(made) ?? [];
    const alone = join(disk.folder, 'alone');
    mkdirSync(alone);
    copyFileSync(join(data, 'orderly.db'), join(alone, 'orderly.db'));

    const service = await measureService(disk, data, key);
    const sqlite = await measureAlone(disk, alone, rowsOf(data));
    console.log('\n| | orderly | SQLite alone |\n|---|--:|--:|');
    console.log(
      `| an order, KB | ${kilobytes(service.single / orders)} | ${kilobytes(sqlite.single / orders)} |`,
    );
    console.log(`| ${idleSeconds} idle seconds, KB | ${kilobytes(service.idle)} | |`);
    console.log(
      `| a day of ${orders} orders with its start and stop, MB | ${megabytes(service.day)} | ${megabytes(sqlite.day)} |`,
    );
  } finally {
    disk.remove();
  }
}

async function measureService(disk: LoopDisk, folder: string, key: string) {
  const first = await startChild({ folder });
  const place = (more: object = {}) => placeOrder(first.port, key, more);
  const single = await bytesOf(disk, () => oneByOne(() => place()));
  await pause(settleMilliseconds);
  const idle = await bytesOf(disk, () => pause(idleSeconds * 1_000));
  await first.kill('SIGTERM');

  const ofDay = await bytesOf(disk, async () => {
    const second = await startChild({ folder });
    await oneByOne(() => placeOrder(second.port, key, day));
    await second.kill('SIGTERM');
  });
  return { single, idle, day: ofDay };
}

/** The same rows in the same tables, with a sync for each order and SQLite's own checkpoints. */
async function measureAlone(disk: LoopDisk, folder: string, rows: readonly Rows[]) {
  const open = () => {
    const database = new DatabaseSync(join(folder, 'orderly.db'));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    return database;
  };
  const rest = [...rows];
  const insert = (database: DatabaseSync) => async () => insertRows(database, rest.shift());
  const first = open();
  const single = await bytesOf(disk, () => oneByOne(insert(first)));
  first.close();
  const ofDay = await bytesOf(disk, async () => {
    const second = open();
    await oneByOne(insert(second));
    second.close();
  });
  return { single, day: ofDay };
}

async function bytesOf(disk: LoopDisk, use: () => Promise<unknown>): Promise<number> {
  const start = disk.writtenBytes();
  await use();
  return disk.writtenBytes() - start;
}

async function oneByOne(place: () => Promise<void>): Promise<void> {
  for (let count = 0; count < orders; count += 1) {
    await place();
    await pause(gapMilliseconds);
  }
}

async function placeOrder(port: number, key: string, more: object): Promise<void> {
  const items = [
    { sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 },
    { name: 'Teapot', quantity: 1, unitPrice: 3900 },
  ];
  const customerId = 1 + Math.floor(Math.random() * (before / 10));
  const response = await fetch(`http://127.0.0.1:${port}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ customerId, currency: 'EUR', items, ...more }),
  });
  if (response.status !== 201) throw new Error(await response.text());
}

/** The orders that the service placed, with their events. */
function rowsOf(folder: string): Rows[] {
  using database = new DatabaseSync(join(folder, 'orderly.db'), { readOnly: true, returnArrays: true });
  const events = database.prepare("SELECT * FROM events WHERE topic = 'order' AND topicId = ? ORDER BY id");
  const placed = database.prepare('SELECT * FROM orders WHERE id > ? ORDER BY id').all(before);
  return (placed as unknown as SQLInputValue[][]).map((order) => ({
    order,
    events: events.all(Number(order[0])) as unknown as SQLInputValue[][], // arrays, as it was opened
  }));
}

function insertRows(database: DatabaseSync, rows: Rows | undefined): void {
  if (rows === undefined) throw new Error('the service has placed fewer orders');
  database.exec('BEGIN IMMEDIATE');
  insertRow(database, 'orders', rows.order);
  for (const event of rows.events) insertRow(database, 'events', event);
  database.exec('COMMIT');
}

function insertRow(database: DatabaseSync, table: string, values: readonly SQLInputValue[]): void {
  database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values);
}

async function command(args: readonly string[]): Promise<string> {
  const start = join(import.meta.dirname, '../../src/start.js');
  const child: ChildProcess = spawn(process.execPath, [start, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('its output is a pipe');
  const [printed, [code]] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  return printed;
}

function kilobytes(bytes: number): string {
  return (bytes / 1e3).toFixed(1);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2);
}

await main();
