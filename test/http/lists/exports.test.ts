// Lists as files: orders, customers and events as CSV and NDJSON.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus, sharedService } from '../../support/http-support.ts';
import { insideOnly, type TestResponse, type TestService } from '../../support/service.ts';
import { csv, ndjson } from '../../support/export-support.ts';
import { newCustomer, newOrder, rootToken } from '../../support/resource-support.ts';

/** The cells of a table (RFC 4180), by the names of its columns. */
function tableOf({ text }: TestResponse): Record<string, string>[] {
  assert.ok(text.endsWith('\r\n'), 'the last line has no end');
  const lines = text.slice(0, -2).match(/(?:"(?:[^"]|"")*"|[^"])+?(?=\r\n|$)(?:\r\n)?/gs) ?? [];
  const [columns = [], ...rows] = lines.map(cellsOf);
  return rows.map((cells) => Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? ''])));
}

function cellsOf(line: string): string[] {
  const cells = line.replace(/\r\n$/, '').match(/(?<=^|,)("(?:[^"]|"")*"|[^",]*)(?=,|$)/gs) ?? [];
  return cells.map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

function linesOf({ text }: TestResponse): TestResponse['body'][] {
  assert.ok(text.endsWith('\n'), 'the last line has no end');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function manyCustomers(service: TestService, token: string, count: number): Promise<void> {
  const made = Array.from({ length: count }, (_, index) =>
    service.post('/customers', { token, body: { name: `Customer ${index}` } }),
  );
  for (const { status } of await Promise.all(made)) assert.equal(status, 201);
}

describe('lists as files', () => {
  const service = sharedService();

  describe('a list as NDJSON', () => {
    /** Asserts that the file has the elements of the list, so many of them. */
    async function assertAsListed(path: string, token: string, length: number): Promise<void> {
      const list = await service().get(path, { token });
      assert.equal(list.body.data.length, length, path);
      assert.deepEqual(linesOf(await service().get(path, { token, headers: ndjson })), list.body.data, path);
    }

    test('a list as NDJSON has every element once, as the list shows it', async () => {
      const { token } = await service().person();
      await manyCustomers(service(), token, 230);
      const { body } = await service().get('/customers?limit=200', { token });
      const rest = await service().get(body.next, { token });
      const file = await service().get('/customers', { token, headers: ndjson });
      assert.deepEqual(linesOf(file), [...body.data, ...rest.body.data]);
    });

    test('a list as NDJSON is a named download without ETag, which is not cached', async () => {
      const { token } = await service().person();
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await service().call(method, '/orders', { token, headers: ndjson });
        assert.equal(status, 200);
        assert.equal(headers['content-type'], 'application/x-ndjson');
        assert.equal(headers['content-disposition'], 'attachment; filename="orders-2026-03-01.ndjson"');
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal(headers['etag'], undefined);
      }
    });

    test('a list as NDJSON keeps filters, sort and include', async () => {
      const { token } = await service().person();
      for (const currency of ['EUR', 'JPY', 'EUR', 'EUR']) await newOrder(service(), token, { currency });
      await assertAsListed('/orders?currency=EUR&sort=id&include=customer', token, 3);
    });

    test('a list as NDJSON of a search has what the search finds, within the filters', async () => {
      const { token } = await service().person();
      for (const [currency, name] of [
        ['EUR', 'Sencha'],
        ['JPY', 'Sencha'],
        ['EUR', 'Matcha'],
      ])
        await newOrder(service(), token, { currency, items: [{ name, quantity: 1, unitPrice: 5 }] });
      for (let number = 0; number < 55; number += 1)
        await newCustomer(service(), token, { name: `Tea ${number}` });
      await assertAsListed('/orders?q=sencha', token, 2);
      await assertAsListed('/orders?q=sencha&currency=EUR&include=customer', token, 1);
      await assertAsListed('/customers?q=tea', token, 50);
      const sorted = await service().get('/orders?q=sencha&sort=id', { token, headers: ndjson });
      assert.equal(sorted.body.errors[0].code, 'not-with-q');
    });

    test('a list as NDJSON leaves out what another user gets once it was found', insideOnly, async (t) => {
      const [{ token }, heir, staff] = [
        await service().person(),
        await service().person(),
        await service().person('staff'),
      ];
      const [kept, given] = [await newCustomer(service(), token), await newCustomer(service(), token)];
      const database = service().inside?.database ?? assert.fail('it is skipped otherwise');
      const { readInWorker } = database;
      t.mock.method(database, 'readInWorker', async (...args: Parameters<typeof readInWorker>) => {
        const rows = await readInWorker.apply(database, args);
        const change = { token: staff.token, body: { userId: heir.id } };
        await assertStatus(service().patch(`/customers/${given.id}`, change), 200);
        return rows;
      });
      const found = linesOf(await service().get('/customers?q=grace', { token, headers: ndjson }));
      assert.deepEqual(
        found.map(({ id }) => id),
        [kept.id],
      );
    });

    test('a list as NDJSON keeps the order of a list that no index sorts', async () => {
      const { token } = await service().person();
      const { id: customerId } = await newCustomer(service(), token);
      for (const unitPrice of [5, 3, 9, 1])
        await newOrder(service(), token, { customerId, items: [{ name: 'Tea', quantity: 1, unitPrice }] });
      await assertAsListed(`/orders?customerId=${customerId}&sort=-total`, token, 4);
    });

    test('a list as NDJSON has only the caller’s own', async () => {
      await newOrder(service(), await rootToken(service()));
      const { token } = await service().person();
      await newOrder(service(), token);
      await assertAsListed('/orders', token, 1);
      await assertAsListed('/events', token, 4); // with those of the user and the session
    });

    test('a list as NDJSON of events begins and ends where the query says', async () => {
      const { token } = await service().person();
      await newCustomer(service(), token);
      const { body } = await service().get('/events?from=latest', { token });
      await newOrder(service(), token);
      await assertAsListed(`${body.next}&type=order.created`, token, 1);
      const nothing = await service().get('/events?from=latest', { token, headers: ndjson });
      assert.equal(nothing.text, '');
    });

    test('a list as NDJSON is a line of the log with its bytes', async () => {
      const { token } = await service().person();
      await newCustomer(service(), token);
      const { text } = await service().get('/customers', { token, headers: ndjson });
      const lines = service().logged.filter((each) => each.includes('"path":"/customers"'));
      const line = JSON.parse(lines.at(-1) ?? '');
      assert.equal(line.end, 'complete');
      assert.equal(line.bytes, Buffer.byteLength(text));
    });
  });

  describe('a list that is also a file', () => {
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
        const { status, headers } = await service().get('/orders', { token, headers: { accept } });
        assert.deepEqual([status, headers['content-type']], [200, type]);
      });
  });

  describe('a list as CSV', () => {
    test('a list as CSV of orders has a row for each item, amounts in decimal notation', async () => {
      const { token } = await service().person();
      const items = [
        { sku: 'TEA', name: 'Grüner Tee, „lose“', quantity: 2, unitPrice: 749 },
        { name: 'Kandis', quantity: 1, unitPrice: 5 },
      ];
      await newOrder(service(), token, { currency: 'EUR', items, note: 'Bitte "klingeln",\nzweimal' });
      const rows = tableOf(await service().get('/orders?include=customer', { token, headers: csv }));
      assert.equal(rows.length, 2);
      const [first = {}, second = {}] = rows;
      assert.equal(first['total'], '15.03');
      assert.equal(first['note'], 'Bitte "klingeln",\nzweimal');
      assert.equal(first['items.name'], 'Grüner Tee, „lose“');
      assert.equal(first['items.unitPrice'], '7.49');
      assert.equal(first['items.total'], '14.98');
      assert.notEqual(first['customer.name'], '');
      assert.equal(second['total'], '', 'a sum over the rows counts each order once');
      assert.equal(second['items.number'], '2');
      assert.equal(second['items.unitPrice'], '0.05');
      assert.equal(second['id'], first['id']);
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
        await newOrder(service(), token, { currency, items: [{ name: 'Tea', quantity: 1, unitPrice }] });
        const [row] = tableOf(await service().get('/orders', { token, headers: csv }));
        assert.equal(row?.['total'], shown);
      });

    for (const [name, cell] of [
      ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
      ["'quoted'", "'quoted'"],
    ] as const)
      test(`a list as CSV shows a customer named ${name} as the cell ${cell}`, async () => {
        const { token } = await service().person();
        await newCustomer(service(), token, { name });
        const [row] = tableOf(await service().get('/customers', { token, headers: csv }));
        assert.equal(row?.['name'], cell);
      });

    test('a list as CSV has its header line even without a row', async () => {
      const { token } = await service().person();
      const { text, headers } = await service().get('/customers', { token, headers: csv });
      assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
      const address = ['name', 'line1', 'line2', 'city', 'region', 'postalCode', 'country'];
      const columns = ['id', 'userId', 'name', 'email', 'phone', ...address.map((each) => `address.${each}`)];
      assert.equal(
        text,
        `${[...columns, 'note', 'reference', 'metadata', 'createdAt', 'updatedAt'].join(',')}\r\n`,
      );
    });

    test('a list as CSV has times in UTC that spreadsheets of any language recognize', async () => {
      const { token } = await service().person();
      await newOrder(service(), token);
      for (const path of ['/orders', '/customers', '/events']) {
        const [row] = tableOf(await service().get(path, { token, headers: csv }));
        const times = path === '/events' ? [row?.['createdAt']] : [row?.['createdAt'], row?.['updatedAt']];
        assert.deepEqual(new Set(times), new Set(['2026-03-01 09:30:00']), path);
      }
    });

    test('a list as CSV of events shows what changed as JSON', async () => {
      const { token } = await service().person();
      await newOrder(service(), token, { currency: 'EUR' });
      const [row] = tableOf(await service().get('/events?type=order.created', { token, headers: csv }));
      assert.equal(JSON.parse(row?.['changes'] ?? '').currency[1], 'EUR');
    });
  });
});
