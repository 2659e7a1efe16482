// POST /imports: customers and orders as lines, created once for each key.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import {
  customerLine,
  importLines,
  linesOf,
  ndjson,
  openChunked,
  orderLine,
  resultsOf,
  sendImport,
  summaryOf,
  untilCustomers,
} from '../../support/import-support.ts';
import { items, newCustomer, newKey, rootService, valuesIn } from '../../support/resource-support.ts';
import type { Person } from '../../support/service.ts';

const address = { line1: 'Street 1', city: 'Oldenburg', postalCode: '26133', country: 'DE' };

describe('an import', () => {
  test('an import creates customers, and orders of them, as a POST would', async (t) => {
    const { service, root, token } = await rootService(t);
    const members = { email: 'Grace@Example.com', address };
    const [customer, order] = await importLines(service, token, [
      customerLine('c', { ...members, phone: '+49 441 1234567' }),
      orderLine('o', 'c', { shippingAddress: address, note: 'Please ring twice.' }),
    ]);
    assert.deepEqual([customer?.status, order?.status], [201, 201]);
    const { body: made } = await root.get(`/customers/${customer?.id}`);
    const posted = await newCustomer(service, token, { ...members, phone: '+494411234567' });
    assert.deepEqual({ ...made, id: 0 }, { ...posted, id: 0 });
    const { body: placed } = await root.get(`/orders/${order?.id}`);
    assert.deepEqual([placed.customerId, placed.status, placed.total], [customer?.id, 'open', 1498]);
    assert.equal(placed.shippingAddress.postalCode, '26133');
  });

  test('an import keeps the status and age of orders', async (t) => {
    const { service, root, token } = await rootService(t);
    const { id: customerId } = await newCustomer(service, token);
    service.clock.advance(60_000);
    const past = { status: 'delivered', createdAt: '2024-05-01T12:00:00+02:00' };
    const line = { key: 'o', order: { customerId, currency: 'EUR', items, ...past } };
    const [imported] = await importLines(service, token, [line]);
    const { body: order } = await root.get(`/orders/${imported?.id}`);
    const now = '2026-03-01T09:31:00.000Z';
    assert.deepEqual(
      [order.status, order.createdAt, order.updatedAt],
      ['delivered', '2024-05-01T10:00:00.000Z', now],
    );
    const [event, ...others] = (await root.get(`/orders/${imported?.id}/events`)).body.data;
    assert.deepEqual(
      [event.type, event.createdAt, event.changes.status],
      ['order.created', now, [null, 'delivered']],
    );
    assert.deepEqual(others, []);
  });

  test('an import makes the caller the owner of objects that name none', async (t) => {
    const { service, root, token } = await rootService(t);
    const other = await service.person();
    const results = await importLines(service, token, [
      customerLine('a'),
      customerLine('b', { userId: other.id }),
      orderLine('o', 'b', { userId: other.id }),
    ]);
    assert.deepEqual(results.map(summaryOf), ['1 201', '2 201', '3 201']);
    const owners = valuesIn(await root.get('/customers?sort=id'), 'userId');
    assert.deepEqual(owners, [root.id, other.id]);
    for (const path of ['/customers', '/orders'])
      assert.deepEqual(valuesIn(await other.get(path), 'userId'), [other.id]);
  });

  test('an import sent again creates nothing twice, by any administrator and after a restart', async (t) => {
    const { service, token } = await rootService(t);
    const values = [customerLine('1'), orderLine('1', '1'), orderLine('2', '1')];
    const first = await importLines(service, token, values);
    assert.deepEqual(first.map(summaryOf), ['1 201', '2 201', '3 201']);
    await service.restart();
    const other = await service.person('admin');
    const again = await importLines(service, other.token, values);
    const unchanged = first.map((answer) => ({ ...answer, status: 200, result: 'unchanged' }));
    assert.deepEqual(again, unchanged);
    assert.equal((await other.get('/orders?total=true')).body.total, 2);
  });

  test('an import rejects the key of an order with another content, unless only blanks differ', async (t) => {
    const { service, token } = await rootService(t);
    const line = orderLine('o', 'c');
    await importLines(service, token, [customerLine('c'), line]);
    const results = await importLines(service, token, [
      orderLine('o', 'c', { note: 'Ring twice.' }),
      ` ${JSON.stringify(line).replaceAll(':', ' : ')} \r`,
    ]);
    assert.deepEqual(results.map(summaryOf), ['1 422 #/key idempotency-key-reused', '2 200']);
  });

  test('an import creates a customer again that was deleted since', async (t) => {
    const { service, root, token } = await rootService(t);
    const [first] = await importLines(service, token, [customerLine('c')]);
    assert.equal((await root.delete(`/customers/${first?.id}`)).status, 204);
    const [second] = await importLines(service, token, [customerLine('c')]);
    assert.equal(second?.status, 201);
    assert.notEqual(second.id, first?.id);
  });

  test('an import is answered once all lines were sent: many clients can’t send and read together', async (t) => {
    const { service, token } = await rootService(t);
    const { chunk, end, socket, closed } = await openChunked(service, token);
    chunk(linesOf([customerLine('a')]));
    await untilCustomers(service, token, 1);
    assert.equal(socket.bytesRead, 0);
    end();
    const answer = /^HTTP\/1\.1 200 OK\r\n[^]*\{"line":1,"status":201,"id":1,"result":"created"\}/;
    assert.match(await closed, answer);
  });

  test('an import may arrive in chunks that are parts of lines', async (t) => {
    const { service, token } = await rootService(t);
    const { chunk, end, closed } = await openChunked(service, token);
    for (let key = 0; key < 2_000; key += 1) {
      chunk(JSON.stringify(customerLine(String(key), { name: 'A' })));
      chunk('\n');
    }
    end();
    assert.match(await closed, /\{"line":2000,"status":201,"id":2000,"result":"created"\}\n\r\n0\r\n\r\n$/);
  });

  test('an import of thousands of lines has results in their order', async (t) => {
    const { service, token } = await rootService(t);
    const values = Array.from({ length: 1_000 }, (_, index) => [
      customerLine(`c${index}`),
      orderLine(`o${index}`, `c${index}`),
      '{',
    ]).flat();
    const results = await importLines(service, token, values);
    assert.deepEqual(
      results.map(({ line, status }) => `${line} ${status}`),
      values.map((value, index) => `${index + 1} ${value === '{' ? 400 : 201}`),
    );
  });
});

describe('an import', () => {
  let root: Person;
  const running = sharedService({}, async (service) => {
    root = await service.root();
  });

  test('an import counts all lines, and skips blank ones; its response isn’t cached', async () => {
    const text = `\n${linesOf([customerLine('a')])}  \r\n\t\n${JSON.stringify(customerLine('b'))}`;
    const response = await sendImport(running(), text, root);
    assert.deepEqual(resultsOf(response.text).map(summaryOf), ['2 201', '5 201']);
    const type = 'application/x-ndjson';
    const fields = { 'content-type': type, 'cache-control': 'no-store', 'transfer-encoding': 'chunked' };
    assert.partialDeepStrictEqual(response.headers, fields);
    for (const body of ['', '\n\n']) {
      const { status, text } = await sendImport(running(), body, root);
      assert.deepEqual([status, text], [200, '']);
    }
  });

  test('an import is rejected with application/json, of staff, from an API key without its scopes, and with an unknown parameter', async () => {
    const response = await root.post('/imports', {});
    assertProblem(response, 'unsupported-media-type');
    assert.equal(response.headers['accept'], 'application/x-ndjson, text/csv');
    const key = await newKey(running(), root.token, { scopes: ['customers:write'] });
    assertProblem(await sendImport(running(), '', { key: key.key }), 'insufficient-scope');
    assertProblem(await sendImport(running(), '', await running().person('staff')), 'forbidden');
    assertProblem(await root.post('/imports?x=1', '', ndjson), 'validation-failed', 422);
  });

  test('an import is rejected that announces more than 32 MiB', async () => {
    const body = Buffer.alloc(32 * 1024 * 1024 + 1, '\n');
    assertProblem(await root.post('/imports', body, ndjson), 'content-too-large');
  });
});
