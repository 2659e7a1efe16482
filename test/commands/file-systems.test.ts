// What disks and file systems lack or answer: a sentence for each, and nothing that is lacking stops what can do without.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { systemErrorText } from '../../src/base/system-error.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { unsafeFileSystemOf } from '../../src/storage/file-systems.ts';
import {
  addCustomer,
  dataFolder,
  newFolder,
  orderly,
  program,
  rootKey,
  rootVariables,
  serving,
} from '../support/command-support.ts';
import { buildLibrary, failing as failingCall, noCompiler, type Failure } from '../support/preloaded.ts';
import { executable } from '../support/service.ts';
import { withSmallDisk } from '../support/small-disk.ts';

test('each errno that a disk can answer has its sentence', () => {
  const codes =
    'EACCES EBUSY EDQUOT EEXIST EFBIG EINVAL EIO EISDIR ELOOP EMFILE ENAMETOOLONG ENFILE ENODEV ENOENT ENOLCK ENOMEM ' +
    'ENOSPC ENOSYS ENOTDIR ENOTSUP ENXIO EOPNOTSUPP EPERM EROFS ESTALE ETIMEDOUT';
  for (const code of codes.split(' '))
    assert.doesNotMatch(
      systemErrorText(Object.assign(new Error(`${code}: x`), { code })),
      /can't be used: x/,
      code,
    );
});

const skip = executable !== undefined ? 'failing calls need the sources' : noCompiler();

describe('where', { skip }, () => {
  let library = '';
  const folderOfLibrary = newFolder({ after: (end) => after(end as () => void) }); // it takes no arguments
  before(() => {
    library = buildLibrary('failing-disk', folderOfLibrary);
  });

  function failing(call: Failure['call'], code: Failure['code'], end: string) {
    return { env: failingCall(library, { call, code, end }), runs: program };
  }

  for (const code of ['EINVAL', 'ENOSYS', 'EOPNOTSUPP'] as const)
    test(`folders have no sync (${code}), a backup is made`, async (t) => {
      const [folder, share] = [await dataFolder(t), newFolder(t)];
      const args = ['backup', join(share, 'copy.db'), `--data=${folder}`];
      const { status, stderr } = await orderly(args, failing('fsync', code, '/'));
      assert.deepEqual([status, stderr], [0, '']);
      assert.deepEqual(readdirSync(share), ['copy.db']);
    });

  test('a sync fails (EIO), a backup fails and leaves nothing', async (t) => {
    const [folder, share] = [await dataFolder(t), newFolder(t)];
    const args = ['backup', join(share, 'copy.db'), `--data=${folder}`];
    const { status, stderr } = await orderly(args, failing('fsync', 'EIO', '.partial'));
    assert.deepEqual([status, readdirSync(share)], [1, []]);
    assert.match(stderr, /the disk reports an I\/O error/);
  });

  test('a share can’t share memory, a backup is made there', async (t) => {
    const [folder, share] = [await dataFolder(t), newFolder(t)];
    const args = ['backup', join(share, 'copy.db'), `--data=${folder}`];
    const { status, stderr } = await orderly(args, failing('map', 'ENODEV', '.partial-shm'));
    assert.deepEqual([status, stderr, readdirSync(share)], [0, '', ['copy.db']]);
  });

  test('the data folder can’t share memory, the start says so', async (t) => {
    const args = ['serve', '--port=0', '--tls=off', `--data=${await dataFolder(t)}`];
    const { status, stderr } = await orderly(args, failing('map', 'ENODEV', '-shm'));
    assert.equal(status, 1);
    assert.match(stderr, /orderly\.db is where the file system can't share memory: use a local disk/);
  });

  for (const code of ['EDQUOT', 'EFBIG'] as const)
    test(`the database can’t grow (${code}), the service starts for reading, and changes are 503`, async (t) => {
      const folder = await dataFolder(t);
      const key = await rootKey(folder, 'customers:write');
      assert.equal((await (await serving(t, ['--tls=off', `--data=${folder}`])).end()).status, 0);
      const ends = 'orderly.db,orderly.db-wal';
      const { url, output } = await serving(
        t,
        ['--tls=off', `--data=${folder}`],
        failing('write', code, ends),
      );
      assert.match(output.stdout, /starting read-only because the disk is full, or a quota is reached/);
      assert.equal(await addCustomer(url, key), 503);
      assert.equal((await fetch(`${url}/health/ready`)).status, 503);
    });

  for (const [code, sentence] of [
    ['EDQUOT', /a quota or a limit \(ulimit -f\) is reached/],
    ['EIO', /the disk reports an I\/O error/],
  ] as const)
    test(`a first start can’t write (${code}), it says why`, async (t) => {
      const ends = 'orderly.db,orderly.db-wal';
      const args = ['serve', '--port=0', '--tls=off', `--data=${newFolder(t)}`];
      const { status, stderr } = await orderly(args, failing('write', code, ends));
      assert.equal(status, 1);
      assert.match(stderr, sentence);
    });

  for (const [what, call] of [
    ['no birth times are known', 'statx'],
    ['birth times are known', ''],
  ] as const)
    test(`${what}, starts after each other begin no new epoch`, async (t) => {
      const folder = await dataFolder(t);
      const epochs = new Set<unknown>();
      for (let starts = 0; starts < 3; starts += 1) {
        const service = await serving(t, ['--tls=off', `--data=${folder}`], failing(call, 'ENOSYS', ''));
        assert.equal((await service.end()).status, 0);
        assert.doesNotMatch(service.output.stdout, /the database is a copy/);
        const db = new DatabaseSync(databaseFile(folder));
        epochs.add(db.prepare('SELECT epoch FROM feed').get()?.['epoch']);
        db.close();
      }
      assert.equal(epochs.size, 1);
    });
});

test('on a disk that became read-only the database can be checked and backed up', (t) =>
  withSmallDisk(t, 4, async (disk) => {
    const data = join(disk.folder, 'data');
    assert.equal(
      (await (await serving(t, [`--data=${data}`, '--tls=off'], { env: rootVariables })).end()).status,
      0,
    );
    assert.equal(spawnSync('mount', ['-o', 'remount,ro', disk.folder]).status, 0);
    try {
      for (const args of [['check'], ['backup', join(newFolder(t), 'copy.db')]]) {
        const { status, stderr } = await orderly([...args, `--data=${data}`]);
        assert.deepEqual([status, stderr], [0, ''], args.join(' '));
      }
      const { status, stderr } = await orderly(['serve', '--port=0', '--tls=off', `--data=${data}`]);
      assert.equal(status, 1);
      assert.match(stderr, /is on a read-only file system/);
    } finally {
      spawnSync('mount', ['-o', 'remount,rw', disk.folder]);
    }
  }));

test('an ordinary local disk is no reason to warn', (t) => {
  assert.equal(unsafeFileSystemOf(newFolder(t)), undefined);
});
