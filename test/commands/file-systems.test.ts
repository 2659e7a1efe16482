// What disks and file systems lack or answer: a sentence for each, and nothing that is lacking stops what can do without.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test, type TestContext } from 'node:test';
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
  for (const code of codes.split(' ')) {
    const error = Object.assign(new Error(`${code}: x`), { code });
    assert.doesNotMatch(systemErrorText(error), /can't be used: x/, code);
  }
});

const skip = executable !== undefined ? 'failing calls need the sources' : noCompiler();
const databaseFiles = 'orderly.db,orderly.db-wal';

describe('where', { skip }, () => {
  let library = '';
  const folderOfLibrary = newFolder({ after: (end) => after(end as () => void) }); // it takes no arguments
  before(() => {
    library = buildLibrary('failing-disk', folderOfLibrary);
  });

  const failing = (failure: Failure) => ({ env: failingCall(library, failure), runs: program });

  /** Makes a backup in a folder while calls fail. */
  async function backup(t: TestContext, failure: Failure) {
    const [folder, share] = [await dataFolder(t), newFolder(t)];
    const args = ['backup', join(share, 'copy.db'), `--data=${folder}`];
    const { status, stderr } = await orderly(args, failing(failure));
    return { outcome: [status, ...readdirSync(share)], stderr };
  }

  const sync = { call: 'fsync', end: '/' } as const;
  for (const [what, failure] of [
    ['folders have no sync (EINVAL)', { ...sync, code: 'EINVAL' }],
    ['folders have no sync (ENOSYS)', { ...sync, code: 'ENOSYS' }],
    ['folders have no sync (EOPNOTSUPP)', { ...sync, code: 'EOPNOTSUPP' }],
    ['a share can’t share memory', { call: 'map', code: 'ENODEV', end: '.partial-shm' }],
  ] as const)
    test(`${what}, a backup is made`, async (t) =>
      assert.deepEqual(await backup(t, failure), { outcome: [0, 'copy.db'], stderr: '' }));

  test('a sync fails (EIO), a backup fails and leaves nothing', async (t) => {
    const { outcome, stderr } = await backup(t, { call: 'fsync', code: 'EIO', end: '.partial' });
    assert.deepEqual(outcome, [1]);
    assert.match(stderr, /the disk reports an I\/O error/);
  });

  for (const code of ['EDQUOT', 'EFBIG'] as const)
    test(`the database can’t grow (${code}), the service starts for reading, and changes are 503`, async (t) => {
      const folder = await dataFolder(t);
      const key = await rootKey(folder, 'customers:write');
      const args = ['--tls=off', `--data=${folder}`];
      assert.equal((await (await serving(t, args)).end()).status, 0);
      const { url, output } = await serving(t, args, failing({ call: 'write', code, end: databaseFiles }));
      assert.match(output.stdout, /starting read-only because the disk is full, or a quota is reached/);
      assert.equal(await addCustomer(url, key), 503);
      assert.equal((await fetch(`${url}/health/ready`)).status, 503);
    });

  const noMemory = /orderly\.db is where the file system can't share memory: use a local disk/;
  const write = { call: 'write', end: databaseFiles } as const;
  for (const [what, sentence, failure] of [
    ['can’t share memory', noMemory, { call: 'map', code: 'ENODEV', end: '-shm' }],
    ['can’t be written (EDQUOT)', /a quota or a limit \(ulimit -f\) is/, { ...write, code: 'EDQUOT' }],
    ['can’t be written (EIO)', /the disk reports an I\/O error/, { ...write, code: 'EIO' }],
  ] as const)
    test(`the data folder of a first start ${what}, it says why`, async (t) => {
      const args = ['serve', '--port=0', '--tls=off', `--data=${newFolder(t)}`];
      const { status, stderr } = await orderly(args, failing(failure));
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
        const service = await serving(
          t,
          ['--tls=off', `--data=${folder}`],
          failing({ call, code: 'ENOSYS', end: '' }),
        );
        assert.equal((await service.end()).status, 0);
        assert.doesNotMatch(service.output.stdout, /the database is a copy/);
        using db = new DatabaseSync(databaseFile(folder));
        epochs.add(db.prepare('SELECT epoch FROM feed').get()?.['epoch']);
      }
      assert.equal(epochs.size, 1);
    });
});

test('on a disk that became read-only the database can be checked and backed up', (t) =>
  withSmallDisk(t, 4, async (disk) => {
    const args = ['--tls=off', `--data=${join(disk.folder, 'data')}`];
    const first = await serving(t, args, { env: rootVariables });
    assert.equal((await first.end()).status, 0);
    assert.equal(spawnSync('mount', ['-o', 'remount,ro', disk.folder]).status, 0);
    try {
      for (const command of [['check'], ['backup', join(newFolder(t), 'copy.db')]]) {
        const { status, stderr } = await orderly([...command, args[1] ?? '']);
        assert.deepEqual([status, stderr], [0, ''], command.join(' '));
      }
      const { status, stderr } = await orderly(['serve', '--port=0', ...args]);
      assert.equal(status, 1);
      assert.match(stderr, /is on a read-only file system/);
    } finally {
      spawnSync('mount', ['-o', 'remount,rw', disk.folder]);
    }
  }));

test('an ordinary local disk is no reason to warn', (t) => {
  assert.equal(unsafeFileSystemOf(newFolder(t)), undefined);
});
