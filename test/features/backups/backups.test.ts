// Backups that an administrator makes over HTTP, and those that `orderly backup` keeps in the data folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { backupCommand } from '../../../src/features/backups/backup-command.ts';
import { Backups } from '../../../src/features/backups/backup-routes.ts';
import { dataFolder, newFolder, orderly } from '../../support/command-support.ts';
import { assertProblem, assertStatus } from '../../support/http-support.ts';
import { newOrder } from '../../support/resource-support.ts';
import { databaseFile } from '../../../src/storage/database-file.ts';
import { serviceFor } from '../../support/service.ts';
import { withSmallDisk } from '../../support/small-disk.ts';

/** A service with these files in the folder of its backups, and its administrator's requests. */
async function backingUp(t: Pick<TestContext, 'after'>, files: readonly string[] = [], data?: string) {
  const service = await serviceFor(t, data === undefined ? {} : { folder: data });
  const { get, post } = await service.root();
  const folder = join(service.folder, 'backups');
  if (files.length > 0) mkdirSync(folder);
  for (const file of files) writeFileSync(join(folder, file), '');
  return { service, folder, get, make: () => post('/backups'), list: () => get('/backups') };
}

const daysOf = (month: string, ...days: readonly number[]): string[] =>
  days.map((day) => `${month}0${day}T000000000Z.db`);
/** Backups that this service makes. */
const secondsOf = (...seconds: readonly number[]): string[] =>
  seconds.map((second) => `20260301T09300${second}000Z.db`);
const week = [1, 2, 3, 4, 5, 6, 7];

test('an administrator makes a backup that restores every order, and the metrics know its time', async (t) => {
  const { service, folder, get, make, list } = await backingUp(t);
  const { id } = await newOrder(service, (await service.root()).token);
  const { status, body } = await make();
  assert.deepEqual([status, body.data.length], [200, 1]);
  const [{ name, createdAt, bytes }] = body.data;
  assert.deepEqual([name, createdAt], [...secondsOf(0), '2026-03-01T09:30:00.000Z']);
  assert.ok(bytes > 50_000, String(bytes));
  assert.deepEqual((await list()).body, body);
  assert.match((await get('/metrics')).text, /\norderly_last_backup_timestamp_seconds \d/);

  const data = join(newFolder(t), 'data');
  assert.equal((await orderly(['restore', join(folder, name), `--data=${data}`])).status, 0);
  await assertStatus((await backingUp(t, [], data)).get(`/orders/${id}`), 200);
});

const rows: readonly (readonly [what: string, before: string[], made: number, kept: string[]])[] = [
  [
    'the newest seven backups are kept, and no other file is touched',
    ['before-the-move.db', ...daysOf('202602', ...week)],
    2,
    [...daysOf('202602', 3, 4, 5, 6, 7), ...secondsOf(1, 2), 'before-the-move.db'],
  ],
  [
    'many backups in a row leave those of the days before',
    daysOf('202602', ...week),
    9,
    [...daysOf('202602', 4, 5, 6, 7), ...secondsOf(7, 8, 9)],
  ],
  [
    'a backup made while the clock is behind is kept',
    daysOf('203101', ...week),
    1,
    [...secondsOf(1), ...daysOf('203101', 2, 3, 4, 5, 6, 7)],
  ],
];
for (const [what, before, count, kept] of rows)
  test(what, async (t) => {
    const { service, folder, make } = await backingUp(t, before);
    for (let backup = 0; backup < count; backup += 1) {
      service.clock.now += 1_000;
      await assertStatus(make(), 200);
    }
    assert.deepEqual(readdirSync(folder).sort(), kept);
  });

test('two who ask for a backup at the same time get the same one', async (t) => {
  const { make } = await backingUp(t);
  const [first, second] = await Promise.all([make(), make()]);
  assert.deepEqual([first.status, second.status, second.body], [200, 200, first.body]);
});

async function stoppable(t: TestContext, stopping: AbortSignal) {
  const log = { write() {}, request() {}, flush() {} };
  const folder = await dataFolder(t);
  return { folder, backups: new Backups({ dataFolder: folder, command: '', stopping, log }) };
}

test('a stop waits for the backup that is being made, even if its client has gone', async (t) => {
  const { backups } = await stoppable(t, new AbortController().signal);
  const made = backups.make(Date.now());
  await backups.ended();
  assert.equal(backups.list().data.length, 1);
  await made;
});

test('a stop ends the backup that is being made with 503', async (t) => {
  const { folder, backups } = await stoppable(t, AbortSignal.abort());
  {
    using db = new DatabaseSync(databaseFile(folder));
    db.exec('CREATE TABLE large (value BLOB); INSERT INTO large VALUES (zeroblob(8000000))');
  }
  await assert.rejects(backups.make(Date.now()), { code: 'unavailable', detail: 'The service is stopping.' });
  assert.deepEqual(backups.list().data, []);
});

test('two backups of the same millisecond are 503 and one file', async (t) => {
  const { make, list } = await backingUp(t);
  assert.equal((await make()).status, 200);
  const again = await make();
  assertProblem(again, 'unavailable');
  assert.match(again.body.detail, /20260301T093000000Z\.db exists; a backup does not overwrite files\.$/);
  assert.equal((await list()).body.data.length, 1);
});

for (const [what, prepare] of [
  ['a file', (path: string) => writeFileSync(path, '')],
  ['a link that leads nowhere', (path: string) => symlinkSync('/nowhere/at/all', path)],
  ['a link that leads to itself', (path: string) => symlinkSync(path, path)],
] as const)
  test(`where the folder of backups is ${what}, a backup is 503 with a sentence`, async (t) => {
    const { folder, make, list } = await backingUp(t);
    prepare(folder);
    const response = await make();
    assertProblem(response, 'unavailable');
    assert.match(response.body.detail, /\/backups (?:can't|is) /);
    assert.notEqual((await list()).status, 500);
  });

test('files with impossible times are no backups', async (t) => {
  const { make, list } = await backingUp(t, ['20269999T000000000Z.db']);
  assert.deepEqual((await list()).body.data, []);
  assert.equal((await make()).body.data.length, 1);
});

test('a backup that would leave the service no room is 503, and nothing is written', (t) =>
  withSmallDisk(t, 8, async ({ folder, after }) => {
    const { make, list } = await backingUp({ after }, [], join(folder, 'data'));
    const response = await make();
    assertProblem(response, 'unavailable');
    assert.equal(response.body.detail, 'The disk has too little free space for a backup.');
    assert.deepEqual((await list()).body.data, []);
  }));

test('a backup on a disk without inodes is 503 with its sentence', (t) =>
  withSmallDisk(t, 32, async ({ folder, after }) => {
    const { make } = await backingUp({ after }, [], join(folder, 'data'));
    execFileSync('mount', ['-o', 'remount,nr_inodes=200', folder]);
    assert.throws(() => {
      for (let file = 0; ; file += 1) writeFileSync(join(folder, String(file)), '');
    }, /ENOSPC/);
    const response = await make();
    assertProblem(response, 'unavailable');
    assert.match(response.body.detail, /can't grow: the disk is full, or has no inodes left \(df -i\)\.$/);
  }));

test('`orderly backup` without a file keeps the newest seven, too', async (t) => {
  const data = await dataFolder(t);
  const { status, stdout } = await orderly(['backup', `--data=${data}`]);
  const [name = ''] = readdirSync(join(data, 'backups'));
  assert.equal(status, 0);
  assert.ok(stdout.startsWith(`The database is in ${join(data, 'backups', name)}, `), stdout);
  assert.match(stdout, /, \d+\.\d MB\.$/m);
});

const node = '/opt/orderly/node_modules/node/bin/node';
const script = '/opt/orderly/src/start.js';
const executable = '/usr/local/bin/orderly';
for (const [installation, program, folder, command] of [
  [
    'a checkout',
    [node, script],
    relative('', '/srv/orderly'),
    `${node} ${script} backup --data /srv/orderly`,
  ],
  [
    'a folder with a blank',
    [node, '/opt/my shop/src/start.js'],
    '/opt/my shop/data',
    `${node} '/opt/my shop/src/start.js' backup --data '/opt/my shop/data'`,
  ],
  [
    'a folder whose name a shell would execute',
    [executable],
    "/srv/$(reboot) it's",
    `${executable} backup --data '/srv/$(reboot) it'\\''s'`,
  ],
  ['an executable', [executable], '/var/lib/orderly', `${executable} backup --data /var/lib/orderly`],
  ['a container', [node, script], '/data', `podman exec orderly ${node} ${script} backup --data /data`],
] as const)
  test(`the command of ${installation} is the one to type there`, () => {
    const container = installation === 'a container' ? (['podman', 'orderly'] as const) : undefined;
    assert.equal(backupCommand({ container, program }, folder), command);
  });
