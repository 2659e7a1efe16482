// No work on the event loop takes longer than 50 ms.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, suite, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Cleanup } from '../../../src/service/cleanup.ts';
import { sharedService } from '../../support/http-support.ts';
import { insideOnly, serviceFor, type Person, type TestService } from '../../support/service.ts';
import { assertShort, floodMillisecondsMax, TurnWatch } from '../../support/turn-watch.ts';

const rows = 20_000;
/** Removed in one turn, as many take twice its bound. */
const removedRows = 10_000;

let thread: Worker;

/** `times` of the same request are sent at once from a thread, so that its work doesn't count. Returns the status. */
async function send(asked: {
  readonly path: string;
  readonly init: object;
  readonly times?: number;
}): Promise<number> {
  const answered = once(thread, 'message');
  thread.postMessage(asked);
  const [status] = await answered;
  return status;
}

/** Asserts that a request has this status, and that no turn is long meanwhile. */
async function assertShortFor(path: string, status: number, init: object): Promise<void> {
  const watch = new TurnWatch();
  assert.equal(await send({ path, init }), status);
  assertShort(watch);
}

/** The whole program of the thread, sent there as text. */
function askInThread(): void {
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  parentPort?.on('message', async ({ path, init, times = 1 }) => {
    const responses = await Promise.all(Array.from({ length: times }, () => fetch(path, init)));
    await Promise.all(responses.map((response) => response.arrayBuffer()));
    parentPort.postMessage(responses[0]?.status);
  });
}

suite('the event loop', insideOnly, () => {
  let person: Person, admin: Person;
  const running = sharedService({}, async (service) => {
    [person, admin] = [await service.person(), await service.person('admin')];
    await service.post('/customers', { token: admin.token, body: { name: 'Grace Hopper' } });
    thread = new Worker(`(${askInThread.toString()})()`, { eval: true });
    await once(thread, 'online');
  });
  after(() => thread.terminate());
  const withType = ({ token }: Person, type: string, body: string): object => ({
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body,
  });

  const bodyBytes = 64 * 1024;
  const fill = (start: string, one: string, end: string): string =>
    start + one.repeat(Math.floor((bodyBytes - start.length - end.length) / one.length)) + end;
  // normalizing takes the square of their number, since each of the second kind is moved to the front
  const marks = '\u0301'.repeat(bodyBytes / 6) + '\u0323'.repeat(bodyBytes / 6);
  const bodies: Readonly<Record<string, string>> = {
    'a password of accents': JSON.stringify({ password: marks }),
    'a name of accents': JSON.stringify({ name: marks, password: 'a password that fits' }),
    'an e-mail address of accents': JSON.stringify({ email: marks, password: 'a password that fits' }),
    'numbers with a point': fill('{"items":[', '1.5,', '1]}'),
    'numbers that are rounded': fill('{"items":[', '0.99999999999999999999,', '1]}'),
    'one rounded number among others': fill('{"items":[', '1.5,', '0.99999999999999999999]}'),
    'deep nesting': fill('{"items":[', '[[[[[[[[[[[[[]]]]]]]]]]]]],', '[]]}'),
    'a string of escapes': fill('{"note":"', '\\u00e9\\"', '"}'),
    'a string of backslashes': fill('{"note":"', '\\\\', '"}'),
    'unknown members': `{${Array.from({ length: 5_000 }, (_, index) => `"m${index}":1`).join()}}`,
    'items without members': fill('{"items":[', '{},', '{}]}'),
    'items with everything wrong': fill('{"items":[', '{"quantity":-1,"unitPrice":1.5,"x":1},', '{}]}'),
  };

  for (const [name, body] of Object.entries(bodies))
    test(`the event loop has no long turn while a body with ${name} is read`, async () => {
      const [path, status] = body.includes('password') ? ['/api/users', 400] : ['/orders', 422];
      await assertShortFor(running().url + path, status, withType(person, 'application/json', body));
    });

  test('no turn takes a second while 64 large bodies arrive at once', async () => {
    for (const name of ['items with everything wrong', 'unknown members', 'numbers with a point']) {
      const init = withType(person, 'application/json', bodies[name] ?? '');
      const watch = new TurnWatch();
      assert.equal(await send({ path: `${running().url}/orders`, init, times: 64 }), 422);
      assertShort(watch, floodMillisecondsMax);
    }
  });

  // a few of the pieces in which a body arrives
  const word = (index: number): string => `${index}`.padStart(10, 'abcdefghij');
  const longText = (index: number): string => `${word(index)} ${word(index * 7)} `.repeat(9);
  const imports: Readonly<Record<string, string>> = {
    'rows with everything wrong': `name,email,phone\n${'x'.repeat(300)},x,x\n`.repeat(1_000),
    'blank rows': `name\n${'\n'.repeat(300_000)}`,
    'rows of quotes': `name,email\n${`"${'""'.repeat(100)}",\n`.repeat(2_000)}`,
    'lines with everything wrong': Object.values(bodies).join('\n'),
    'short lines that are no JSON': '1\n'.repeat(10_000),
    'blank lines': ' \n'.repeat(300_000),
    'customers with long texts': lines(200, (index) => {
      const email = `${word(index).repeat(6)}@${word(index).repeat(6)}.${word(index).repeat(6)}.com`;
      return { key: `${index}`, customer: { name: longText(index), email } };
    }),
    'orders with many items': lines(50, (index) => {
      const items = Array.from({ length: 100 }, () => ({ name: longText(index), quantity: 1, unitPrice: 1 }));
      return { key: `${index}`, order: { customerId: 1, currency: 'EUR', items } };
    }),
  };
  for (const [name, body] of Object.entries(imports))
    test(`the event loop has no long turn while ${name} are imported`, async () => {
      const type = name.includes('rows') ? 'text/csv' : 'application/x-ndjson';
      await assertShortFor(`${running().url}/imports`, 200, withType(admin, type, body));
    });

  test(`the event loop has no long turn while customers are imported by the owner of ${rows}`, async (t) => {
    const service = await serviceFor(t);
    const owner = await service.person('admin');
    change(
      service,
      `INSERT INTO customers (userId, name, nameKey, email, emailKey, phone, createdAt, updatedAt)
       SELECT ${owner.id}, 'Ada', 'ada', value || '@example.com', value || '@example.com', '+494411234567', 0, 0
       FROM ${series(rows)}`,
    );
    const rowsOf = (index: number): string =>
      `Grace,grace${index}@example.com,\nGrace,lovelace${index}@example.com,+494411234567\nGrace ${index},,\n`;
    const body = `name,email,phone\n${Array.from({ length: 100 }, (_, index) => rowsOf(index)).join('')}`;
    await assertShortFor(`${service.url}/imports`, 200, withType(owner, 'text/csv', body));
  });

  test('the event loop has no long turn while the names of known customers are replaced', async (t) => {
    const service = await serviceFor(t);
    const owner = await service.person('admin');
    change(
      service,
      `INSERT INTO customers (id, userId, name, nameKey, createdAt, updatedAt)
       SELECT value, ${owner.id}, hex(randomblob(100)), '', 0, 0 FROM ${series(rows / 2)};
       INSERT INTO customerSearch (rowid, text) SELECT id, substr('  ' || name, 1, 200) FROM customers`,
    );
    const known = Array.from({ length: 100 }, (_, index) => `${index * 100 + 1},Grace ${index}\n`);
    const body = `id,name\n${known.join('')}`;
    await assertShortFor(`${service.url}/imports`, 200, withType(owner, 'text/csv', body));
    assert.equal(countIn(service, "customers WHERE name LIKE 'Grace %'"), 100);
  });

  for (const coding of ['gzip', 'identity'])
    test(`the event loop has no long turn while its documents are first created, as ${coding}`, async (t) => {
      const service = await serviceFor(t);
      for (const path of ['/openapi.json', '/docs', '/', '/problems', '/metrics'])
        await assertShortFor(service.url + path, 200, { headers: { 'accept-encoding': coding } });
    });

  for (const [what, accept, query] of [
    ['the largest page is read', 'application/json', '?limit=200&total=true'],
    ['the largest orders are exported as text/csv', 'text/csv', ''],
    ['the largest orders are exported as application/x-ndjson', 'application/x-ndjson', ''],
  ] as const)
    test(`the event loop has no long turn while ${what}`, async (t) => {
      const service = await serviceFor(t);
      const { id, token } = await service.person();
      giveOrders(service, id, { count: accept === 'text/csv' ? 50 : 200, items: 100 });
      if (query === '') change(service, `UPDATE orders SET note = '${'"'.repeat(2_000)}'`); // each row of a table has it twice
      const headers = { authorization: `Bearer ${token}`, accept };
      await assertShortFor(`${service.url}/orders${query}`, 200, { headers });
    });

  test(`the event loop has no long turn while a user with ${removedRows} orders is deleted`, async (t) => {
    const service = await serviceFor(t);
    const { id, token } = await service.person();
    giveOrders(service, id, { count: removedRows, items: 1 });
    const init = { method: 'DELETE', headers: { authorization: `Bearer ${token}` } };
    const watch = new TurnWatch();
    assert.equal(await send({ path: `${service.url}/api/users/${id}`, init }), 204);
    await service.inside?.cleanup.run();
    assertShort(watch);
    assert.equal(countIn(service, `orders WHERE userId = ${id}`), 0);
  });

  test(`the event loop has no long turn while ${removedRows} expired responses are removed`, async (t) => {
    const service = await serviceFor(t);
    change(
      service,
      `INSERT INTO storedResponses (request, fingerprint, objectId, status, etag, body, createdAt)
       SELECT randomblob(32), '', value, 201, '', zeroblob(800), 0 FROM ${series(removedRows)}`,
    );
    const watch = new TurnWatch();
    await service.inside?.cleanup.run();
    assertShort(watch);
    assert.equal(countIn(service, 'storedResponses'), 0);
  });

  test(`the event loop has no long turn while the last uses of ${rows} keys are stored`, async (t) => {
    const service = await serviceFor(t);
    const { id } = await service.person();
    change(
      service,
      `INSERT INTO apiKeys (id, userId, name, scopes, hash, prefix, createdAt)
       SELECT value, ${id}, 'till', 'orders:read', zeroblob(32), 'ord_', 0 FROM ${series(rows)}`,
    );
    const cleanup = new Cleanup({
      database: service.inside?.database ?? assert.fail('the suite is skipped otherwise'),
      isStopping: () => true,
      lastEventFile: { write: () => Promise.resolve() },
      steps: () => [],
    });
    for (let key = 1; key <= rows; key += 1) cleanup.recordKeyUse(key, 5);
    const watch = new TurnWatch();
    await cleanup.run();
    cleanup.close();
    assertShort(watch);
    assert.equal(countIn(service, 'apiKeys WHERE lastUsedAt = 5'), rows);
  });
});

function series(count: number): string {
  return `(WITH RECURSIVE s (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE value < ${count})
    SELECT value FROM s)`;
}

/** With a connection of its own, as another process would. */
function change(service: TestService, sql: string): void {
  using sqlite = new DatabaseSync(join(service.folder, 'orderly.db'));
  sqlite.exec(sql);
}

function countIn(service: TestService, rest: string): number | undefined {
  return service.inside?.database.read.get<[number]>(`SELECT count(*) FROM ${rest}`)?.[0];
}

function giveOrders(
  service: TestService,
  userId: number,
  { count, items }: { count: number; items: number },
): void {
  const item = { sku: null, name: 'x'.repeat(200), quantity: 1, unitPrice: 1, total: 1 };
  const text = JSON.stringify(Array<object>(items).fill(item));
  change(
    service,
    `INSERT INTO customers (id, userId, name, nameKey, createdAt, updatedAt)
     VALUES (1, ${userId}, 'Ada', 'ada', 0, 0);
     INSERT INTO orders (status, customerId, userId, currency, items, total, createdAt, updatedAt)
     SELECT 'open', 1, ${userId}, 'EUR', '${text}', ${items}, 0, 0 FROM ${series(count)}`,
  );
}

function lines(count: number, valueOf: (index: number) => object): string {
  return Array.from({ length: count }, (_, index) => `${JSON.stringify(valueOf(index))}\n`).join('');
}
