// POST /imports: customers and orders as lines, created once for each key.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { serviceFor } from '../../support/service.ts';
import {
  resultsOf,
  customerLine,
  importLines,
  linesOf,
  ndjson,
  openChunked,
  orderLine,
  sendImport,
  summaryOf,
  untilCustomers,
} from '../../support/import-support.ts';
import { items, newCustomer, newKey, rootService, rootToken } from '../../support/resource-support.ts';

describe('an import', () => {
  test('an import creates customers, and orders of them, as a POST would', async (t) => {
    const { service, token } = await rootService(t);
    const address = { line1: 'Street 1', city: 'Oldenburg', postalCode: '26133', country: 'DE' };
    const [customer, order] = await importLines(service, token, [
      customerLine('c', { email: 'Grace@Example.com', phone: '+49 441 1234567', address }),
      orderLine('o', 'c', { shippingAddress: address, note: 'Please ring twice.' }),
    ]);
    assert.deepEqual([customer?.status, order?.status], [201, 201]);
    const { body: made } = await service.get(`/customers/${customer?.id}`, { token });
    const posted = await newCustomer(service, token, {
      email: 'Grace@Example.com',
      phone: '+494411234567',
      address,
    });
    assert.deepEqual({ ...made, id: 0 }, { ...posted, id: 0 });
    const { body: placed } = await service.get(`/orders/${order?.id}`, { token });
    assert.deepEqual([placed.customerId, placed.status, placed.total], [customer?.id, 'open', 1498]);
    assert.equal(placed.shippingAddress.postalCode, '26133');
  });

  test('an import keeps the status and age of orders', async (t) => {
    const { service, token } = await rootService(t);
    const { id: customerId } = await newCustomer(service, token);
    service.clock.advance(60_000);
    const past = { status: 'delivered', createdAt: '2024-05-01T12:00:00+02:00' };
    const [{ id } = { id: 0 }] = await importLines(service, token, [
      { key: 'o', order: { customerId, currency: 'EUR', items, ...past } },
    ]);
    const { body: order } = await service.get(`/orders/${id}`, { token });
    assert.deepEqual(
      [order.status, order.createdAt, order.updatedAt],
      ['delivered', '2024-05-01T10:00:00.000Z', '2026-03-01T09:31:00.000Z'],
    );
    const { body: history } = await service.get(`/orders/${id}/events`, { token });
    const [event] = history.data;
    assert.equal(history.data.length, 1);
    assert.deepEqual(
      [event.type, event.createdAt, event.changes.status],
      ['order.created', '2026-03-01T09:31:00.000Z', [null, 'delivered']],
    );
  });

  test('an import makes the caller the owner of objects that name none', async (t) => {
    const { service, token } = await rootService(t);
    const other = await service.person();
    const results = await importLines(service, token, [
      customerLine('a'),
      customerLine('b', { userId: other.id }),
      orderLine('o', 'b', { userId: other.id }),
    ]);
    assert.deepEqual(results.map(summaryOf), ['1 201', '2 201', '3 201']);
    const mine = await service.get('/customers', { token: other.token });
    assert.equal(mine.body.data.length, 1);
    assert.equal((await service.get('/orders', { token: other.token })).body.data.length, 1);
  });

  test('an import sent again creates nothing twice, by any administrator and after a restart', async (t) => {
    const service = await serviceFor(t);
    const values = [customerLine('1'), orderLine('1', '1'), orderLine('2', '1')];
    const first = await importLines(service, await rootToken(service), values);
    assert.deepEqual(first.map(summaryOf), ['1 201', '2 201', '3 201']);
    await service.restart();
    const { token } = await service.person('admin');
    const again = await importLines(service, token, values);
    assert.deepEqual(
      again,
      first.map((answer) => ({ ...answer, status: 200, result: 'unchanged' })),
    );
    const { body } = await service.get('/orders?total=true', { token });
    assert.equal(body.total, 2);
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
    const { service, token } = await rootService(t);
    const [first] = await importLines(service, token, [customerLine('c')]);
    assert.equal((await service.delete(`/customers/${first?.id}`, { token })).status, 204);
    const [second] = await importLines(service, token, [customerLine('c')]);
    assert.equal(second?.status, 201);
    assert.notEqual(second.id, first?.id);
  });

  test('an import counts all lines, and skips blank ones', async (t) => {
    const { service, token } = await rootService(t);
    const text = `\n${linesOf([customerLine('a')])}  \r\n\t\n${JSON.stringify(customerLine('b'))}`;
    const { text: answer } = await sendImport(service, text, { token });
    assert.deepEqual(resultsOf(answer).map(summaryOf), ['2 201', '5 201']);
  });

  test('an import is answered once all lines were sent: many clients can’t send and read together', async (t) => {
    const { service, token } = await rootService(t);
    const { chunk, end, socket, closed } = await openChunked(service, token);
    chunk(linesOf([customerLine('a')]));
    await untilCustomers(service, token, 1);
    assert.equal(socket.bytesRead, 0);
    end();
    assert.match(
      await closed,
      /^HTTP\/1\.1 200 OK\r\n[^]*\{"line":1,"status":201,"id":1,"result":"created"\}/,
    );
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

  test('an import without lines has no results', async (t) => {
    const { service, token } = await rootService(t);
    for (const body of ['', '\n\n']) {
      const { status, text } = await sendImport(service, body, { token });
      assert.deepEqual([status, text], [200, '']);
    }
  });

  test('an import of thousands of lines has results in their order', async (t) => {
    const { service, token } = await rootService(t);
    const values = Array.from({ length: 3_000 }, (_, index) =>
      index % 3 === 0
        ? customerLine(`c${index}`)
        : index % 3 === 1
          ? orderLine(`o${index}`, `c${index - 1}`)
          : '{',
    );
    const results = await importLines(service, token, values);
    assert.deepEqual(
      results.map(({ line, status }) => `${line} ${status}`),
      values.map((_, index) => `${index + 1} ${index % 3 === 2 ? 400 : 201}`),
    );
  });

  test('an import has a response that isn’t cached', async (t) => {
    const service = await serviceFor(t);
    const { headers } = await sendImport(service, '', { token: await rootToken(service) });
    assert.equal(headers['content-type'], 'application/x-ndjson');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['transfer-encoding'], 'chunked');
  });
});

describe('an import is rejected', () => {
  test('an import is rejected with application/json, and from an API key without its scopes', async (t) => {
    const { service, token } = await rootService(t);
    const response = await service.post('/imports', { token, body: {} });
    assertProblem(response, 'unsupported-media-type', 415);
    assert.equal(response.headers['accept'], 'application/x-ndjson, text/csv');
    const { key } = await newKey(service, token, { scopes: ['customers:write'] });
    assertProblem(await sendImport(service, '', { key }), 'insufficient-scope', 403);
  });

  test('an import is rejected that announces more than 32 MiB', async (t) => {
    const { service, token } = await rootService(t);
    const body = Buffer.alloc(32 * 1024 * 1024 + 1, '\n');
    assertProblem(await service.post('/imports', { token, body, headers: ndjson }), 'content-too-large', 413);
  });

  test('an import is rejected of staff, and with an unknown parameter', async (t) => {
    const { service, token } = await rootService(t);
    const staff = await service.person('staff');
    assertProblem(await sendImport(service, '', { token: staff.token }), 'forbidden', 403);
    const call = { token, body: '', headers: ndjson };
    assertProblem(await service.post('/imports?x=1', call), 'validation-failed', 422);
  });
});
