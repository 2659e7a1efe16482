// `backup`, `restore`, `check` and `sample`, from outside.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { after, before, describe, test, type TestContext } from 'node:test';
import { dayMilliseconds } from '../../src/base/durations.ts';
import { sampleCountries } from '../../src/commands/sample-data.ts';
import { statuses } from '../../src/features/orders/order-status.ts';
import { backup } from '../../src/storage/backup.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import {
  checked,
  dataFolder,
  errorsIn,
  newFolder,
  orderly,
  program,
  rootVariables,
} from '../support/command-support.ts';
import { newKey, newOrder } from '../support/resource-support.ts';
import { serviceFor } from '../support/service.ts';
import { damages } from './damages.ts';

type Row = Readonly<Record<string, unknown>>;

function rowsOf(file: string, table: 'users' | 'customers' | 'orders'): Row[] {
  using db = new DatabaseSync(file);
  const rows = db.prepare(`SELECT * FROM ${table} ORDER BY id`).all();
  return rows.map((row) => ({ ...row }));
}

describe('backup and restore', { concurrency: true }, () => {
  test('only a forced restore replaces; it names the copy of what it replaced, and the next start warns of nothing', async (t) => {
    const service = await serviceFor(t);
    const { folder } = service;
    const copy = join(newFolder(t), 'copy.db');
    await backup(folder, copy);
    const { id } = await newOrder(service, (await service.person()).token);
    await service.stop();
    const refused = await orderly(['restore', copy, `--data=${folder}`]);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /exists and may be newer than the backup; --force replaces it\.$/m);
    const restore = ['restore', copy, '--force', `--data=${folder}`];
    const { status, stdout } = await orderly(restore);
    assert.equal(status, 0);
    const [, replaced = ''] =
      /^The replaced database is in (\S+), until you delete it\.$/m.exec(stdout) ?? [];
    assert.deepEqual(
      rowsOf(replaced, 'orders').map((row) => row['id']),
      [id],
      stdout,
    );
    const started = await serviceFor(t, { folder });
    const warnings = started.logged.filter((line) => line.includes('"level":"warn"'));
    assert.deepEqual(
      warnings.filter((line) => !line.includes('--public-url')), // the executable is started without one
      [],
    );
    await started.stop();

    assert.equal((await orderly(restore)).status, 0);
    rmSync(databaseFile(folder));
    const lost = await orderly(['serve', '--port=0', `--data=${folder}`]);
    assert.match(lost.stderr, /is missing or empty, but had events up to 1\./);
  });

  test('restore ends all sessions and names the keys that work again', async (t) => {
    const service = await serviceFor(t);
    const person = await service.person();
    await service.renew(person);
    const key = await newKey(service, person.token, { name: 'till \u200e3' });
    const lasting = await newKey(service, person.token, { name: 'for ever', expiresAt: null });
    const copy = join(newFolder(t), 'copy.db');
    await backup(service.folder, copy);
    await person.delete(`/api/keys/${key.id}`);
    await service.stop();
    const { status, stdout } = await orderly(['restore', copy, '--force', `--data=${service.folder}`]);
    assert.equal(status, 0);
    assert.match(stdout, /All sessions have ended\.$/m);
    assert.ok(stdout.includes(`  ${key.id} "till \\u200e3" of ${person.email}, ${key.prefix}…\n`), stdout);
    assert.ok(stdout.includes(`  ${lasting.id} "for ever" of ${person.email}, ${lasting.prefix}…\n`), stdout);
    using db = new DatabaseSync(databaseFile(service.folder));
    assert.equal(db.prepare('SELECT count(*) AS count FROM sessions').get()?.['count'], 0);
  });
});

const noFullDevice = { skip: existsSync('/dev/full') ? false : 'there is no /dev/full' };

test(
  'a check whose result can’t be written reports that, not an issue of the database',
  noFullDevice,
  async (t) => {
    const args = ['"$@" > /dev/full', 'sh', ...program, 'check', `--data=${await dataFolder(t)}`];
    const env = { PATH: process.env['PATH'] };
    const ended = spawn('sh', ['-c', ...args], { stdio: ['ignore', 'ignore', 'pipe'], env });
    const full = "orderly: the output can't grow: the disk is full, or has no inodes left (df -i)\n";
    assert.equal(await text(ended.stderr), full);
  },
);

async function sample(folder: string, ...flags: readonly string[]): Promise<void> {
  const args = ['sample', '--orders=400', ...flags, `--data=${folder}`];
  const ended = await orderly(args, { env: rootVariables });
  assert.deepEqual([ended.status, errorsIn(ended)], [0, '']);
  assert.match(ended.stdout, /^Added .*\b5 users, 100 customers and 400 orders\.$/m);
}

describe('sample and check', { concurrency: true }, () => {
  const ends: (() => void)[] = [];
  const sampleFolder = (): string => newFolder({ after: (end) => void ends.push(end) });
  const [first, same, other] = [sampleFolder(), sampleFolder(), sampleFolder()];
  const file = databaseFile(first);
  before(() => Promise.all([sample(first, '--seed=1'), sample(same, '--seed=1'), sample(other, '--seed=2')]));
  after(() => ends.forEach((end) => end()));

  /** A copy of the first sample, changed as by another program. */
  async function damaged(t: TestContext, change: (db: DatabaseSync) => void): Promise<string> {
    const folder = newFolder(t);
    await backup(first, databaseFile(folder));
    using db = new DatabaseSync(databaseFile(folder), { enableForeignKeyConstraints: false });
    db.exec('PRAGMA ignore_check_constraints = ON');
    change(db);
    return folder;
  }

  test('sample data is the same for the same seed, and differs for another seed', () => {
    for (const table of ['users', 'customers', 'orders'] as const) {
      // hashes are salted, and the first administrator is created today
      const [rows, again, others] = [first, same, other].map((folder) =>
        rowsOf(databaseFile(folder), table)
          .filter(({ role }) => role !== 'admin')
          .map((row) => ({ ...row, passwordHash: '' })),
      );
      assert.deepEqual(again, rows);
      assert.notDeepEqual(others, rows);
    }
  });

  test('sample data has all statuses, many countries and currencies, and spreads over a year', () => {
    const orders = rowsOf(file, 'orders');
    const distinct = (name: string) => new Set(orders.map((row) => row[name]));
    assert.deepEqual([...distinct('status')].toSorted(), statuses.toSorted());
    assert.ok(distinct('currency').size > 4 && distinct('customerId').size > 50);
    const months = orders.map(({ createdAt }) => new Date(Number(createdAt)).toISOString().slice(0, 7));
    const ofYear = Array.from({ length: 12 }, (_, month) => `2025-${String(month + 1).padStart(2, '0')}`);
    assert.deepEqual([...new Set(months)], ofYear);
    const countries = rowsOf(file, 'customers').flatMap(({ address }) =>
      address === null ? [] : [JSON.parse(String(address)).country],
    );
    assert.equal(new Set(countries).size, sampleCountries.length);
  });

  test('sample data is sound, and only an empty database is filled', async () => {
    const counts = /^users: 6, .*, customers: 100, orders: 400, .*events: 1655\b.*\n.* is sound\.\n$/;
    assert.match(await checked(first, 0), counts);
    const again = await orderly(['sample', `--data=${first}`]);
    const advice = `The database in ${first} is not empty. Add --data sample-data to fill another one.`;
    assert.deepEqual([again.status, again.stderr], [1, `orderly: ${advice}\n`]);
  });

  test('sample data covers the year before the given time', async (t) => {
    const folder = newFolder(t);
    const until = '2024-07-01T12:00:00Z';
    await sample(folder, `--until=${until}`);
    const times = rowsOf(databaseFile(folder), 'orders').map(({ createdAt }) => Number(createdAt));
    const [earliest, latest, end] = [Math.min(...times), Math.max(...times), Date.parse(until)];
    const start = end - 365 * dayMilliseconds;
    assert.ok(earliest >= start && earliest < start + dayMilliseconds);
    assert.ok(latest <= end && latest > end - dayMilliseconds);
  });

  test('check names each row that is wrong, and how', async (t) => {
    const folder = await damaged(t, (db) => {
      for (const [sql] of damages) assert.equal(db.prepare(sql).run().changes, 1, sql);
    });
    const stdout = await checked(folder, 1);
    assert.equal(damages.length, 38);
    for (const [, complaint] of damages) assert.ok(`\n${stdout}`.includes(`\n${complaint}`), complaint);
    // Two more are SQLite's about the status, and the verdict; five say that events show another value.
    assert.equal(stdout.trim().split('\n').length, damages.length + 2 + 5, stdout);
    assert.match(stdout, /^order 5 at \/status: is lost, but its events say \w+\.$/m);
    assert.match(stdout, /orderly\.db is not sound\. Restore a backup/);
  });

  test('check reads each row once where rows were deleted', async (t) => {
    const folder = await damaged(t, (db) => {
      db.exec('DELETE FROM orders WHERE id BETWEEN 2 AND 399');
      db.exec('DELETE FROM events WHERE id < (SELECT max(id) FROM events)'); // as cleanup leaves them
    });
    assert.match(await checked(folder, 0), /, orders: 2,/);
  });

  test('check finds objects without events, and events without an object', async (t) => {
    const folder = await damaged(t, (db) =>
      db.exec("DELETE FROM events WHERE topic = 'order' AND topicId = 2; DELETE FROM orders WHERE id = 3"),
    );
    const stdout = await checked(folder, 1);
    assert.match(stdout, /^order 2 has no events\.$/m);
    assert.match(stdout, /^order 3 has events, but does not exist\.$/m);
  });

  test('check finds pages that were overwritten', async (t) => {
    const folder = await damaged(t, () => {});
    const target = databaseFile(folder);
    const half = 4096 * Math.floor(statSync(target).size / 8192);
    const descriptor = openSync(target, 'r+');
    writeSync(descriptor, Buffer.alloc(4096, 0x5a), 0, 4096, half);
    closeSync(descriptor);
    const { status, stdout, stderr } = await orderly(['check', `--data=${folder}`]);
    assert.equal(status, 1);
    assert.match(stdout + stderr, /is not sound|is damaged, or its disk/);
    assert.doesNotMatch(stderr, /^ {4}at /m);
  });
});

const endless = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS id FROM n';
for (const [what, sql, name] of [
  [
    'a trigger that gives rights',
    "CREATE TRIGGER t AFTER INSERT ON sessions BEGIN UPDATE users SET role = 'admin'; END",
    'trigger t is not of orderly',
  ],
  [
    'a view without an end in place of a table',
    `DROP TABLE products; CREATE VIEW products AS ${endless}`,
    'table products is missing, or not as orderly made it',
  ],
  ['a view beside', 'CREATE VIEW mine AS SELECT 1', 'view mine is not of orderly'],
] as const)
  test(`check names ${what}, and restore refuses it`, async (t) => {
    const folder = await dataFolder(t);
    const db = new DatabaseSync(databaseFile(folder));
    db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
    db.close();
    const report = await checked(folder, 1);
    assert.ok(report.includes(name), report);
    const { status, stderr } = await orderly(['restore', databaseFile(folder), `--data=${newFolder(t)}`]);
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(`was changed by another program: The ${name}`));
  });
