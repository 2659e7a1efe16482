// `backup`, `restore`, `check` and `sample`, from outside.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import { dayMilliseconds } from '../../src/base/durations.ts';
import { sampleCountries } from '../../src/commands/sample-data.ts';
import { backup } from '../../src/storage/backup.ts';
import { serviceFor } from '../support/service.ts';
import { newKey, newOrder } from '../support/resource-support.ts';
import {
  checked,
  dataFolder,
  newFolder,
  orderly,
  program,
  rootVariables,
} from '../support/command-support.ts';
import { damages } from './damages.ts';

const tables = ['users', 'customers', 'orders'] as const;

describe('backup and restore', { concurrency: true }, () => {
  test('only a forced restore replaces; it names the copy of what it replaced, and the next start warns of nothing', async (t) => {
    const service = await serviceFor(t);
    const copy = join(newFolder(t), 'copy.db');
    await backup(service.folder, copy);
    const { token } = await service.person();
    const { id } = await newOrder(service, token);
    await service.stop();
    const refused = await orderly(['restore', copy, `--data=${service.folder}`]);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /exists and may be newer than the backup; --force replaces it\.$/m);
    const { status, stdout } = await orderly(['restore', copy, '--force', `--data=${service.folder}`]);
    assert.equal(status, 0);
    const [, replaced = ''] =
      /^The replaced database is in (\S+), until you delete it\.$/m.exec(stdout) ?? [];
    assert.deepEqual(
      rowsOf(replaced, 'orders').map((row) => row['id']),
      [id],
      stdout,
    );
    const started = await serviceFor(t, { folder: service.folder });
    const warnings = started.logged.filter((line) => line.includes('"level":"warn"'));
    assert.deepEqual(
      warnings.filter((line) => !line.includes('--public-url')), // the executable is started without one
      [],
    );
    await started.stop();

    assert.equal((await orderly(['restore', copy, '--force', `--data=${service.folder}`])).status, 0);
    rmSync(join(service.folder, 'orderly.db'));
    const lost = await orderly(['serve', '--port=0', `--data=${service.folder}`]);
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
    await service.delete(`/api/keys/${key.id}`, { token: person.token });
    await service.stop();
    const { status, stdout } = await orderly(['restore', copy, '--force', `--data=${service.folder}`]);
    assert.equal(status, 0);
    assert.match(stdout, /All sessions have ended\.$/m);
    assert.ok(stdout.includes(`  ${key.id} "till \\u200e3" of ${person.email}, ${key.prefix}…\n`), stdout);
    assert.ok(stdout.includes(`  ${lasting.id} "for ever" of ${person.email}, ${lasting.prefix}…\n`), stdout);
    using db = new DatabaseSync(join(service.folder, 'orderly.db'));
    assert.equal(db.prepare('SELECT count(*) AS count FROM sessions').get()?.['count'], 0);
  });
});

describe('sample and check', { concurrency: true }, () => {
  test(
    'a check whose result can’t be written reports that, not an issue of the database',
    { skip: existsSync('/dev/full') ? false : 'there is no /dev/full' },
    async (t) => {
      const ended = spawn(
        'sh',
        ['-c', '"$@" > /dev/full', 'sh', ...program, 'check', `--data=${await dataFolder(t)}`],
        { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env['PATH'] } },
      );
      const stderr = await text(ended.stderr);
      assert.equal(
        stderr,
        "orderly: the output can't grow: the disk is full, or has no inodes left (df -i)\n",
      );
    },
  );

  const folders: string[] = [];
  const endings: (() => void)[] = [];
  before(async () => {
    const made = [1, 1, 2].map(async (seed) => {
      const folder = newFolder({
        after: (end) => {
          endings.push(end as () => void);
        },
      }); // called without its context
      const { status, stdout, stderr } = await orderly(
        ['sample', '--orders=400', `--seed=${seed}`, `--data=${folder}`],
        { env: rootVariables },
      );
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, /^Added .*\b5 users, 100 customers and 400 orders\.$/m);
      return folder;
    });
    folders.push(...(await Promise.all(made)));
    return () => endings.forEach((end) => end());
  });

  test('sample data is the same for the same seed, and differs for another seed', () => {
    const [first = '', same = '', other = ''] = folders.map((folder) => join(folder, 'orderly.db'));
    for (const table of tables) {
      const rows = visible(first, table);
      assert.deepEqual(visible(same, table), rows);
      assert.notDeepEqual(visible(other, table), rows);
    }
  });

  test('sample data has all statuses, many countries and currencies, and spreads over a year', () => {
    const [file = ''] = folders.map((folder) => join(folder, 'orderly.db'));
    const orders = rowsOf(file, 'orders');
    assert.deepEqual([...new Set(orders.map(({ status }) => status))].sort(), [
      'cancelled',
      'delivered',
      'open',
      'paid',
      'refunded',
      'shipped',
    ]);
    assert.ok(new Set(orders.map(({ currency }) => currency)).size > 5);
    const months = new Set(
      orders.map(({ createdAt }) => new Date(Number(createdAt)).toISOString().slice(0, 7)),
    );
    assert.deepEqual(
      [...months],
      Array.from({ length: 12 }, (_, month) => `2025-${String(month + 1).padStart(2, '0')}`),
    );
    assert.ok(new Set(orders.map(({ customerId }) => customerId)).size > 50);
    const countries = new Set(
      rowsOf(file, 'customers').flatMap(({ address }) =>
        address === null ? [] : [JSON.parse(String(address)).country],
      ),
    );
    assert.deepEqual(countries.size, sampleCountries.length);
  });

  test('sample data is sound, and only an empty database is filled', async () => {
    const [folder = ''] = folders;
    assert.match(
      await checked(folder, 0),
      /^users: 6, .*, customers: 100, orders: 400, .*events: 1670\b.*\n.* is sound\.\n$/,
    );
    const again = await orderly(['sample', `--data=${folder}`]);
    assert.deepEqual(
      [again.status, again.stderr],
      [1, `orderly: The database in ${folder} is not empty. Add --data sample-data to fill another one.\n`],
    );
  });

  test('sample data covers the year before the given time', async (t) => {
    const folder = newFolder(t);
    const until = '2024-07-01T12:00:00Z';
    const args = ['sample', '--orders=400', `--until=${until}`, `--data=${folder}`];
    assert.equal((await orderly(args, { env: rootVariables })).status, 0);
    const times = rowsOf(join(folder, 'orderly.db'), 'orders').map(({ createdAt }) => Number(createdAt));
    const [first, last, end] = [Math.min(...times), Math.max(...times), Date.parse(until)];
    const start = end - 365 * dayMilliseconds;
    assert.ok(first >= start && first < start + dayMilliseconds);
    assert.ok(last <= end && last > end - dayMilliseconds);
  });

  test('check names each row that is wrong, and how', async (t) => {
    const folder = await copyOf(t, folders[0]);
    const db = new DatabaseSync(join(folder, 'orderly.db'), { enableForeignKeyConstraints: false });
    db.exec('PRAGMA ignore_check_constraints = ON');
    const expected = damages.map(([sql, complaint]) => {
      assert.equal(db.prepare(sql).run().changes, 1, sql);
      return complaint;
    });
    db.close();
    const stdout = await checked(folder, 1);
    for (const complaint of expected) assert.match(stdout, complaint);
    // Two more are SQLite's about the status, and the verdict; five say that events show another value.
    assert.equal(stdout.trim().split('\n').length, expected.length + 2 + 5, stdout);
    assert.match(stdout, /^order 5 at \/status: is lost, but its events say \w+\.$/m);
    assert.match(stdout, /orderly\.db is not sound\. Restore a backup/);
  });

  test('check reads each row once where rows were deleted', async (t) => {
    const folder = await copyOf(t, folders[0]);
    const db = new DatabaseSync(join(folder, 'orderly.db'));
    db.exec('DELETE FROM orders WHERE id BETWEEN 2 AND 399');
    db.exec('DELETE FROM events WHERE id < (SELECT max(id) FROM events)'); // as cleanup leaves them
    db.close();
    assert.match(await checked(folder, 0), /, orders: 2,/);
  });

  test('check finds objects without events, and events without an object', async (t) => {
    const folder = await copyOf(t, folders[0]);
    const db = new DatabaseSync(join(folder, 'orderly.db'));
    db.exec("DELETE FROM events WHERE topic = 'order' AND topicId = 2; DELETE FROM orders WHERE id = 3");
    db.close();
    const stdout = await checked(folder, 1);
    assert.match(stdout, /^order 2 has no events\.$/m);
    assert.match(stdout, /^order 3 has events, but does not exist\.$/m);
  });

  test('check finds pages that were overwritten', async (t) => {
    const folder = await copyOf(t, folders[0]);
    const file = openSync(join(folder, 'orderly.db'), 'r+');
    writeSync(
      file,
      Buffer.alloc(4096, 0x5a),
      0,
      4096,
      4096 * Math.floor(statSync(join(folder, 'orderly.db')).size / 8192),
    );
    closeSync(file);
    const { status, stdout, stderr } = await orderly(['check', `--data=${folder}`]);
    assert.equal(status, 1);
    assert.match(stdout + stderr, /is not sound|is damaged, or its disk/);
    assert.doesNotMatch(stderr, /^ {4}at /m);
  });
});

async function copyOf(t: { after(end: () => void): void }, folder = ''): Promise<string> {
  const copy = newFolder(t);
  await backup(folder, join(copy, 'orderly.db'));
  return copy;
}

function rowsOf(file: string, table: (typeof tables)[number]): Record<string, unknown>[] {
  using db = new DatabaseSync(file);
  return db
    .prepare(`SELECT * FROM ${table} ORDER BY id`)
    .all()
    .map((row) => ({ ...row }));
}

/** What is the same in each sample: hashes are salted, and the first administrator is created today. */
function visible(file: string, table: (typeof tables)[number]): object[] {
  return rowsOf(file, table)
    .filter(({ role }) => role !== 'admin')
    .map((row) => ({ ...row, passwordHash: '' }));
}

const changes: readonly (readonly [what: string, sql: string, name: string])[] = [
  [
    'a trigger that gives rights',
    "CREATE TRIGGER t AFTER INSERT ON sessions BEGIN UPDATE users SET role = 'admin'; END",
    'trigger t is not of orderly',
  ],
  [
    'a view without an end in place of a table',
    'DROP TABLE products; CREATE VIEW products AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i FROM n) ' +
      'SELECT i AS id FROM n',
    'table products is missing, or not as orderly made it',
  ],
  ['a view beside', 'CREATE VIEW mine AS SELECT 1', 'view mine is not of orderly'],
];
for (const [what, sql, name] of changes)
  test(what, async (t) => {
    const folder = await dataFolder(t);
    const db = new DatabaseSync(join(folder, 'orderly.db'));
    db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
    db.close();
    const report = await checked(folder, 1);
    assert.ok(report.includes(name), report);
    const target = newFolder(t);
    const { status, stderr } = await orderly(['restore', join(folder, 'orderly.db'), `--data=${target}`]);
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(`was changed by another program: The ${name}`));
  });
