// `orderly check`: what it finds in the events, and that it takes no change of a running service for damage.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { auditCustomerSearch } from '../../src/features/customers/customer-search-store.ts';
import { removeOldEvents } from '../../src/features/events/event-store.ts';
import { auditHistories } from '../../src/features/events/history-audit-store.ts';
import { maintenance } from '../../src/service/features.ts';
import { Connection } from '../../src/storage/connection.ts';
import { openSqlite } from '../../src/storage/database-file.ts';
import { newCustomer, newOrder } from '../support/resource-support.ts';
import { serviceFor } from '../support/service.ts';
import { checked } from '../support/command-support.ts';

describe('orderly check', { concurrency: true }, () => {
  test('orderly check finds items that are not those of the last event', async (t) => {
    const folder = await folderWithOrders(t);
    change(folder, "UPDATE orders SET items = replace(items, 'Coffee', 'Cacaos') WHERE id = 1");
    assert.match(
      await checked(folder, 1),
      /^order 1 at \/items: is not what its events say\.\n.* is not sound\./m,
    );
  });

  test('orderly check finds a payment whose money isn’t what its order cost then', async (t) => {
    const folder = await folderWithOrders(t, [
      { status: 'paid' },
      { status: 'open', reason: 'A slip.' },
      { currency: 'JPY', status: 'paid' },
      { status: 'refunded' },
    ]);
    await checked(folder, 0);
    const set = 'DROP TRIGGER IF EXISTS events_fixed; UPDATE events SET';
    change(folder, `${set} received = 2 WHERE type = 'order.corrected'`);
    change(folder, `${set} currency = 'EUR' WHERE type = 'order.refunded'`);
    const stdout = await checked(folder, 1);
    const found = stdout.match(/^order 2: event \d+ has not the money that its order had\.$/gm);
    assert.equal(found?.length, 2, stdout);
  });

  test('orderly check doesn’t compare items with events that don’t show them for their length', async (t) => {
    const folder = await folderWithOrders(t);
    change(folder, "UPDATE orders SET items = replace(items, 'Tea', 'Rye') WHERE id IN (2, 3)");
    await checked(folder, 0);
  });

  test('orderly check accepts names that no search can find', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    for (const name of ['¨', '\u0301', '\u200d', '´ ´']) await newCustomer(service, token, { name });
    await service.stop();
    await checked(service.folder, 0);
  });

  test('orderly check names events that can’t be read, and continues', async (t) => {
    const folder = await folderWithOrders(t);
    for (const [id, changes] of ['[', 'null', '7', '{"role":7}'].entries())
      change(
        folder,
        `DROP TRIGGER IF EXISTS events_fixed; UPDATE events SET changes = '${changes}' WHERE id = ${id + 1}`,
      );
    change(folder, "UPDATE orders SET status = 'paid' WHERE id = 1");
    const stdout = await checked(folder, 1);
    assert.match(stdout, /^event 1 can't be read: /m);
    for (const id of [2, 3]) assert.match(stdout, new RegExp(`^event ${id} at /changes: `, 'm'));
    assert.match(stdout, /^order 1 at \/status: is paid, but its events say open\.$/m);
  });

  test('orderly check finds that an event is missing between others', async (t) => {
    const folder = await folderWithOrders(t);
    change(folder, "DELETE FROM events WHERE type = 'order.changed' AND topicId = 1");
    const stdout = await checked(folder, 1);
    assert.equal(stdout.match(/^event \d+ is missing\.$/gm)?.length, 1, stdout);
  });
});

describe('orderly check beside a service', { concurrency: true }, () => {
  const races: readonly (readonly [name: string, sql: string])[] = [
    ['renamed', "UPDATE customers SET name = 'Grace'"],
    ['deleted', 'DELETE FROM orders; DELETE FROM customers'],
  ];
  for (const [what, sql] of races)
    test(`a check beside a service misses no customer that is ${what} between two statements`, async (t) => {
      const folder = await folderWithOrders(t);
      const db = connectionTo(folder, 2, () => {
        change(
          folder,
          `INSERT INTO customerSearch (customerSearch) VALUES ('delete-all'); ${sql}; ${refill}`,
        );
      });
      assert.deepEqual(
        reported((report) => auditCustomerSearch(db, report)),
        [],
      );
    });

  test('a check beside a service reports no user demoted and deleted between two statements', async (t) => {
    const folder = await folderWithOrders(t);
    const event = 'INSERT INTO events (createdAt, type, topic, topicId, changes)';
    const db = connectionTo(folder, 3, () => {
      change(folder, `${event} VALUES (0, 'user.changed', 'user', 1, '{"role":["admin","staff"]}')`);
      change(folder, `DELETE FROM users WHERE id = 1; ${event} VALUES (0, 'user.deleted', 'user', 1, NULL)`);
    });
    assert.deepEqual(await historyReports(db, 'users'), []);
  });

  test('a check beside a service reports no object whose events are removed for age meanwhile', async (t) => {
    const folder = await folderWithOrders(t);
    const db = connectionTo(folder, 3, () => {
      using sqlite = openSqlite(join(folder, 'orderly.db'));
      removeOldEvents(new Connection(sqlite), 1_000, Infinity);
    });
    assert.deepEqual(await historyReports(db, 'users'), []);
  });
});

const refill = "INSERT INTO customerSearch (rowid, text) SELECT id, '  ' || upper(name) FROM customers";

/** The items of order 1 were changed, order 2 took the steps, and the items of order 3 are long. */
async function folderWithOrders(t: TestContext, steps: readonly object[] = []): Promise<string> {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  const { id: customerId } = await newCustomer(service, token);
  const tea = { name: 'Tea', quantity: 1, unitPrice: 1 };
  for (const items of [[tea], [tea], [tea]]) await newOrder(service, token, { customerId, items });
  const coffee = [{ ...tea, name: 'Coffee' }];
  const long = Array.from({ length: 100 }, () => ({ ...tea, sku: 'S'.repeat(60) }));
  assert.equal((await service.patch('/orders/1', { token, body: { items: coffee } })).status, 200);
  assert.equal((await service.patch('/orders/3', { token, body: { items: coffee } })).status, 200);
  assert.equal((await service.patch('/orders/3', { token, body: { items: long } })).status, 200);
  for (const body of steps)
    assert.equal((await service.patch('/orders/2', { token, body })).status, 200, JSON.stringify(body));
  await service.stop();
  return service.folder;
}

/** As another process would. */
function change(folder: string, sql: string): void {
  using sqlite = openSqlite(join(folder, 'orderly.db'));
  sqlite.exec(`BEGIN IMMEDIATE; ${sql}; COMMIT`);
}

/** Calls a function before the nth statement. */
function connectionTo(folder: string, nth: number, happens: () => void): Connection {
  let statements = 0;
  return new Connection(openSqlite(join(folder, 'orderly.db')), (run) => {
    statements += 1;
    if (statements === nth) happens();
    return run();
  });
}

async function historyReports(db: Connection, table: string): Promise<string[]> {
  const histories = (await maintenance()).flatMap((each) => each.histories ?? []);
  const history = histories.find((each) => each.table === table);
  assert.ok(history);
  return reported((report) => auditHistories(db, history, { report, progress: () => {} }));
}

function reported(audit: (report: (issue: string) => void) => void): string[] {
  const issues: string[] = [];
  audit((issue) => issues.push(issue));
  return issues;
}
