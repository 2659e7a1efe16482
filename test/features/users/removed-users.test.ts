// A user with very many orders is removed at once; their rows are removed in slices, even after a restart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchText } from '../../../src/schema/search-text.ts';
import type { Connection } from '../../../src/storage/connection.ts';
import { checked } from '../../support/command-support.ts';
import { assertProblem } from '../../support/http-support.ts';
import { insideOnly, password, serviceFor, type Person, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { newOrder } from '../../support/resource-support.ts';
import { sliceRowsMax } from '../../../src/storage/slices.ts';

const rows = 8_000;

/** Copies of one order and one customer, both of id 1: through HTTP they would take minutes. */
async function own(service: TestService, { token }: Person): Promise<void> {
  await newOrder(service, token);
  const copies = 'WITH RECURSIVE n (i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n LIMIT ?)';
  const order = 'status, customerId, userId, currency, items, total, createdAt, updatedAt';
  const customer = 'userId, name, nameKey, createdAt, updatedAt';
  const searched = 'INSERT INTO customerSearch (rowid, text) SELECT id, ? FROM customers WHERE id > 1';
  await service.inside?.database.write((db) => {
    db.run(`${copies} INSERT INTO orders (${order}) SELECT ${order} FROM orders, n`, rows);
    db.run(`${copies} INSERT INTO customers (${customer}) SELECT ${customer} FROM customers, n`, rows / 10);
    db.run(searched, searchText('Grace Hopper', null, null));
    for (const topic of ['order', 'customer'])
      db.run(
        'INSERT INTO events (createdAt, type, topic, topicId, subjectId, ownerId) ' +
          `SELECT createdAt, '${topic}.created', '${topic}', id, id, userId FROM ${topic}s WHERE id > 1`,
      );
  });
}

function countIn(db: Connection | undefined, sql: string): number {
  return Number(db?.get<[number]>(`SELECT ${sql}`)?.[0]);
}

const leftIn = (db: Connection | undefined): number =>
  countIn(db, '(SELECT count(userId) FROM orders) + (SELECT count(userId) FROM customers)');

test('a removed user owns nothing at once; a restart completes the cleanup', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const [gone, staff] = [await service.person(), await service.person('staff')];
  await own(service, gone);
  const paths = ['/orders/1', '/customers/1'];
  for (const path of paths) assert.equal((await staff.get(path)).body.userId, gone.id); // now it is cached
  assert.equal((await gone.delete(`/api/users/${gone.id}`)).status, 204);
  assertProblem(await gone.get('/api/sessions'), 'invalid-token');
  for (const path of paths) assert.equal((await staff.get(path)).body.userId, null);
  const order = await staff.get('/orders/1');
  await service.restart();
  const { get, patch } = await service.signIn(staff.email, staff.password);

  const left = leftIn(service.inside?.database.read);
  assert(left > 0, 'stopping waits for a slice at most');
  for (const path of ['/orders', '/customers']) {
    const { body } = await get(`${path}?userId=${gone.id}&total=true`);
    assert.deepEqual([body.data, body.total], [[], 0]);
  }
  assertProblem(await get(`/api/users/${gone.id}/orders`), 'not-found');
  const again = { name: 'Ada', email: gone.email, password };
  assert.equal((await service.as().post('/api/users', again)).status, 201);
  assert.equal((await patch('/customers/1', { name: 'Renamed' })).body.userId, null);
  await checked(service.folder, 0);

  const writesBefore = Number(service.inside?.database.stats.writes);
  const seen: number[] = [];
  for (let next = '/orders?sort=total&limit=200'; next !== null;) {
    const { body } = await get(next);
    for (const { id, userId } of body.data) {
      assert.equal(userId, null);
      seen.push(id);
    }
    next = body.next;
    void service.inside?.cleanup.run();
  }
  assert.deepEqual(
    seen.toSorted((a, b) => a - b),
    Array.from({ length: rows + 1 }, (_, index) => index + 1),
  );
  await service.inside?.cleanup.run();
  assert.equal(leftIn(service.inside?.database.read), 0);
  assert.equal(countIn(service.inside?.database.read, 'count(*) FROM removedUsers'), 0);
  assert(Number(service.inside?.database.stats.writes) - writesBefore >= left / sliceRowsMax);
  assert.equal((await get('/orders/1')).headers.etag, order.headers.etag);
});

test('the rows of a removed user are cleared immediately, without a restart', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const gone = await service.person();
  await newOrder(service, gone.token);
  await gone.delete(`/api/users/${gone.id}`);
  await until(() => leftIn(service.inside?.database.read) === 0);
});

test('check reports an owner that never existed', insideOnly, async (t) => {
  const service = await serviceFor(t);
  await newOrder(service, (await service.person()).token);
  await service.inside?.database.write((db) => {
    for (const table of ['orders', 'customers']) db.run(`UPDATE ${table} SET userId = 4711`);
  });
  const stdout = await checked(service.folder, 1);
  for (const object of ['order 1', 'customer 1'])
    assert.match(stdout, new RegExp(`^${object} at /userId: There is no user 4711\\.$`, 'm'));
});
