// A full disk: a service starts on it for reading, and anything that needs space reports that.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  addCustomer,
  dataFolder,
  newFolder,
  orderly,
  rootKey,
  rootVariables,
  serving,
} from '../support/command-support.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/storage-support.ts';

async function assertFails(message: RegExp, ...args: readonly string[]): Promise<void> {
  const { status, stderr } = await orderly(args);
  assert.match(stderr, message);
  assert.equal(status, 1);
}

/** A message about a path that ends like this one. */
const fullAt = (end: string, more = ''): RegExp =>
  new RegExp(
    `^orderly: \\S+${end} can't grow: the disk is full, or has no inodes left \\(df -i\\)${more}\\.\n$`,
  );

for (const signal of ['SIGKILL', 'SIGTERM'] as const)
  test(`after ${signal} a service starts on a full disk for reading, and writes once there is space`, (t) =>
    withSmallDisk(t, 4, async (disk) => {
      const data = join(disk.folder, 'data');
      const start = () => serving(disk, [`--data=${data}`, '--tls=off'], { env: rootVariables });
      const before = await start();
      const key = await rootKey(data, 'customers:read,customers:write');
      assert.equal(await addCustomer(before.url, key), 201);
      disk.fill();
      assert.equal(await addCustomer(before.url, key), 503);
      await before.end(signal);
      disk.fill();

      const { url, output } = await start();
      const statusOf = async (path: string): Promise<number> =>
        (await fetch(url + path, { headers: { 'X-API-Key': key } })).status;
      assert.match(output.stdout, /"level":"warn","message":"starting read-only/);
      disk.fill(); // including what the start may have freed
      assert.deepEqual([await statusOf('/customers/1'), await statusOf('/health/ready')], [200, 503]);
      assert.equal(await addCustomer(url, key), 503);

      disk.makeRoom();
      await until(async () => (await statusOf('/health/ready')) === 200);
      assert.equal(await addCustomer(url, key), 201);
    }));

test('a first start on a full disk says what is wrong', (t) =>
  withSmallDisk(t, 1, async (disk) => {
    disk.fill();
    await assertFails(fullAt('', ' \\(.*\\)'), 'serve', '--port=0', `--data=${join(disk.folder, 'data')}`);
  }));

test('a start for whose WAL no inode is left says that', (t) =>
  withSmallDisk(t, 8, async (disk) => {
    const args = ['--tls=off', `--data=${join(disk.folder, 'data')}`];
    assert.equal((await (await serving(disk, args)).end()).status, 0);
    execFileSync('mount', ['-o', 'remount,nr_inodes=100', disk.folder]);
    assert.throws(() => {
      for (let file = 0; ; file += 1) writeFileSync(join(disk.folder, String(file)), '');
    }, /ENOSPC/);
    await assertFails(
      /^orderly: \S+orderly\.db .*inodes left \(df -i\) \(.*\)\.\n$/,
      ...['serve', '--port=0', ...args],
    );
  }));

test('a certificate that can’t be created for lack of space is not a wrong setting', (t) =>
  withSmallDisk(t, 4, async (disk) => {
    const data = await dataFolder(t);
    symlinkSync(disk.folder, join(data, 'tls'));
    disk.fill();
    await assertFails(fullAt('tls'), 'serve', '--port=0', `--data=${data}`);
  }));

test('a backup or a restore onto a full disk names the file that has no space, and leaves nothing', (t) =>
  withSmallDisk(t, 1, async (disk) => {
    const [data, full] = [await dataFolder(t), join(disk.folder, 'data')];
    const good = join(newFolder(t), 'good.db');
    assert.equal((await orderly(['backup', good, `--data=${data}`])).status, 0);
    mkdirSync(full);
    writeFileSync(join(full, 'lock.db'), '');
    disk.fill();
    const before = readdirSync(disk.folder, { recursive: true });
    for (const [file, ...args] of [
      [join(disk.folder, 'backup.db'), 'backup', join(disk.folder, 'backup.db'), `--data=${data}`],
      [join(full, 'orderly.db'), 'restore', good, `--data=${full}`],
    ] as const) {
      const { status, stderr } = await orderly(args);
      assert.equal(status, 1);
      assert.ok(stderr.includes(`orderly: ${file}`), stderr);
      assert.match(stderr, /can't grow: the disk is full/);
    }
    assert.deepEqual(readdirSync(disk.folder, { recursive: true }), before);
  }));
