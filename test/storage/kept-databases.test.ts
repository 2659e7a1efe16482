// The databases of released versions: this version opens each of them, finds it sound, and shows what it holds.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { suite, test, type TestContext } from 'node:test';
import { features, migrations } from '../../src/service/features.ts';
import { openMigrated } from '../../src/storage/migrations.ts';
import { newFolder, orderly } from '../support/command-support.ts';
import { keptSecret, keptVersions, placeKeptDatabase } from '../support/kept-databases.ts';
import { password, serviceFor } from '../support/service.ts';

const settings = { 'jwt-secrets': keptSecret };

for (const version of keptVersions()) {
  suite(`the database of version ${version}`, () => {
    test(`the database of version ${version} is sound once this version has opened it`, async (t) => {
      const folder = folderWith(t, version);
      const service = await serviceFor(t, { folder, settings });
      await service.inside?.cleanup.run();
      await service.stop();
      const { status, stdout } = await orderly(['check', `--data=${folder}`]);
      assert.equal(status, 0, stdout);
    });

    test(`the database of version ${version} shows everything that it holds`, async (t) => {
      const service = await serviceFor(t, { folder: folderWith(t, version), settings });
      const { token } = await service.signIn(service.admin.email, service.admin.password);
      const ada = await service.signIn('user1@example.com', password);
      const counts = {
        '/api/users': 5,
        '/customers': 3,
        '/orders': 7,
        '/products': 1,
        '/webhooks': 1,
        '/events?type=order.created': 7,
      };
      for (const [path, count] of Object.entries(counts)) {
        const { status, body } = await service.get(path, { token });
        if (status === 404) continue; // its feature has been deleted
        assert.equal(body.data.length, count, path);
      }
      assert.equal((await service.get('/api/keys', { token: ada.token })).body.data.length, 1);
      const withCodes = { body: { email: 'user5@example.com', password } };
      assert.match((await service.post('/api/sessions', withCodes)).text, /code-required/);
      const suspended = { body: { email: 'user3@example.com', password } };
      assert.equal((await service.post('/api/sessions', suspended)).status, 401);
    });

    test(`a customer of the database of version ${version} is found by city`, async (t) => {
      const service = await serviceFor(t, { folder: folderWith(t, version), settings });
      const { token } = await service.signIn(service.admin.email, service.admin.password);
      const { data } = (await service.get('/customers', { token })).body;
      const { id, address, name } = data.find((each: { address: unknown }) => each.address !== null);
      for (const word of [address.city, name]) {
        const { body } = await service.get(`/customers?q=${encodeURIComponent(word)}`, { token });
        assert.ok(
          body.data.some((each: { id: number }) => each.id === id),
          word,
        );
      }
    });

    test(`the database of version ${version} has the tables that its migrations make now: a released migration was not edited`, (t) => {
      using kept = new DatabaseSync(placeKeptDatabase(version, newFolder(t)), { readOnly: true });
      using made = new DatabaseSync(':memory:');
      const applied = kept.prepare('SELECT count(*) AS count FROM migrations WHERE feature = ?');
      for (const { name, migrations = [] } of features) {
        const count = Number(applied.get(name)?.['count']);
        for (const { sql } of migrations.slice(0, count)) made.exec(sql);
      }
      if (hasDeletedFeature(kept)) return;
      assert.deepEqual(tablesOf(made), tablesOf(kept));
    });

    test(`the database of version ${version} becomes like a new one: no migration loses an index or a trigger`, async (t) => {
      const folder = folderWith(t, version);
      using upgraded = await openMigrated(folder, migrations);
      using made = await openMigrated(newFolder(t), migrations);
      if (hasDeletedFeature(upgraded)) return;
      assert.deepEqual(tablesOf(upgraded), tablesOf(made));
    });
  });
}

/** Whether migrations were applied of a feature that the sources no longer have. */
function hasDeletedFeature(db: DatabaseSync): boolean {
  const names = JSON.stringify(features.map(({ name }) => name));
  const sql = 'SELECT feature FROM migrations WHERE feature NOT IN (SELECT value FROM json_each(?))';
  return db.prepare(sql).all(names).length > 0;
}

/** The tables of a database, their indexes and triggers. */
function tablesOf(db: DatabaseSync): unknown[] {
  const sql =
    "SELECT name, sql FROM sqlite_schema WHERE name NOT IN ('migrations', 'sqlite_sequence') ORDER BY name";
  return db.prepare(sql).all();
}

function folderWith(t: TestContext, version: string): string {
  const folder = newFolder(t);
  placeKeptDatabase(version, folder);
  return folder;
}
