// POST /imports with a table: customers, a row for each; and dry runs.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DryRun } from '../../../src/resource/imported-object-store.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
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
import { items, rootService, valuesIn } from '../../support/resource-support.ts';
import type { Person } from '../../support/service.ts';

describe('a table of customers', () => {
  test('a table of customers creates a customer from each row, whose cells its heading names', async (t) => {
    const { service, root, token } = await rootService(t);
    const text =
      '\ufeffname,email,phone,address.line1,address.city,address.postalCode,address.country\r\n' +
      '"Hopper, ""Grace""",,\'+494411234567,Straße 1,Oldenburg,26133,DE\r\n' +
      'Ødegård,o@example.com,,,,,\r\n' +
      "''=1,,,,,,";
    const results = await importTable(service, { token, text });
    assert.deepEqual(results.map(summaryOf), ['2 201', '3 201', '4 201']);
    const made = await root.get('/customers?sort=id');
    assert.deepEqual(valuesIn(made, 'name', 'phone', 'email'), [
      ['Hopper, "Grace"', '+494411234567', null],
      ['Ødegård', null, 'o@example.com'],
      ["'=1", null, null],
    ]);
    const [first, second] = made.body.data;
    assert.deepEqual([first.address.city, second.address], ['Oldenburg', null]);
  });

  test('a table of customers is the default of text/csv, may declare its charset, and is of nothing unknown', async (t) => {
    const { root } = await rootService(t);
    const csv = { 'content-type': 'text/csv; charset=UTF-8; header=present' };
    const { text } = await root.post('/imports', 'name\nAda\n', csv);
    assert.equal(text, '{"line":2,"status":201,"id":1,"result":"created"}\n');
    const unknown = await root.post('/imports?of=colours', 'name\nAda\n', csv);
    assertProblem(unknown, 'validation-failed', 422);
    assert.equal(unknown.body.errors[0].parameter, 'of');
  });

  test('a table of customers sent again creates nothing twice, even with its columns in another order', async (t) => {
    const { service, token } = await rootService(t);
    const first = await importTable(service, { token, text: 'name,email\nAda,a@example.com\nGrace,\n' });
    assert.deepEqual(first.map(summaryOf), ['2 201', '3 201']);
    const text = 'email;name\n;Grace\na@example.com;Ada\n;Grace\n;Mary\n';
    const again = await importTable(service, { token, text });
    assert.deepEqual(again.map(summaryOf), ['2 200', '3 200', '4 200', '5 201']);
    assert.deepEqual(again.map(({ id }) => id).slice(0, 2), [2, 1]);
  });

  test('a table of customers may have keys, which are those of lines of JSON', async (t) => {
    const { service, token } = await rootService(t);
    const [known] = await importLines(service, token, [customerLine('a', { name: 'Ada' })]);
    const results = await importTable(service, { token, text: 'key,name\na,Ada\nb,Ada\na,Grace\n' });
    assert.deepEqual(results.map(summaryOf), ['2 200', '3 201', '4 200']);
    assert.deepEqual([results[0]?.id, results[2]?.id], [known?.id, known?.id]);
    const order = { key: 'o', order: { customerKey: 'b', currency: 'EUR', items } };
    assert.deepEqual((await importLines(service, token, [order])).map(summaryOf), ['1 201']);
  });

  test('a table of customers may arrive byte by byte', async (t) => {
    const { service, root, token } = await rootService(t);
    const { chunk, end, closed } = await openChunked(service, token, 'text/csv');
    for (const byte of Buffer.from('\ufeffname\r\n"Ødegård"\r\nAda')) chunk(Buffer.of(byte));
    end();
    const [second, third] = [2, 3].map(
      (line) => `"line":${line},"status":201,"id":${line - 1},"result":"created"}\n`,
    );
    assert.match(await closed, new RegExp(`${second}[^]*${third}`));
    assert.equal((await root.get('/customers/1')).body.name, 'Ødegård');
  });
});

describe('a table that can’t be read ends with the line that says why, after the rows before it', () => {
  let root: Person;
  const service = sharedService({}, async (started) => {
    root = await started.root();
  });
  const resultsFor = (text: string | Buffer) => importTable(service(), { token: root.token, text });

  for (const [name, text, ...answers] of [
    ['an unknown column', 'name,colour\na,b\n', '1 422 # unknown-member'],
    ['a column twice', 'name,name\na,b\n', '1 422 # conflict'],
    ['a quote without an end', 'name\nend\n"b\nAda\n', '2 201', '3 400 # bad-request'],
    ['a row without an end', `name\n"${'x'.repeat(70_000)}`, '2 413 # content-too-large'],
    ['bytes that are no UTF-8', Buffer.from('name\n\xff\n', 'latin1'), '1 400 # bad-request'],
    ['a character without its end', Buffer.from('name\nx\xc3', 'latin1'), '2 400 # bad-request'],
    // it is read to its end, so that its client reads the response
    ['a wrong heading above 16 MB', `colour\n${'red\n'.repeat(4_000_000)}`, '1 422 # unknown-member'],
  ] as const)
    test(`a table that can’t be read ends with the line that says why, for ${name}`, async () =>
      assert.deepEqual((await resultsFor(text)).map(summaryOf), answers));

  test('only the row is rejected if it has too many or too few cells', async () => {
    const results = await resultsFor('name,email\na\nb,,x\ncells,\n');
    assert.deepEqual(results.map(summaryOf), ['2 422 # conflict', '3 422 # conflict', '4 201']);
    assert.equal(results[0]?.errors?.[0]?.detail, 'The row has 1 cell, its heading 2.');
  });

  test('a table’s rows are counted as in a spreadsheet, with blank rows and line breaks in cells', async () => {
    const results = await resultsFor('name,email\n\n"Grace\nHopper",\n\nAda,x\n,a@example.com\n');
    const issues = ['3 422 #/customer/name pattern', '5 422 #/customer/email pattern'];
    assert.deepEqual(results.map(summaryOf), [...issues, '6 422 #/customer/name required']);
    for (const text of ['', '\n\n', 'name,email\r\n']) assert.deepEqual(await resultsFor(text), []);
  });
});

describe('a dry run', () => {
  test('a dry run answers as the import would, without ids of new objects, and creates nothing', async (t) => {
    const { service, root, token } = await rootService(t);
    await importLines(service, token, [customerLine('known')]);
    const order = { currency: 'EUR', items };
    const lines = [
      customerLine('known'),
      customerLine('a'),
      { key: 'o', order: { ...order, customerKey: 'a' } },
      customerLine('a'),
      customerLine('a', { name: 'Ada' }),
      { key: 'p', order: { ...order, customerKey: 'b' } },
    ];
    const results = resultsOf((await root.post('/imports?dryRun=true', linesOf(lines), ndjson)).text);
    const accepted = ['1 200', '2 201', '3 201', '4 200', '5 200'];
    assert.deepEqual(results.map(summaryOf), [...accepted, '6 422 #/order/customerKey unknown']);
    const ids = results.slice(0, 4).map(({ id }) => id);
    assert.deepEqual(ids, [1, null, null, null]);
    for (const [path, total] of [
      ['/customers', 1],
      ['/orders', 0],
    ] as const)
      assert.equal((await root.get(`${path}?total=true`)).body.total, total);
  });

  test('a dry run says which rows change a product of an earlier row', async (t) => {
    const { service, token } = await rootService(t);
    const text = 'sku,name,unitPrice,currency\nTEA,Tea,7.49,EUR\nTEA,Tea,7.49,EUR\ntea,Tea,8.00,EUR\n';
    const results = await importTable(service, { token, text, query: '?of=products&dryRun=true' });
    const outcomes = results.map(({ id, result }) => [id, result]);
    assert.deepEqual(outcomes, [
      [null, 'created'],
      [null, 'unchanged'],
      [null, 'changed'],
    ]);
  });

  test('a dry run remembers 200,000 keys', () => {
    const dryRun = new DryRun();
    const add = (index: number) => dryRun.add('customer', `${index}`, { id: null, fingerprint: '' });
    for (let index = 0; index < 200_000; index += 1) add(index);
    assert.throws(() => add(200_000), { code: 'content-too-large' });
    add(0); // it is known
  });
});
