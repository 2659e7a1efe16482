// Backups that an administrator makes over HTTP, and those that `orderly backup` keeps in the data folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { backupCommand } from '../../../src/features/backups/backup-command.ts';
import { Backups } from '../../../src/features/backups/backup-routes.ts';
import { dataFolder, newFolder, orderly } from '../../support/command-support.ts';
import { assertProblem } from '../../support/http-support.ts';
import { newOrder } from '../../support/resource-support.ts';
import { admin, serviceFor } from '../../support/service.ts';
import { withSmallDisk } from '../../support/small-disk.ts';

test('an administrator makes a backup that restores every order, and the metrics know its time', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.signIn(admin.email, admin.password);
  const { id } = await newOrder(service, token);
  const { status, body } = await service.post('/backups', { token });
  assert.deepEqual([status, body.data.length], [200, 1]);
  const [{ name, createdAt, bytes }] = body.data;
  assert.deepEqual([name, createdAt], ['20260301T093000000Z.db', '2026-03-01T09:30:00.000Z']);
  assert.ok(bytes > 50_000, String(bytes));
  assert.deepEqual((await service.get('/backups', { token })).body, body);
  assert.match((await service.get('/metrics', { token })).text, /\norderly_last_backup_timestamp_seconds \d/);

  const folder = join(newFolder(t), 'data');
  const file = join(service.folder, 'backups', name);
  assert.equal((await orderly(['restore', file, `--data=${folder}`])).status, 0);
  const restored = await serviceFor(t, { folder });
  const again = await restored.signIn(admin.email, admin.password);
  assert.equal((await restored.get(`/orders/${id}`, { token: again.token })).status, 200);
});

test('the newest seven backups are kept, and no other file is touched', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.signIn(admin.email, admin.password);
  const folder = join(service.folder, 'backups');
  mkdirSync(folder);
  writeFileSync(join(folder, 'before-the-move.db'), '');
  for (let day = 1; day <= 7; day += 1) writeFileSync(join(folder, `2026020${day}T000000000Z.db`), '');
  for (let backup = 1; backup <= 2; backup += 1) {
    service.clock.now += 1_000;
    assert.equal((await service.post('/backups', { token })).status, 200);
  }
  const before = [3, 4, 5, 6, 7].map((day) => `2026020${day}T000000000Z.db`);
  const made = ['20260301T093001000Z.db', '20260301T093002000Z.db'];
  assert.deepEqual(readdirSync(folder).sort(), [...before, ...made, 'before-the-move.db']);
});

test('many backups in a row leave those of the days before', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.signIn(admin.email, admin.password);
  const folder = join(service.folder, 'backups');
  mkdirSync(folder);
  for (let day = 1; day <= 7; day += 1) writeFileSync(join(folder, `2026020${day}T000000000Z.db`), '');
  for (let backup = 1; backup <= 9; backup += 1) {
    service.clock.now += 1_000;
    assert.equal((await service.post('/backups', { token })).status, 200);
  }
  const before = [4, 5, 6, 7].map((day) => `2026020${day}T000000000Z.db`);
  const made = [7, 8, 9].map((second) => `20260301T09300${second}000Z.db`);
  assert.deepEqual(readdirSync(folder).sort(), [...before, ...made]);
});

test('a backup made while the clock is behind is kept', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.signIn(admin.email, admin.password);
  const folder = join(service.folder, 'backups');
  mkdirSync(folder);
  for (let day = 1; day <= 7; day += 1) writeFileSync(join(folder, `2031010${day}T000000000Z.db`), '');
  const { body } = await service.post('/backups', { token });
  assert.deepEqual(
    [body.data.length, body.data.at(-1).name, body.data.at(-2).name],
    [7, '20260301T093000000Z.db', '20310102T000000000Z.db'],
  );
});

test('two who ask for a backup at the same time get the same one', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.signIn(admin.email, admin.password);
  const [first, second] = await Promise.all([
    service.post('/backups', { token }),
    service.post('/backups', { token }),
  ]);
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
  const service = await serviceFor(t);
  const { token } = await service.signIn(admin.email, admin.password);
  assert.equal((await service.post('/backups', { token })).status, 200);
  const again = await service.post('/backups', { token });
  assertProblem(again, 'unavailable');
  assert.match(again.body.detail, /20260301T093000000Z\.db exists; a backup does not overwrite files\.$/);
  assert.equal((await service.get('/backups', { token })).body.data.length, 1);
});

for (const [what, prepare] of [
  ['a file', (path: string) => writeFileSync(path, '')],
  ['a link that leads nowhere', (path: string) => symlinkSync('/nowhere/at/all', path)],
  ['a link that leads to itself', (path: string) => symlinkSync(path, path)],
] as const)
  test(`where the folder of backups is ${what}, a backup is 503 with a sentence`, async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.signIn(admin.email, admin.password);
    prepare(join(service.folder, 'backups'));
    const response = await service.post('/backups', { token });
    assertProblem(response, 'unavailable');
    assert.match(response.body.detail, /\/backups (?:can't|is) /);
    assert.notEqual((await service.get('/backups', { token })).status, 500);
  });

test('files with impossible times are no backups', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.signIn(admin.email, admin.password);
  mkdirSync(join(service.folder, 'backups'));
  writeFileSync(join(service.folder, 'backups', '20269999T000000000Z.db'), '');
  assert.deepEqual((await service.get('/backups', { token })).body.data, []);
  assert.equal((await service.post('/backups', { token })).body.data.length, 1);
});

test('a backup that would leave the service no room is 503, and nothing is written', (t) =>
  withSmallDisk(t, 8, async ({ folder, after }) => {
    const service = await serviceFor({ after }, { folder: join(folder, 'data') });
    const { token } = await service.signIn(admin.email, admin.password);
    const response = await service.post('/backups', { token });
    assertProblem(response, 'unavailable');
    assert.equal(response.body.detail, 'The disk has too little free space for a backup.');
    assert.deepEqual((await service.get('/backups', { token })).body.data, []);
  }));

test('a backup on a disk without inodes is 503 with its sentence', (t) =>
  withSmallDisk(t, 32, async ({ folder, after }) => {
    const service = await serviceFor({ after }, { folder: join(folder, 'data') });
    const { token } = await service.signIn(admin.email, admin.password);
    execFileSync('mount', ['-o', 'remount,nr_inodes=200', folder]);
    assert.throws(() => {
      for (let file = 0; ; file += 1) writeFileSync(join(folder, String(file)), '');
    }, /ENOSPC/);
    const response = await service.post('/backups', { token });
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
