// What root and other accounts do with folders, files and settings of another account: they don't use them.
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { ensureSecrets } from '../../src/service/cryptography.ts';
import { claimFolder } from '../../src/storage/private-files.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { dataFolder, newFolder, orderly } from '../support/command-support.ts';

const account = 65_534;
const skip = process.getuid?.() !== 0 && 'only root can give files to another account';

describe('of another account’s folder', { skip }, () => {
  /** A folder with a database, all of it owned by the account. */
  async function foreignFolder(t: TestContext): Promise<string> {
    const folder = await dataFolder(t);
    for (const name of readdirSync(folder)) chownSync(join(folder, name), account, account);
    chownSync(folder, account, account);
    return folder;
  }

  const commands: readonly (readonly string[])[] = [
    ['restore', 'backup.db', '--force'],
    ['admin', 'reset', '--email=root@example.com'],
    ['serve', '--tls=off', '--port=0'],
  ];
  for (const args of commands)
    test(`${args.slice(0, 2).join(' ')} by root is refused, and changes no file`, async (t) => {
      const folder = await foreignFolder(t);
      const secret = join(newFolder(t), 'secret');
      writeFileSync(secret, 'root’s own\n', { mode: 0o640 });
      rmSync(join(folder, 'lock.db'), { force: true });
      symlinkSync(secret, join(folder, 'lock.db'));
      const before = readdirSync(folder);
      const { status, stderr } = await orderly([...args, `--data=${folder}`]);
      assert.deepEqual(
        [status, /belongs to account 65534, and root uses only its own/.test(stderr)],
        [1, true],
      );
      assert.match(stderr, /runuser -u NAME -- orderly/);
      assert.deepEqual(readdirSync(folder), before);
      assert.deepEqual([statSync(secret).uid, statSync(secret).mode & 0o777], [0, 0o640]);
    });

  test('root makes no data folder in another account’s', async (t) => {
    const above = newFolder(t);
    chownSync(above, account, account);
    const { status } = await orderly(['serve', '--port=0', `--data=${join(above, 'data')}`]);
    assert.equal(status, 1);
    assert.deepEqual(readdirSync(above), []);
  });

  test('the account itself uses it', async (t) => {
    const folder = await foreignFolder(t);
    inAccount(() => claimFolder(folder));
  });

  const shared: readonly (readonly [name: string, (folder: string) => string])[] = [
    ['of another account', (folder) => given(folder)],
    ['of all accounts, where any can put a journal beside it', (folder) => open(folder, 0o1777)],
    ['that a group may write', (folder) => open(folder, 0o775, account)],
  ];
  for (const [name, made] of shared)
    test(`root neither writes a backup into a folder ${name}, nor restores one from there`, async (t) => {
      const folder = await dataFolder(t);
      const backup = join(newFolder(t), 'backup.db');
      assert.equal((await orderly(['backup', backup, `--data=${folder}`])).status, 0);
      const place = made(newFolder(t));
      cpSync(backup, join(place, 'backup.db'));
      for (const args of [
        ['backup', join(place, 'another.db')],
        ['restore', join(place, 'backup.db'), '--force'],
      ]) {
        const { status, stderr } = await orderly([...args, `--data=${folder}`]);
        assert.equal(status, 1, args.join(' '));
        assert.match(stderr, /Another account may change files of /);
      }
      assert.deepEqual(readdirSync(place), ['backup.db']);
    });
});

for (const mode of [0o777, 0o1777, 0o775, 0o755])
  test(`of mode ${mode.toString(8)} is made private`, async (t) => {
    const folder = await dataFolder(t);
    chmodSync(folder, mode);
    claimFolder(folder);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

test('that holds other files, named by mistake, keeps its mode, and is refused if all may write it', (t) => {
  const folder = newFolder(t);
  writeFileSync(join(folder, 'other'), '');
  for (const mode of [0o755, 0o1777]) {
    chmodSync(folder, mode);
    if (mode === 0o755) claimFolder(folder);
    else assert.throws(() => claimFolder(folder), /Other accounts may write the folder/);
    assert.equal(statSync(folder).mode & 0o1777, mode);
  }
});

test('that may only be read stays so', (t) => {
  const folder = newFolder(t);
  chmodSync(folder, 0o555);
  claimFolder(folder);
  assert.equal(statSync(folder).mode & 0o777, 0o500);
});

describe('a file that another account placed', { skip }, () => {
  for (const name of ['lock.db', 'orderly.db', 'orderly.db-wal', 'orderly.db-shm', 'orderly.db-journal'])
    test(`as ${name}, or as a link of that name, is refused`, async (t) => {
      const target = join(newFolder(t), 'passwd');
      writeFileSync(target, '', { mode: 0o644 });
      for (const make of [
        (file: string) => {
          writeFileSync(file, '');
          chownSync(file, account, account);
        },
        (file: string) => symlinkSync(target, file),
        (file: string) => mkdirSync(file),
      ]) {
        const folder = newFolder(t);
        make(join(folder, name));
        assert.throws(
          () => claimFolder(folder),
          new RegExp(`${name} (belongs to account|is a link|is not a file)`),
        );
      }
      assert.equal(statSync(target).mode & 0o777, 0o644);
    });

  test('as secret.key is refused: its author could forge tokens', (t) => {
    const folder = newFolder(t);
    const file = join(folder, 'secret.key');
    writeFileSync(file, `${'k'.repeat(43)}\n`);
    chownSync(file, account, account);
    assert.throws(() => secretsOf(folder), /secret\.key belongs to account 65534/);
    rmSync(file);
    symlinkSync('/etc/passwd', file);
    assert.throws(() => secretsOf(folder), /secret\.key is a link/);
  });

  test('in a folder that a group may write is refused to another account, too', (t) => {
    const folder = open(newFolder(t), 0o2775, account);
    writeFileSync(join(folder, 'orderly.db'), '');
    assert.throws(() => inAccount(() => claimFolder(folder)), /orderly\.db belongs to account 0/);
    rmSync(join(folder, 'orderly.db'));
    inAccount(() => claimFolder(folder)); // as Kubernetes gives a volume to a group
  });

  test('in a folder of root that all may write is refused before anything is written', (t) => {
    const folder = open(newFolder(t), 0o777);
    assert.throws(() => inAccount(() => claimFolder(folder)), /name a folder in it that is still missing/);
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('the settings of another account', { skip }, () => {
  test('a .env of another account is refused, be it a file or a link', async (t) => {
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
        [78, 'orderly: .env belongs to another account: use flags, or a .env of your own\n'],
      );
    }
    lchownSync(join(cwd, '.env'), 0, 0);
    mkdirSync(join(cwd, 'elsewhere'));
    assert.match((await orderly(['check'], { cwd })).stderr, /no orderly database at elsewhere/);
    assert.ok(existsSync(roots));
  });
});

function secretsOf(folder: string): unknown {
  return ensureSecrets(readCommandLine([`--data=${folder}`], {}).config);
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

/** Calls a function with the rights of the account. */
function inAccount(call: () => void): void {
  process.setegid?.(account);
  process.seteuid?.(account);
  try {
    call();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
