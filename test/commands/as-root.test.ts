// Commands that root runs on a folder of another account: they have that account's rights alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { executable } from '../support/service.ts';
import {
  dataFolder,
  newFolder,
  orderly,
  program,
  readOnlyFolder,
  serving,
  start,
  type Ended,
} from '../support/command-support.ts';

const account = 65_534;
const skip = process.getuid?.() !== 0 && 'only root can use the folder of another account';
const email = '--email=root@example.com';

describe('of another account’s folder', { skip }, () => {
  const runs = readableProgram({ after: (end) => after(end as () => void) }); // it takes no arguments

  /** A folder with a database, all of it owned by the account. */
  async function foreignFolder(t: TestContext): Promise<string> {
    const folder = join(newFolder(t), 'data');
    cpSync(await dataFolder(t), folder, { recursive: true });
    chmodSync(join(folder, '..'), 0o711);
    for (const name of ['.', ...readdirSync(folder)]) chownSync(join(folder, name), account, account);
    chmodSync(folder, 0o700);
    return folder;
  }

  function run(folder: string, args: readonly string[], cwd?: string): Promise<Ended> {
    return orderly([...args, `--data=${folder}`], cwd === undefined ? { runs } : { runs, cwd });
  }

  const commands: readonly (readonly [name: string, args: (backup: string) => readonly string[]])[] = [
    ['restore', (backup) => ['restore', backup, '--force']],
    ['backup', (backup) => ['backup', `${backup}.again`]],
    ['admin create', () => ['admin', 'create', '--email=ada@example.com']],
    ['admin reset', () => ['admin', 'reset', email]],
    ['keys create', () => ['keys', 'create', email, '--name=k', '--scopes=orders:read']],
    ['check', () => ['check']],
    ['sample', () => ['sample', '--orders=1']],
    ['serve', () => ['serve', '--tls=off', '--port=0', '--host=256.0.0.1']],
  ];
  for (const [name, args] of commands)
    test(`${name} by root changes no file of root that another account’s folder links to`, async (t) => {
      const folder = await foreignFolder(t);
      const exchange = newFolder(t);
      chmodSync(exchange, 0o777);
      const backup = join(exchange, 'backup.db');
      cpSync(join(folder, 'orderly.db'), backup);
      chmodSync(backup, 0o644);
      const secret = join(exchange, 'secret');
      writeFileSync(secret, 'root’s own\n');
      chmodSync(secret, 0o640);
      const { ctimeMs } = statSync(secret);
      const db = new DatabaseSync(join(folder, 'orderly.db'));
      db.exec('PRAGMA user_version = 0');
      db.close();
      for (const name of ['lock.db', 'orderly.db.partial', 'last-backup.partial']) {
        const link = join(folder, name);
        rmSync(link, { force: true });
        symlinkSync(secret, link);
        lchownSync(link, account, account);
      }
      await run(folder, args(backup));
      const { uid, mode, ctimeMs: changedMs } = statSync(secret);
      assert.deepEqual([uid, mode & 0o777, changedMs], [0, 0o640, ctimeMs]);
    });

  test('root neither writes a backup into another account’s folder nor restores one from there', async (t) => {
    const folder = await dataFolder(t);
    const own = newFolder(t);
    const foreign = newFolder(t);
    const file = join(own, 'backup.db');
    assert.equal((await orderly(['backup', file, `--data=${folder}`])).status, 0);
    cpSync(file, join(foreign, 'backup.db'));
    chownSync(foreign, account, account);
    for (const args of [
      ['backup', join(foreign, 'another.db')],
      ['restore', join(foreign, 'backup.db'), '--force'],
    ]) {
      const { status, stderr } = await run(folder, args);
      assert.equal(status, 1, args.join(' '));
      assert.match(stderr, /Another account may change files of /);
    }
    assert.deepEqual(readdirSync(foreign), ['backup.db']);
  });

  const shared: readonly (readonly [name: string, (folder: string) => string])[] = [
    ['a folder of all accounts, where any can put a journal beside it', (folder) => open(folder, 0o1777)],
    ['a folder that a group may write', (folder) => open(folder, 0o775, account)],
    ['a folder in a folder of another account', (folder) => inside(given(folder))],
    ['a folder in a folder that all accounts may write', (folder) => inside(open(folder, 0o777))],
    ['a folder that another account’s link leads to', (folder) => linkedFrom(open(folder, 0o1777))],
  ];
  for (const [name, made] of shared)
    test(`root neither writes a backup into ${name}, nor restores one from there`, async (t) => {
      const folder = await dataFolder(t);
      const backup = join(newFolder(t), 'backup.db');
      assert.equal((await orderly(['backup', backup, `--data=${folder}`])).status, 0);
      const place = made(newFolder(t));
      cpSync(backup, join(place, 'backup.db'));
      for (const args of [
        ['backup', join(place, 'another.db')],
        ['restore', join(place, 'backup.db'), '--force'],
      ]) {
        const { status, stderr } = await run(folder, args);
        assert.equal(status, 1, args.join(' '));
        assert.match(stderr, /Another account may change files of /);
      }
      assert.deepEqual(readdirSync(place), ['backup.db']);
    });

  test('root restores what its own link leads to only from a folder of its own', async (t) => {
    const folder = await dataFolder(t);
    const backup = join(open(newFolder(t), 0o1777), 'backup.db');
    cpSync(join(folder, 'orderly.db'), backup);
    const link = join(newFolder(t), 'link.db');
    symlinkSync(backup, link);
    const { status, stderr } = await run(folder, ['restore', link, '--force']);
    assert.equal(status, 1);
    assert.match(stderr, /Another account may change files of /);
  });

  test('commands that root runs in another account’s folder leave all files to the account', async (t) => {
    const folder = await foreignFolder(t);
    const exchange = newFolder(t);
    chownSync(exchange, account, account);
    const backup = join(exchange, 'backup.db');
    for (const args of [
      ['admin', 'create', '--email=ada@example.com'],
      ['admin', 'reset', email],
      ['check'],
      ['backup', backup],
      ['restore', backup, '--force'],
    ]) {
      const { status, stderr } = await run(folder, args);
      const note = `orderly: ${folder} belongs to account ${account}, so this runs with its rights.\n`;
      assert.deepEqual([status, stderr], [0, note], args.join(' '));
    }
    for (const file of [backup, join(folder, 'orderly.db'), join(folder, 'last-backup')])
      assert.equal(statSync(file).uid, account, file);
  });

  test('a service that root starts runs as the folder’s account, even if the folder is missing', async (t) => {
    const above = newFolder(t);
    chownSync(above, account, account);
    const folder = join(above, 'made', 'here');
    const service = await serving(t, ['--tls=off', `--data=${folder}`], { runs });
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
    assert.match(status, /^Uid:\t65534\t65534\t65534\t65534$/m);
    assert.match(status, /^Gid:\t65534\t65534\t65534\t65534$/m);
    assert.match(status, /^Groups:\t *$/m);
    assert.equal(statSync(join(folder, 'orderly.db')).uid, account);
    assert.equal((await service.end()).status, 0);
  });

  test('a folder that its account may only read stops a start by root with a sentence', async (t) => {
    const folder = newFolder(t);
    chownSync(folder, account, account);
    chmodSync(folder, 0o555);
    const { status, stderr } = await run(folder, ['--port=0', '--tls=off']);
    assert.equal(status, 1);
    assert.match(stderr, readOnlyFolder);
  });

  test(
    'a start by root names a program that the folder’s account can’t read',
    { skip: executable !== undefined && 'the executable is loaded' },
    async (t) => {
      const copy = join(runs.at(-1) ?? '', '../..');
      chmodSync(copy, 0o700);
      t.after(() => chmodSync(copy, 0o755));
      const { status, stderr } = await run(await foreignFolder(t), ['check']);
      assert.equal(status, 1);
      assert.match(stderr, /orderly: Account 65534 can't read the program, .*src\/main\.ts\.\n$/);
    },
  );
});

describe('the settings of another account', { skip }, () => {
  test('root reads no .env of another account, be it a file or a link', async (t) => {
    const cwd = newFolder(t);
    const roots = join(newFolder(t), 'settings');
    writeFileSync(roots, 'ORDERLY_DATA=elsewhere\n');
    for (const make of [
      () => writeFileSync(join(cwd, '.env'), 'ORDERLY_DATA=elsewhere\n'),
      () => symlinkSync(roots, join(cwd, '.env')),
    ]) {
      rmSync(join(cwd, '.env'), { force: true });
      make();
      lchownSync(join(cwd, '.env'), account, account);
      const { status, stderr } = await orderly(['check'], { cwd });
      assert.deepEqual(
        [status, stderr],
        [78, 'orderly: .env belongs to another account, and root reads only its own: use flags\n'],
      );
    }
    lchownSync(join(cwd, '.env'), 0, 0);
    mkdirSync(join(cwd, 'elsewhere'));
    assert.match((await orderly(['check'], { cwd })).stderr, /no orderly database at elsewhere/);
    assert.ok(existsSync(roots));
  });
});

/**
 * A copy of the program, since the other account may have no access to the project's folder. What one run
 * compiles is there for the next, as both root and the account may write to the cache.
 */
function readableProgram(t: Pick<TestContext, 'after'>): readonly string[] {
  if (executable !== undefined || skip !== false) return program;
  const folder = newFolder(t);
  chmodSync(folder, 0o755);
  cpSync(join(start, '..'), join(folder, 'src'), { recursive: true });
  const [command = '', ...args] = program.with(-1, join(folder, 'src/start.js'));
  spawnSync(command, [...args, '--version'], { env: {} }); // makes the folder of the cache
  const caches = join(folder, 'node_modules/.cache/orderly');
  for (const name of readdirSync(caches)) chmodSync(join(caches, name), 0o777);
  return [command, ...args];
}

function open(folder: string, mode: number, group = 0): string {
  chownSync(folder, 0, group);
  chmodSync(folder, mode);
  return folder;
}

function given(folder: string): string {
  chownSync(folder, account, account);
  return folder;
}

function inside(folder: string): string {
  const own = join(folder, 'own');
  mkdirSync(own, { mode: 0o700 });
  return own;
}

/** Root's own folder, under the name of another account's link. */
function linkedFrom(folder: string): string {
  const link = join(folder, 'link');
  mkdirSync(join(folder, 'own'), { mode: 0o700 });
  symlinkSync(join(folder, 'own'), link);
  lchownSync(link, account, account);
  return link;
}
