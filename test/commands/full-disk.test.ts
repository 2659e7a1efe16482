// A full disk: a service starts on it for reading, and anything that needs space reports that.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withSmallDisk } from '../support/small-disk.ts';
import {
  addCustomer,
  dataFolder,
  newFolder,
  orderly,
  rootKey,
  rootVariables,
  serving,
} from '../support/command-support.ts';

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`after ${signal} a service starts on a full disk for reading, and writes once there is space`, (t) =>
    withSmallDisk(t, 4, async (disk) => {
      const data = join(disk.folder, 'data');
      const flags = [`--data=${data}`, '--tls=off'];
      const start = () => serving(disk, flags, { env: rootVariables });
      const before = await start();
      const key = await rootKey(data, 'customers:read,customers:write');
      assert.equal(await addCustomer(before.url, key), 201);
      disk.fill();
      assert.equal(await addCustomer(before.url, key), 503);
      await before.end(signal);
      disk.fill();

      const { url, output } = await start();
      assert.match(output.stdout, /"level":"warn","message":"starting read-only/);
      disk.fill(); // including what the start may have freed
      assert.equal((await fetch(`${url}/customers/1`, { headers: { 'X-API-Key': key } })).status, 200);
      assert.equal((await fetch(`${url}/health/ready`)).status, 503);
      assert.equal(await addCustomer(url, key), 503);

      disk.makeRoom();
      await becomesReady(url);
      assert.equal(await addCustomer(url, key), 201);
    }));
}

test('a first start on a full disk says what is wrong', (t) =>
  withSmallDisk(t, 1, async (disk) => {
    disk.fill();
    const { status, stderr } = await orderly(['serve', '--port=0', `--data=${join(disk.folder, 'data')}`]);
    assert.match(
      stderr,
      /^orderly: \S+ can't grow: the disk is full, or has no inodes left \(df -i\) \(.*\)\.\n$/,
    );
    assert.equal(status, 1);
  }));

test('a start for whose WAL no inode is left says that', (t) =>
  withSmallDisk(t, 8, async (disk) => {
    const data = join(disk.folder, 'data');
    assert.equal((await (await serving(disk, [`--data=${data}`, '--tls=off'])).end()).status, 0);
    execFileSync('mount', ['-o', 'remount,nr_inodes=100', disk.folder]);
    assert.throws(() => {
      for (let file = 0; ; file += 1) writeFileSync(join(disk.folder, String(file)), '');
    }, /ENOSPC/);
    const { status, stderr } = await orderly(['serve', '--port=0', '--tls=off', `--data=${data}`]);
    assert.match(stderr, /^orderly: \S+orderly\.db .*inodes left \(df -i\) \(.*\)\.\n$/);
    assert.equal(status, 1);
  }));

test('a certificate that can’t be created for lack of space is not a wrong setting', (t) =>
  withSmallDisk(t, 4, async (disk) => {
    const data = await dataFolder(t);
    symlinkSync(disk.folder, join(data, 'tls'));
    disk.fill();
    const { status, stderr } = await orderly(['serve', '--port=0', `--data=${data}`]);
    assert.match(
      stderr,
      /^orderly: \S+tls can't grow: the disk is full, or has no inodes left \(df -i\)\.\n$/,
    );
    assert.equal(status, 1);
  }));

test('a backup or a restore onto a full disk names the file that has no space, and leaves nothing', (t) =>
  withSmallDisk(t, 1, async (disk) => {
    const data = await dataFolder(t);
    const good = join(newFolder(t), 'good.db');
    assert.equal((await orderly(['backup', good, `--data=${data}`])).status, 0);
    mkdirSync(join(disk.folder, 'data'));
    writeFileSync(join(disk.folder, 'data', 'lock.db'), '');
    disk.fill();
    const before = readdirSync(disk.folder, { recursive: true });

    const full = join(disk.folder, 'backup.db');
    const backup = await orderly(['backup', full, `--data=${data}`]);
    assert.equal(backup.status, 1);
    assert.ok(backup.stderr.includes(`orderly: ${full}`), backup.stderr);
    assert.match(backup.stderr, /can't grow: the disk is full/);

    const restore = await orderly(['restore', good, `--data=${join(disk.folder, 'data')}`]);
    assert.equal(restore.status, 1);
    assert.ok(restore.stderr.includes(`orderly: ${join(disk.folder, 'data', 'orderly.db')}`), restore.stderr);
    assert.match(restore.stderr, /can't grow: the disk is full/);
    assert.deepEqual(readdirSync(disk.folder, { recursive: true }), before);
  }));

async function becomesReady(url: string): Promise<void> {
  const giveUp = performance.now() + 10_000;
  while ((await fetch(`${url}/health/ready`)).status !== 200) {
    assert(performance.now() < giveUp, 'still not ready after 10 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
