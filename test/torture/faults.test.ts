// Faults of the storage under a service: each has a clear message or a 503, and none a false success.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, suite, test } from 'node:test';
import { serviceFor } from '../support/service.ts';
import { checked, newFolder, orderly, program } from '../support/command-support.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { spawnService, startChild } from '../support/child-service.ts';
import { buildLibrary, failing, noCompiler } from '../support/preloaded.ts';
import { createLoadClient } from '../support/load-client.ts';
import {
  lengthenWal,
  placer,
  assertUnavailable,
  notesOf,
  assertRejected,
  openShop,
  placeUntilRefused,
  assertAllThere,
} from './fault-orders.ts';
import { settings, signedInFolder } from './signed-in-folder.ts';

suite('faults of the storage', { concurrency: 4 }, () => {
  const made = newFolder({ after });
  let token = '';
  before(async () => {
    ({ token } = await signedInFolder(made));
  });

  test('on a full disk changes are 503 and reads work; with space everything works, and nothing is lost', (t) =>
    withSmallDisk(t, 6, async (disk) => {
      const filler = join(disk.folder, 'filler');
      writeFileSync(filler, Buffer.alloc(3 * 2 ** 20));
      const service = await serviceFor(disk, { folder: join(disk.folder, 'data'), settings });
      const shop = await placer(service);
      const answered: string[] = [];
      let rejected = 0;
      const place = async (order: number): Promise<void> => {
        const note = `${order} ${'x'.repeat(1_900)}`;
        const response = await shop.place(note);
        if (response.status === 201) return void answered.push(note);
        assertUnavailable(response);
        rejected += 1;
      };
      for (let order = 0; rejected < 40 && order < 5_000; order += 8)
        await Promise.all(Array.from({ length: 8 }, (_, each) => place(order + each)));
      assert(rejected >= 40, 'the disk was filled');
      assert.equal((await service.get('/orders?limit=1', { token: shop.staff.token })).status, 200);
      assertUnavailable(await service.get('/health/ready'));
      const full = await notesOf(service, shop);
      assert.deepEqual(
        answered.filter((note) => !full.has(note)),
        [],
      );
      rmSync(filler);
      assert.equal((await shop.place('after')).status, 201);
      assert.equal((await service.get('/health/ready')).status, 200);
      await service.restart();
      assert.deepEqual(await notesOf(service, shop), new Set([...answered, 'after']));
      await checked(service.folder, 0);
    }));

  suite('when a sync fails', { skip: noCompiler() }, () => {
    for (const [of, what] of [
      ['/orderly.db-wal', 'the WAL'],
      ['/orderly.db', 'the database, while the WAL is checkpointed'],
    ] as const) {
      test(`when a sync of ${what} fails, waiting requests are 503, the service ends, a restart has everything`, async (t) => {
        const folder = newFolder(t);
        const broken = join(folder, 'broken');
        const library = buildLibrary('failing-disk', folder);
        const environment = failing(library, { call: 'fsync', code: 'EIO', end: of, when: broken });
        cpSync(made, join(folder, 'data'), { recursive: true });
        const service = await startChild({ folder: join(folder, 'data'), settings, environment });
        t.after(() => service.kill('SIGKILL'));
        const client = createLoadClient(service.port);
        const shop = await openShop(client, token);
        const answered: string[] = [];
        const writing = Array.from({ length: 32 }, (_, each) => placeUntilRefused(shop, each, answered));
        while (answered.length < 100) await new Promise((resolve) => setTimeout(resolve, 5));
        writeFileSync(broken, '');
        if (of === '/orderly.db') lengthenWal(join(folder, 'data'));
        const before = answered.length;
        const last = await Promise.all(writing);
        const { code, signal } = await service.ended;
        client.close();
        assert.deepEqual({ code, signal }, { code: 1, signal: null });
        assert.match(service.written(), /"level":"error".*(?:sync|checkpoint)/);
        const statuses = last.map((reply) => reply?.status ?? 0);
        assert(statuses.includes(503), 'what waited was answered 503');
        assert.deepEqual(
          statuses.filter((status) => status !== 503 && status !== 0),
          [],
        );
        // Each of the 32 may have had a response on its way, after a sync that began earlier.
        if (of === '/orderly.db-wal')
          assert(
            answered.length - before <= 32,
            `${answered.length - before} were answered after the sync failed`,
          );
        await assertAllThere(join(folder, 'data'), answered);
      });
    }
  });

  test('a database file that is overwritten is rejected with a clear message, and left unchanged', async (t) => {
    const folder = newFolder(t);
    cpSync(made, folder, { recursive: true });
    const file = join(folder, 'orderly.db');
    const sound = readFileSync(file);
    const bytes = Buffer.concat([sound.subarray(0, 100), Buffer.alloc(sound.length - 100, 7)]);
    writeFileSync(file, bytes);
    await assertRejected(folder, /orderly\.db is damaged, or its disk can't be read/);
    assert(readFileSync(file).equals(bytes));
  });

  test('what the disk can’t read is not called damage alone', { skip: noCompiler() }, async (t) => {
    const folder = newFolder(t);
    const library = buildLibrary('failing-disk', folder);
    cpSync(made, join(folder, 'data'), { recursive: true });
    const failingFrom = (from: number) => ({
      env: failing(library, { call: 'read', code: 'EIO', end: '/orderly.db', from }),
      runs: program,
    });
    const args = ['check', `--data=${join(folder, 'data')}`];
    const { status, stdout, stderr } = await orderly(args, failingFrom(65_536));
    assert.equal(status, 1);
    assert.match(stdout + stderr, /or its disk can't be read: check the disk, then restore a sound backup/);
    const backup = ['backup', join(folder, 'copy.db'), `--data=${join(folder, 'data')}`];
    const lastPage = statSync(join(folder, 'data', 'orderly.db')).size - 4_096;
    const failed = await orderly(backup, failingFrom(lastPage));
    assert.match(failed.stderr, /orderly\.db can't be read or written: the disk reports an I\/O error/);
    assert.equal((await orderly(args)).status, 0);
  });

  test('damage that a start finds later is reported with the file, too', async (t) => {
    const folder = newFolder(t);
    cpSync(made, folder, { recursive: true });
    damageFirstPageOf(join(folder, 'orderly.db'), 'webhooks');
    await assertRejected(folder, /orderly\.db is damaged, or its disk can't be read: check the disk/);
  });

  test('a start that finds damage once it listens ends', async (t) => {
    const folder = newFolder(t);
    cpSync(made, folder, { recursive: true });
    damageFirstPageOf(join(folder, 'orderly.db'), 'users_passwordExpiresAt');
    const { child, ended, written } = spawnService({ folder, settings });
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const { code } = await ended;
    clearTimeout(late);
    assert.equal(code, 1);
    assert.match(written(), /orderly\.db is damaged, or its disk can't be read/);
  });

  /** Forty orders, of which one or two are on a damaged page. Returns their paths. */
  async function damagedOrders(folder: string): Promise<string[]> {
    cpSync(made, folder, { recursive: true });
    const service = await startChild({ folder, settings });
    const client = createLoadClient(service.port);
    const shop = await openShop(client, token);
    const placed: Awaited<ReturnType<typeof shop.place>>[] = [];
    // one after the other: on the last page, the damaged order would be in the way of the next new one
    for (let each = 0; each < 40; each += 1)
      placed.push(await shop.place(`note ${each} ${'x'.repeat(1_900)}`));
    client.close();
    await service.kill('SIGTERM');
    damagePagesWith(join(folder, 'orderly.db'), 'note 20 x');
    return placed.map(({ thing }) => `/orders/${String(thing['id'])}`);
  }

  test('a damaged page costs the requests that need it, and the service goes on', async (t) => {
    const folder = newFolder(t);
    const paths = await damagedOrders(folder);
    const service = await startChild({ folder, settings });
    t.after(() => service.kill('SIGKILL'));
    const client = createLoadClient(service.port);
    t.after(() => client.close());
    const read = await Promise.all(paths.map((path) => client.ask({ method: 'GET', path, token })));
    const failed = paths.filter((_, index) => read[index]?.status !== 200);
    assert.deepEqual([...new Set(read.map(({ status }) => status))].toSorted(), [200, 500]);
    assert(failed.length <= 2, 'a page has two of these orders at most');
    const marking = { method: 'PATCH', token, body: { status: 'paid' } } as const;
    const path = failed[0] ?? assert.fail('no page was damaged');
    const sound = paths.find((each) => !failed.includes(each)) ?? assert.fail();
    const [broken, good] = await Promise.all([
      client.ask({ ...marking, path }),
      client.ask({ ...marking, path: sound }),
    ]);
    assert.equal(broken.status, 500);
    assert.match(String(good.status), /200|503/, 'what ran before it in one transaction may be repeated');
    assert.equal((await client.ask({ ...marking, path: sound })).status, 200);
    assert.equal((await (await openShop(client, token)).place('after')).status, 201);
    assert.match(service.written(), /database disk image is malformed/);
  });

  test(
    'a page that can’t be read ends the service if its disk can’t be synced',
    { skip: noCompiler() },
    async (t) => {
      const folder = newFolder(t);
      const paths = await damagedOrders(join(folder, 'data'));
      const broken = join(folder, 'broken');
      const library = buildLibrary('failing-disk', folder);
      const end = '/orderly.db-wal';
      const environment = failing(library, { call: 'fsync', code: 'EIO', end, when: broken });
      const service = await startChild({ folder: join(folder, 'data'), settings, environment });
      t.after(() => service.kill('SIGKILL'));
      const client = createLoadClient(service.port);
      t.after(() => client.close());
      writeFileSync(broken, '');
      await Promise.allSettled(paths.map((path) => client.ask({ method: 'GET', path, token })));
      const { code } = await service.ended;
      assert.equal(code, 1);
      assert.match(service.written(), /stopping, so that a restart recovers from the WAL/);
    },
  );

  suite('a database that another process holds', { concurrency: 4 }, () => {
    test('a database that another process holds makes changes wait, at last for a 503, while reads work', async (t) => {
      const service = await serviceFor(t);
      const shop = await placer(service);
      const other = new DatabaseSync(join(service.folder, 'orderly.db'));
      t.after(() => other.close());
      other.exec('BEGIN IMMEDIATE');
      const waiting = shop.place('waits');
      const reads = Array.from({ length: 20 }, () => service.get('/orders', { token: shop.staff.token }));
      for (const { status } of await Promise.all(reads)) assert.equal(status, 200);
      other.exec('ROLLBACK');
      assert.equal((await waiting).status, 201);
      other.exec('BEGIN IMMEDIATE');
      const start = performance.now();
      assertUnavailable(await shop.place('waits too long'));
      assert(performance.now() - start >= 5_000, 'the first wait does not count for the second');
      other.exec('ROLLBACK');
      assert.equal((await shop.place('after')).status, 201);
      assert.deepEqual(await notesOf(service, shop), new Set(['waits', 'after']));
    });

    test('a database that another process holds for too long stops a start with a clear message', async (t) => {
      const folder = newFolder(t);
      cpSync(made, folder, { recursive: true });
      const other = new DatabaseSync(join(folder, 'orderly.db'));
      t.after(() => other.close());
      other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      await assertRejected(folder, /orderly\.db is locked by another process/, program); // waits 10 s
    });
  });
});

function damageFirstPageOf(file: string, table: string): void {
  const statement = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
  const database = new DatabaseSync(file, { readOnly: true });
  const page = Number(database.prepare(statement).get(table)?.['rootpage']);
  database.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(7, (page - 1) * 4096, page * 4096));
}

function damagePagesWith(file: string, text: string): void {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1))
    bytes.fill(7, at - (at % 4096), at - (at % 4096) + 16);
  writeFileSync(file, bytes);
}
