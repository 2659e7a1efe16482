// Lists as files: orders, customers and events as CSV and NDJSON.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { csv, ndjson } from '../../support/export-support.ts';
import { assertStatus, sharedService } from '../../support/http-support.ts';
import { newCustomer, newOrder, rootToken } from '../../support/resource-support.ts';
import { insideOnly, type TestResponse } from '../../support/service.ts';

/** The rows of a table (RFC 4180), by the names of its columns. */
function tableOf({ text }: TestResponse): Record<string, string>[] {
  assert.ok(text.endsWith('\r\n'), 'the last line has no end');
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r]*))(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of cells) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',') rows.push([]);
  }
  const [columns = [], ...others] = rows.slice(0, -1);
  return others.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ''])));
}

function linesOf({ text }: TestResponse): TestResponse['body'][] {
  assert.ok(text.endsWith('\n'), 'the last line has no end');
  const lines = text.slice(0, -1).split('\n');
  return lines.map((line) => JSON.parse(line));
}

const tea = (unitPrice: number, name = 'Tea'): object[] => [{ name, quantity: 1, unitPrice }];

describe('lists as files', () => {
  const service = sharedService();
  const file = async (path: string, token: string, headers = csv): Promise<TestResponse> =>
    service().get(path, { token, headers });

  /** Asserts that the file has the elements of the list, so many of them. */
  async function assertAsListed(path: string, token: string, length: number): Promise<void> {
    const list = await service().get(path, { token });
    assert.equal(list.body.data.length, length, path);
    assert.deepEqual(linesOf(await file(path, token, ndjson)), list.body.data, path);
  }

  test('a list as NDJSON has every element once, as the list shows it, and a line of the log', async () => {
    const { token } = await service().person();
    const made = Array.from({ length: 230 }, () => newCustomer(service(), token));
    await Promise.all(made);
    const { body } = await service().get('/customers?limit=200', { token });
    const rest = await service().get(body.next, { token });
    const sent = await file('/customers', token, ndjson);
    assert.deepEqual(linesOf(sent), [...body.data, ...rest.body.data]);
    const line = JSON.parse(service().logged.at(-1) ?? '');
    assert.deepEqual(
      [line.path, line.end, line.bytes],
      ['/customers', 'complete', Buffer.byteLength(sent.text)],
    );
  });

  test('a list as NDJSON is a named download without ETag, which is not cached', async () => {
    const { token } = await service().person();
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await service().call(method, '/orders', { token, headers: ndjson });
      assert.deepEqual(
        ['content-type', 'content-disposition', 'cache-control', 'etag'].map((name) => headers[name]),
        ['application/x-ndjson', 'attachment; filename="orders-2026-03-01.ndjson"', 'no-store', undefined],
      );
      assert.equal(status, 200);
    }
  });

  test('a list as NDJSON keeps filters, sort, include and search, also where no index sorts', async () => {
    const { token } = await service().person();
    const { id: customerId } = await newCustomer(service(), token);
    for (const [currency, items] of [
      ['EUR', tea(5, 'Sencha')],
      ['JPY', tea(3, 'Sencha')],
      ['EUR', tea(9, 'Matcha')],
      ['EUR', tea(1, 'Assam')],
    ])
      await newOrder(service(), token, { customerId, currency, items });
    for (let number = 0; number < 55; number += 1)
      await newCustomer(service(), token, { name: `Tea ${number}` });
    await assertAsListed('/orders?currency=EUR&sort=id&include=customer', token, 3);
    await assertAsListed(`/orders?customerId=${customerId}&sort=-total`, token, 4);
    await assertAsListed('/orders?q=sencha', token, 2);
    await assertAsListed('/orders?q=sencha&currency=EUR&include=customer', token, 1);
    await assertAsListed('/customers?q=tea', token, 50);
  });

  test('a list as NDJSON leaves out what another user gets once it was found', insideOnly, async (t) => {
    const [owner, heir, staff] = [
      await service().person(),
      await service().person(),
      await service().person('staff'),
    ];
    const [kept, given] = [
      await newCustomer(service(), owner.token),
      await newCustomer(service(), owner.token),
    ];
    const database = service().inside?.database ?? assert.fail('it is skipped otherwise');
    const { readInWorker } = database;
    t.mock.method(database, 'readInWorker', async (...args: Parameters<typeof readInWorker>) => {
      const rows = await readInWorker.apply(database, args);
      const change = { token: staff.token, body: { userId: heir.id } };
      await assertStatus(service().patch(`/customers/${given.id}`, change), 200);
      return rows;
    });
    const found = linesOf(await file('/customers?q=grace', owner.token, ndjson));
    assert.deepEqual(
      found.map(({ id }) => id),
      [kept.id],
    );
  });

  test('a list as NDJSON has only the caller’s own; of events, from where the query says', async () => {
    await newOrder(service(), await rootToken(service()));
    const { token } = await service().person();
    await newOrder(service(), token);
    await assertAsListed('/orders', token, 1);
    await assertAsListed('/events', token, 4); // with those of the user and the session
    const { body } = await service().get('/events?from=latest', { token });
    await newOrder(service(), token);
    await assertAsListed(`${body.next}&type=order.created`, token, 1);
    assert.equal((await file('/events?from=latest', token, ndjson)).text, '');
  });

  for (const [accept, type] of [
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
    ['text/*', 'text/csv; charset=utf-8'],
    ['application/json;q=0.5, text/csv', 'text/csv; charset=utf-8'],
    ['text/csv;charset=utf-8', 'text/csv; charset=utf-8'],
    ['application/json;q=0, application/*', 'application/x-ndjson'],
  ] as const)
    test(`a list that is also a file is ${type} for Accept: ${accept}`, async () => {
      const { token } = await service().person();
      const { status, headers } = await file('/orders', token, { accept });
      assert.deepEqual([status, headers['content-type']], [200, type]);
    });

  test('a list as CSV of orders has a row for each item, amounts in decimal notation', async () => {
    const { token } = await service().person();
    const items = [
      { sku: 'TEA', name: 'Grüner Tee, „lose“', quantity: 2, unitPrice: 749 },
      { name: 'Kandis', quantity: 1, unitPrice: 5 },
    ];
    const note = 'Bitte "klingeln",\nzweimal';
    const { id } = await newOrder(service(), token, { currency: 'EUR', items, note });
    const rows = tableOf(await file('/orders?include=customer', token));
    const columns = 'id total note customer.name items.number items.name items.unitPrice items.total'.split(
      ' ',
    );
    // a sum over the rows counts each order once
    assert.deepEqual(
      rows.map((row) => columns.map((name) => row[name])),
      [
        [`${id}`, '15.03', note, 'Grace Hopper', '1', 'Grüner Tee, „lose“', '7.49', '14.98'],
        [`${id}`, '', note, 'Grace Hopper', '2', 'Kandis', '0.05', '0.05'],
      ],
    );
  });

  for (const [currency, unitPrice, shown] of [
    ['JPY', 1498, '1498'],
    ['BHD', 1498, '1.498'],
    ['EUR', 0, '0.00'],
    ['CLF', 7, '0.0007'],
    ['EUR', 999_999_999_999, '9999999999.99'],
  ] as const)
    test(`a list as CSV shows ${unitPrice} of ${currency} as ${shown}`, async () => {
      const { token } = await service().person();
      await newOrder(service(), token, { currency, items: tea(unitPrice) });
      assert.equal(tableOf(await file('/orders', token))[0]?.['total'], shown);
    });

  for (const [name, cell] of [
    ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
    ["'quoted'", "'quoted'"],
  ] as const)
    test(`a list as CSV shows a customer named ${name} as the cell ${cell}`, async () => {
      const { token } = await service().person();
      await newCustomer(service(), token, { name });
      assert.equal(tableOf(await file('/customers', token))[0]?.['name'], cell);
    });

  test('a list as CSV has its header line even without a row', async () => {
    const { token } = await service().person();
    const { text, headers } = await file('/customers', token);
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
    const address = ['name', 'line1', 'line2', 'city', 'region', 'postalCode', 'country'];
    const columns = ['id', 'userId', 'name', 'email', 'phone', ...address.map((each) => `address.${each}`)];
    const last = ['note', 'reference', 'metadata', 'createdAt', 'updatedAt'];
    assert.equal(text, `${[...columns, ...last].join(',')}\r\n`);
  });

  test('a list as CSV has times in UTC that spreadsheets recognize, and changes of events as JSON', async () => {
    const { token } = await service().person();
    await newOrder(service(), token, { currency: 'EUR' });
    for (const path of ['/orders', '/customers', '/events?type=order.created']) {
      const [{ createdAt, updatedAt = createdAt, changes } = {}] = tableOf(await file(path, token));
      assert.deepEqual([createdAt, updatedAt], ['2026-03-01 09:30:00', '2026-03-01 09:30:00'], path);
      if (changes !== undefined) assert.equal(JSON.parse(changes).currency[1], 'EUR');
    }
  });
});
