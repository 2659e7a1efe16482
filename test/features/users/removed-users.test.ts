// A user with very many orders is removed at once; their rows are removed in slices, even after a restart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchText } from '../../../src/schema/search-text.ts';
import type { Connection } from '../../../src/storage/connection.ts';
import { checked } from '../../support/command-support.ts';
import { assertProblem } from '../../support/http-support.ts';
import { insideOnly, password, serviceFor, type Person, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { newCustomer, newOrder } from '../../support/resource-support.ts';
import { sliceRowsMax } from '../../../src/storage/slices.ts';

const rows = 8_000;

/** Copies of one order and one customer: through HTTP they would take minutes. */
async function own(service: TestService, person: Person): Promise<{ orderId: number; customerId: number }> {
  const { id: customerId } = await newCustomer(service, person.token);
  const { id: orderId } = await newOrder(service, person.token, { customerId });
  const copies = 'WITH RECURSIVE n (i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n LIMIT ?)';
  const order = 'status, customerId, userId, currency, items, total, createdAt, updatedAt';
  const customer = 'userId, name, nameKey, createdAt, updatedAt';
  await service.inside?.database.write((db) => {
    db.run(`${copies} INSERT INTO orders (${order}) SELECT ${order} FROM orders, n`, rows);
    db.run(`${copies} INSERT INTO customers (${customer}) SELECT ${customer} FROM customers, n`, rows / 10);
    db.run(
      'INSERT INTO customerSearch (rowid, text) SELECT id, ? FROM customers WHERE id > ?',
      searchText('Grace Hopper', null, null),
      customerId,
    );
    for (const topic of ['order', 'customer']) {
      const createds = 'INSERT INTO events (createdAt, type, topic, topicId, subjectId, ownerId) ';
      const values = `createdAt, '${topic}.created', '${topic}', id, id, userId`;
      const ofCopies = `SELECT ${values} FROM ${topic}s WHERE id > ?`;
      db.run(createds + ofCopies, topic === 'order' ? orderId : customerId);
    }
  });
  return { orderId, customerId };
}

function leftIn(db: Connection | undefined): number {
  const sql =
    'SELECT (SELECT count(*) FROM orders WHERE userId IS NOT NULL) + ' +
    '(SELECT count(*) FROM customers WHERE userId IS NOT NULL)';
  return Number(db?.get<[number]>(sql)?.[0]);
}

/** The ids of all pages; `between` is called after each. */
async function walk(
  service: TestService,
  path: string,
  token: string,
  between: () => void,
): Promise<number[]> {
  const ids: number[] = [];
  for (let next: string | null = path; next !== null;) {
    const { body } = await service.get(next, { token });
    for (const { id, userId } of body.data) {
      assert.equal(userId, null);
      ids.push(id);
    }
    next = body.next;
    between();
  }
  return ids;
}

test(
  'a removed user owns nothing immediately, and a restart completes the cleanup',
  insideOnly,
  async (t) => {
    const service = await serviceFor(t);
    const gone = await service.person();
    const staff = await service.person('staff');
    let { token } = staff;
    const { orderId, customerId } = await own(service, gone);
    for (const path of [`/orders/${orderId}`, `/customers/${customerId}`])
      assert.equal((await service.get(path, { token })).body.userId, gone.id); // from now on it is cached
    assert.equal((await service.delete(`/api/users/${gone.id}`, { token: gone.token })).status, 204);
    assertProblem(await service.get('/api/sessions', { token: gone.token }), 'invalid-token');
    const order = await service.get(`/orders/${orderId}`, { token });
    assert.equal(order.body.userId, null);
    assert.equal((await service.get(`/customers/${customerId}`, { token })).body.userId, null);
    await service.restart();
    ({ token } = await service.signIn(staff.email, staff.password));

    const left = leftIn(service.inside?.database.read);
    assert(left > 0, 'stopping waits for a slice at most');
    for (const path of ['/orders', '/customers']) {
      const { body } = await service.get(`${path}?userId=${gone.id}&total=true`, { token });
      assert.deepEqual([body.data, body.total], [[], 0]);
    }
    assert.equal((await service.get(`/customers/${customerId}`, { token })).body.userId, null);
    assertProblem(await service.get(`/api/users/${gone.id}/orders`, { token }), 'not-found');
    const again = { name: 'Ada', email: gone.email, password };
    assert.equal((await service.post('/api/users', { body: again })).status, 201);
    const renamed = { token, body: { name: 'Renamed' } };
    assert.equal((await service.patch(`/customers/${customerId}`, renamed)).body.userId, null);
    await checked(service.folder, 0);

    const writesBefore = Number(service.inside?.database.stats.writes);
    const seen = await walk(service, '/orders?sort=total&limit=200', token, () => {
      void service.inside?.app.cleanup.run();
    });
    assert.deepEqual(
      seen.toSorted((a, b) => a - b),
      Array.from({ length: rows + 1 }, (_, index) => index + 1),
    );
    await service.inside?.app.cleanup.run();
    assert.equal(leftIn(service.inside?.database.read), 0);
    assert.equal(service.inside?.database.read.get<[number]>('SELECT count(*) FROM removedUsers')?.[0], 0);
    assert(Number(service.inside?.database.stats.writes) - writesBefore >= left / sliceRowsMax);
    assert.equal((await service.get(`/orders/${orderId}`, { token })).headers.etag, order.headers.etag);
  },
);

test('the rows of a removed user are cleared immediately, without a restart', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const gone = await service.person();
  await newOrder(service, gone.token);
  await service.delete(`/api/users/${gone.id}`, { token: gone.token });
  await until(() => leftIn(service.inside?.database.read) === 0);
});

test('check reports an owner that never existed', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  const { id, customerId } = await newOrder(service, token);
  await service.inside?.database.write((db) => {
    db.run('UPDATE orders SET userId = 4711');
    db.run('UPDATE customers SET userId = 4711');
  });
  const stdout = await checked(service.folder, 1);
  assert.match(stdout, new RegExp(`^order ${id} at /userId: There is no user 4711\\.$`, 'm'));
  assert.match(stdout, new RegExp(`^customer ${customerId} at /userId: There is no user 4711\\.$`, 'm'));
});
