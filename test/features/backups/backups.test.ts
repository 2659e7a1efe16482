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
import { assertProblem } from '../../support/http-support.ts';
import { newOrder } from '../../support/resource-support.ts';
import { admin, serviceFor, type TestResponse } from '../../support/service.ts';
import { withSmallDisk } from '../../support/small-disk.ts';

/** A service with these files in the folder of its backups, and its administrator's requests. */
async function backingUp(t: Pick<TestContext, 'after'>, files?: readonly string[], data?: string) {
  const service = await serviceFor(t, data === undefined ? {} : { folder: data });
  const { token } = await service.signIn(admin.email, admin.password);
  const folder = join(service.folder, 'backups');
  if (files !== undefined) mkdirSync(folder);
  for (const file of files ?? []) writeFileSync(join(folder, file), '');
  return {
    service,
    token,
    folder,
    make: (): Promise<TestResponse> => service.post('/backups', { token }),
    list: (): Promise<TestResponse> => service.get('/backups', { token }),
    async makeLater(count: number): Promise<void> {
      for (let backup = 0; backup < count; backup += 1) {
        service.clock.now += 1_000;
        assert.equal((await service.post('/backups', { token })).status, 200);
      }
    },
  };
}

const daysOf = (month: string, ...days: readonly number[]): string[] =>
  days.map((day) => `${month}0${day}T000000000Z.db`);
const week = [1, 2, 3, 4, 5, 6, 7];

test('an administrator makes a backup that restores every order, and the metrics know its time', async (t) => {
  const { service, token, folder, make, list } = await backingUp(t);
  const { id } = await newOrder(service, token);
  const { status, body } = await make();
  assert.deepEqual([status, body.data.length], [200, 1]);
  const [{ name, createdAt, bytes }] = body.data;
  assert.deepEqual([name, createdAt], ['20260301T093000000Z.db', '2026-03-01T09:30:00.000Z']);
  assert.ok(bytes > 50_000, String(bytes));
  assert.deepEqual((await list()).body, body);
  assert.match((await service.get('/metrics', { token })).text, /\norderly_last_backup_timestamp_seconds \d/);

  const data = join(newFolder(t), 'data');
  assert.equal((await orderly(['restore', join(folder, name), `--data=${data}`])).status, 0);
  const restored = await backingUp(t, undefined, data);
  assert.equal((await restored.service.get(`/orders/${id}`, { token: restored.token })).status, 200);
});

test('the newest seven backups are kept, and no other file is touched', async (t) => {
  const { folder, makeLater } = await backingUp(t, ['before-the-move.db', ...daysOf('202602', ...week)]);
  await makeLater(2);
  const made = ['20260301T093001000Z.db', '20260301T093002000Z.db'];
  const kept = daysOf('202602', 3, 4, 5, 6, 7);
  assert.deepEqual(readdirSync(folder).sort(), [...kept, ...made, 'before-the-move.db']);
});

test('many backups in a row leave those of the days before', async (t) => {
  const { folder, makeLater } = await backingUp(t, daysOf('202602', ...week));
  await makeLater(9);
  const made = [7, 8, 9].map((second) => `20260301T09300${second}000Z.db`);
  assert.deepEqual(readdirSync(folder).sort(), [...daysOf('202602', 4, 5, 6, 7), ...made]);
});

test('a backup made while the clock is behind is kept', async (t) => {
  const { folder, make } = await backingUp(t, daysOf('203101', ...week));
  assert.equal((await make()).status, 200);
  const made = '20260301T093000000Z.db';
  assert.deepEqual(readdirSync(folder).sort(), [made, ...daysOf('203101', 2, 3, 4, 5, 6, 7)]);
});

test('two who ask for a backup at the same time get the same one', async (t) => {
  const { make } = await backingUp(t);
  const [first, second] = await Promise.all([make(), make()]);
  assert.deepEqual([first.status, second.status, second.body], [200, 200, first.body]);
});

test('a stop waits for the backup that is being made, even if its client has gone', async (t) => {
  const log = { write() {}, request() {}, flush() {} };
  const stopping = new AbortController().signal;
  const backups = new Backups({ dataFolder: await dataFolder(t), command: '', stopping, log });
  const made = backups.make(Date.now());
  await backups.ended();
  assert.equal(backups.list().data.length, 1);
  await made;
});

test('a stop ends the backup that is being made with 503', async (t) => {
  const log = { write() {}, request() {}, flush() {} };
  const stopping = AbortSignal.abort();
  const folder = await dataFolder(t);
  {
    using db = new DatabaseSync(join(folder, 'orderly.db'));
    db.exec('CREATE TABLE large (value BLOB); INSERT INTO large VALUES (zeroblob(8000000))');
  }
  const backups = new Backups({ dataFolder: folder, command: '', stopping, log });
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
    const { make, list } = await backingUp({ after }, undefined, join(folder, 'data'));
    const response = await make();
    assertProblem(response, 'unavailable');
    assert.equal(response.body.detail, 'The disk has too little free space for a backup.');
    assert.deepEqual((await list()).body.data, []);
  }));

test('a backup on a disk without inodes is 503 with its sentence', (t) =>
  withSmallDisk(t, 32, async ({ folder, after }) => {
    const { make } = await backingUp({ after }, undefined, join(folder, 'data'));
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
for (const [installation, start, folder, command] of [
  [
    'a checkout, for another folder and Node than those of a timer',
    { program: [node, script] },
    relative('', '/srv/orderly'),
    `${node} ${script} backup --data /srv/orderly`,
  ],
  [
    'a folder with a blank',
    { program: [node, '/opt/my shop/src/start.js'] },
    '/opt/my shop/data',
    `${node} '/opt/my shop/src/start.js' backup --data '/opt/my shop/data'`,
  ],
  [
    'a folder whose name a shell would execute',
    { program: ['/usr/local/bin/orderly'] },
    "/srv/$(reboot) it's",
    "/usr/local/bin/orderly backup --data '/srv/$(reboot) it'\\''s'",
  ],
  [
    'an executable',
    { program: ['/usr/local/bin/orderly'] },
    '/var/lib/orderly',
    '/usr/local/bin/orderly backup --data /var/lib/orderly',
  ],
  [
    'a container',
    { program: ['/usr/local/bin/node', script], container: ['podman', 'orderly'] },
    '/data',
    `podman exec orderly /usr/local/bin/node ${script} backup --data /data`,
  ],
] as const)
  test(`the command of ${installation} is the one to type there`, () => {
    assert.equal(backupCommand({ container: undefined, ...start }, folder), command);
  });
