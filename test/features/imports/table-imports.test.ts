// POST /imports with a table: customers, a row for each.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { DryRun } from '../../../src/resource/imported-object-store.ts';
import { serviceFor } from '../../support/service.ts';
import {
  customerLine,
  importLines,
  importTable,
  linesOf,
  ndjson,
  openChunked,
  resultsOf,
  summaryOf,
} from '../../support/import-support.ts';
import { rootService, rootToken } from '../../support/resource-support.ts';

const columns = 'name,email,phone,address.line1,address.city,address.postalCode,address.country';

describe('a table of customers', () => {
  test('a table of customers creates a customer from each row, whose cells its heading names', async (t) => {
    const { service, token } = await rootService(t);
    const text =
      `\ufeff${columns}\r\n` +
      '"Hopper, ""Grace""",,\'+494411234567,Straße 1,Oldenburg,26133,DE\r\n' +
      'Ødegård,o@example.com,,,,,\r\n' +
      "''=1,,,,,,";
    const results = await importTable(service, { token, text });
    assert.deepEqual(results.map(summaryOf), ['2 201', '3 201', '4 201']);
    const { body } = await service.get('/customers?sort=id', { token });
    assert.deepEqual(
      body.data.map(({ name, phone, email }: Record<string, unknown>) => [name, phone, email]),
      [
        ['Hopper, "Grace"', '+494411234567', null],
        ['Ødegård', null, 'o@example.com'],
        ["'=1", null, null],
      ],
    );
    assert.deepEqual([body.data[0].address.city, body.data[1].address], ['Oldenburg', null]);
  });

  test('a table of customers is the default of text/csv, and may declare its charset', async (t) => {
    const { service, token } = await rootService(t);
    const headers = { 'content-type': 'text/csv; charset=UTF-8; header=present' };
    const { text } = await service.post('/imports', { token, body: 'name\nAda\n', headers });
    assert.equal(text, '{"line":2,"status":201,"id":1,"result":"created"}\n');
  });

  test('a table’s rows are counted as in a spreadsheet, with blank rows and line breaks in cells', async (t) => {
    const service = await serviceFor(t);
    const text = 'name,email\n\n"Grace\nHopper",\n\nAda,x\n,a@example.com\n';
    const results = await importTable(service, { token: await rootToken(service), text });
    assert.deepEqual(results.map(summaryOf), [
      '3 422 #/customer/name pattern',
      '5 422 #/customer/email pattern',
      '6 422 #/customer/name required',
    ]);
  });

  test('a table of customers sent again creates nothing twice, even with its columns in another order', async (t) => {
    const { service, token } = await rootService(t);
    const first = await importTable(service, { token, text: 'name,email\nAda,a@example.com\nGrace,\n' });
    assert.deepEqual(first.map(summaryOf), ['2 201', '3 201']);
    const again = await importTable(service, {
      token,
      text: 'email;name\n;Grace\na@example.com;Ada\n;Grace\n;Mary\n',
    });
    assert.deepEqual(again.map(summaryOf), ['2 200', '3 200', '4 200', '5 201']);
    assert.deepEqual(again.map(({ id }) => id).slice(0, 2), [2, 1]);
  });

  test('a table of customers may have keys, which are those of lines of JSON', async (t) => {
    const { service, token } = await rootService(t);
    const [known] = await importLines(service, token, [customerLine('a', { name: 'Ada' })]);
    const results = await importTable(service, { token, text: 'key,name\na,Ada\nb,Ada\na,Grace\n' });
    assert.deepEqual(results.map(summaryOf), ['2 200', '3 201', '4 200']);
    assert.deepEqual([results[0]?.id, results[2]?.id], [known?.id, known?.id]);
    const order = { customerKey: 'b', currency: 'EUR', items: [{ name: 'Tea', quantity: 1, unitPrice: 1 }] };
    assert.deepEqual((await importLines(service, token, [{ key: 'o', order }])).map(summaryOf), ['1 201']);
  });

  test('a table of something else is a validation error', async (t) => {
    const { service, token } = await rootService(t);
    const call = { token, body: 'name\nAda\n', headers: { 'content-type': 'text/csv' } };
    const response = await service.post('/imports?of=colours', call);
    assertProblem(response, 'validation-failed', 422);
    assert.equal(response.body.errors[0].parameter, 'of');
  });

  test('a table of customers may arrive byte by byte', async (t) => {
    const { service, token } = await rootService(t);
    const { chunk, end, closed } = await openChunked(service, token, 'text/csv');
    for (const byte of Buffer.from('\ufeffname\r\n"Ødegård"\r\nAda')) chunk(Buffer.of(byte));
    end();
    assert.match(
      await closed,
      /"line":2,"status":201,"id":1,"result":"created"\}\n[^]*"line":3,"status":201,"id":2,"result":"created"\}\n/,
    );
    assert.equal((await service.get('/customers/1', { token })).body.name, 'Ødegård');
  });
});

describe('a table that can’t be read ends with the line that says why, after the rows before it', () => {
  let token = '';
  const service = sharedService({}, async (started) => {
    token = await rootToken(started);
  });

  for (const [name, text, answers] of [
    ['an unknown column', 'name,colour\na,b\n', ['1 422 # unknown-member']],
    ['a column twice', 'name,name\na,b\n', ['1 422 # conflict']],
    ['a quote without an end', 'name\nend\n"b\nAda\n', ['2 201', '3 400 # bad-request']],
    ['a row without an end', `name\n"${'x'.repeat(70_000)}`, ['2 413 # content-too-large']],
    ['bytes that are no UTF-8', Buffer.from('name\n\xff\n', 'latin1'), ['1 400 # bad-request']],
    ['a character without its end', Buffer.from('name\nx\xc3', 'latin1'), ['2 400 # bad-request']],
  ] as const)
    test(`a table that can’t be read ends with the line that says why, for ${name}`, async () => {
      const results = await importTable(service(), { token, text });
      assert.deepEqual(results.map(summaryOf), answers);
    });

  test('only the row is rejected if it has too many or too few cells', async () => {
    const results = await importTable(service(), { token, text: 'name,email\na\nb,,x\ncells,\n' });
    assert.deepEqual(results.map(summaryOf), ['2 422 # conflict', '3 422 # conflict', '4 201']);
    assert.equal(results[0]?.errors?.[0]?.detail, 'The row has 1 cell, its heading 2.');
  });

  test('a table without rows has no results', async () => {
    for (const text of ['', '\n\n', 'name,email\r\n'])
      assert.deepEqual(await importTable(service(), { token, text }), []);
  });

  test('a large table with a wrong heading is read to its end, so that its client reads the response', async () => {
    const text = `colour\n${'red\n'.repeat(4_000_000)}`;
    const results = await importTable(service(), { token, text });
    assert.deepEqual(results.map(summaryOf), ['1 422 # unknown-member']);
  });
});

describe('a dry run', () => {
  test('a dry run answers as the import would, without ids of new objects, and creates nothing', async (t) => {
    const { service, token } = await rootService(t);
    await importLines(service, token, [customerLine('known')]);
    const order = { currency: 'EUR', items: [{ name: 'Tea', quantity: 1, unitPrice: 749 }] };
    const lines = [
      customerLine('known'),
      customerLine('a'),
      { key: 'o', order: { ...order, customerKey: 'a' } },
      customerLine('a'),
      customerLine('a', { name: 'Ada' }),
      { key: 'p', order: { ...order, customerKey: 'b' } },
    ];
    const call = { token, body: linesOf(lines), headers: ndjson };
    const results = resultsOf((await service.post('/imports?dryRun=true', call)).text);
    assert.deepEqual(results.map(summaryOf), [
      '1 200',
      '2 201',
      '3 201',
      '4 200',
      '5 200',
      '6 422 #/order/customerKey unknown',
    ]);
    assert.deepEqual(
      results.slice(0, 4).map(({ id }) => id),
      [1, null, null, null],
    );
    const totals = await Promise.all(
      ['/customers', '/orders'].map(
        async (path) => (await service.get(`${path}?total=true`, { token })).body.total,
      ),
    );
    assert.deepEqual(totals, [1, 0]);
  });

  test('a dry run says which rows change a product of an earlier row', async (t) => {
    const { service, token } = await rootService(t);
    const text = 'sku,name,unitPrice,currency\nTEA,Tea,7.49,EUR\nTEA,Tea,7.49,EUR\ntea,Tea,8.00,EUR\n';
    const results = await importTable(service, { token, text, query: '?of=products&dryRun=true' });
    assert.deepEqual(
      results.map(({ id, result }) => [id, result]),
      [
        [null, 'created'],
        [null, 'unchanged'],
        [null, 'changed'],
      ],
    );
  });

  test('a dry run remembers 200,000 keys', () => {
    const dryRun = new DryRun();
    const add = (index: number) => dryRun.add('customer', `${index}`, { id: null, fingerprint: '' });
    for (let index = 0; index < 200_000; index += 1) add(index);
    assert.throws(() => add(200_000), { code: 'content-too-large' });
    add(0); // it is known
  });
});
