// POST /imports of what is known already: it is changed, not created again.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCustomer, newProduct, rootToken } from '../../support/resource-support.ts';
import { serviceFor, type TestResponse, type TestService } from '../../support/service.ts';
import {
  customerLine,
  importLines,
  importTable,
  resultsOf,
  summaryOf,
  type ImportResult,
} from '../../support/import-support.ts';

const address = { line1: 'Street 1', city: 'Oldenburg', postalCode: '26133', country: 'DE' };
const result = ({ id, result, sameAs }: ImportResult) => [
  id,
  result,
  ...(sameAs === undefined ? [] : [sameAs]),
];

async function listOf(service: TestService, token: string, path: string): Promise<TestResponse['body'][]> {
  return (await service.get(`${path}?sort=createdAt`, { token })).body.data;
}

describe('an import of the own export', () => {
  for (const table of ['customers', 'products'] as const)
    for (const type of ['text/csv', 'application/x-ndjson'])
      test(`an import of the own ${type} of ${table} changes nothing`, async (t) => {
        const service = await serviceFor(t);
        const token = await rootToken(service);
        const other = await service.person();
        await newCustomer(service, token, {
          email: 'g@example.com',
          phone: '+4944112345678',
          address,
          note: '=1',
        });
        await newCustomer(service, token, { name: '-Grace', phone: '+4944112345678' });
        await newCustomer(service, token, { email: 'g@example.com' });
        await newCustomer(service, other.token);
        await newProduct(service, token, { barcode: '4006381333931', active: false });
        await newProduct(service, token, { currency: 'JPY' });
        const before = await listOf(service, token, `/${table}`);
        const { text } = await service.get(`/${table}`, { token, headers: { accept: type } });
        service.clock.advance(1_000);
        const headers = { 'content-type': type };
        const sent = await service.post(`/imports?of=${table}`, { token, body: text, headers });
        const results = resultsOf(sent.text);
        assert.deepEqual(
          results.map(result),
          before.map(({ id }) => [id, 'unchanged']),
          sent.text,
        );
        assert.deepEqual(await listOf(service, token, `/${table}`), before);
      });

  test('an import by id changes the members that a row has, and no others', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const { id } = await newCustomer(service, token, { email: 'g@example.com', note: 'Rings twice.' });
    const text = `id,name,email\n${id},Ada,\n99,Bob,\n`;
    const dry = await importTable(service, { token, text, query: '?of=customers&dryRun=true' });
    assert.deepEqual(dry.map(summaryOf), ['2 200', '3 422 #/customer/id unknown']);
    assert.deepEqual(dry.slice(0, 1).map(result), [[id, 'changed']]);
    assert.equal((await service.get(`/customers/${id}`, { token })).body.name, 'Grace Hopper');
    await importTable(service, { token, text });
    const { body } = await service.get(`/customers/${id}`, { token });
    assert.deepEqual([body.name, body.email, body.note], ['Ada', 'g@example.com', 'Rings twice.']);
  });
});

describe('a row of a table', () => {
  test('a row changes the customer who alone has its e-mail address, or its phone number', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const grace = await newCustomer(service, token, { email: 'g@example.com' });
    const ada = await newCustomer(service, token, { name: 'Ada', phone: '+4944112345678' });
    const text = 'name;email;phone\nGrace;G@example.com;\nAda;;0441 12345678\nAda;;+49 441 12345678\n';
    const results = await importTable(service, { token, text, query: '?of=customers&country=DE' });
    assert.deepEqual(results.map(result), [
      [grace.id, 'changed'],
      [ada.id, 'unchanged'],
      [ada.id, 'unchanged'],
    ]);
    assert.equal((await service.get(`/customers/${grace.id}`, { token })).body.name, 'Grace');
  });

  test('a row creates a customer if several have its e-mail address, and says so', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const { id } = await newCustomer(service, token, { email: 'g@example.com' });
    await newCustomer(service, token, { email: 'g@example.com' });
    const text = 'name,email\nGrace,g@example.com\n';
    const query = '?of=customers&dryRun=true';
    assert.deepEqual((await importTable(service, { token, text, query })).map(result), [
      [null, 'created', id],
    ]);
  });

  test('a row changes the customer of another owner, who keeps the customer', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const till = await service.person('staff');
    const { id: byMail } = await newCustomer(service, till.token, { email: 'other@example.com' });
    const { id: byNumber } = await newCustomer(service, till.token, { reference: 'K-1' });
    const text = 'name,email,reference\nOther,other@example.com,\nMary,,K-1\n';
    assert.deepEqual((await importTable(service, { token, text })).map(result), [
      [byMail, 'changed'],
      [byNumber, 'changed'],
    ]);
    const { body } = await service.get(`/customers/${byMail}`, { token });
    assert.deepEqual([body.name, body.userId], ['Other', till.id]);
  });

  test('a row or a line that names another owner for a known customer is an issue', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const other = await service.person();
    const { id, userId } = await newCustomer(service, token, { email: 'g@example.com' });
    const text = `id,name,email,userId\n${id},Ada,,${other.id}\n,Ada,g@example.com,${other.id}\n${id},Ada,,${userId}\n`;
    const results = await importTable(service, { token, text });
    assert.deepEqual(results.map(summaryOf), [
      '2 422 #/customer/userId read-only',
      '3 422 #/customer/userId read-only',
      '4 200',
    ]);
    await importLines(service, token, [customerLine('a')]);
    const named = await importLines(service, token, [customerLine('a', { userId: other.id, name: 'Ada' })]);
    assert.deepEqual(named.map(summaryOf), ['1 422 #/customer/userId read-only']);
  });

  test('a row changes the customer whose address has the other form of its domain', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const { id } = await newCustomer(service, token, {
      name: 'Bücher',
      email: 'info@bücher.example',
      phone: null,
    });
    const forms = ['info@xn--bcher-kva.example', 'INFO@BÜCHER.example'];
    for (const email of forms) {
      const [row] = await importTable(service, {
        token,
        text: `name,email\nBücher,${email}\n`,
        query: '?dryRun=true',
      });
      assert.equal(row?.id, id, email);
      const { body } = await service.get(`/customers?email=${encodeURIComponent(email)}`, { token });
      assert.deepEqual(
        body.data.map((each: { id: number }) => each.id),
        [id],
        email,
      );
    }
  });

  test('a telephone number names a customer only together with the name', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const phone = '+4944112345678';
    const { id } = await newCustomer(service, token, { name: 'Mother', phone });
    const text = `name,phone,email\nSon,${phone},\nMOTHER,${phone},m@example.com\nDaughter,${phone},d@example.com\n`;
    const query = '?of=customers&dryRun=true';
    const expected = (made: readonly (number | null)[]) => [
      [made[0], 'created', id],
      [id, 'changed'],
      [made[1], 'created', id],
    ];
    assert.deepEqual(
      (await importTable(service, { token, text, query })).map(result),
      expected([null, null]),
    );
    assert.deepEqual((await importTable(service, { token, text })).map(result), expected([id + 1, id + 2]));
    const again = await importTable(service, { token, text });
    assert.deepEqual(again.map(result), [
      [id + 1, 'unchanged'],
      [id, 'unchanged'],
      [id + 2, 'unchanged'],
    ]);
  });

  test('a dry run says what a row has in common with earlier rows of the same file', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const text =
      'name,phone,email,reference\n' +
      'Mother,+4944112345678,,\nSon,+4944112345678,,\nAda,,a@example.com,\nAda L.,,A@example.com,\n' +
      'Bob,,b@example.com,K-1\nBea,,b@example.com,K-2\nBen,,,K-2\nBob,,b@example.com,K-1\n';
    const query = '?of=customers&dryRun=true';
    const dry = await importTable(service, { token, text, query });
    const results = await importTable(service, { token, text });
    assert.deepEqual(results.map(result), [
      [1, 'created'],
      [2, 'created', 1],
      [3, 'created'],
      [3, 'changed'],
      [4, 'created'],
      [5, 'created', 4],
      [5, 'changed'],
      [4, 'unchanged'],
    ]);
    const withoutIds = (each: ImportResult) => [each.result, each.sameAs !== undefined];
    assert.deepEqual(dry.map(withoutIds), results.map(withoutIds));
  });

  test('a line with a new key creates a customer, and says who has the same e-mail address', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const { id } = await newCustomer(service, token, { email: 'g@example.com' });
    const [line] = await importLines(service, token, [customerLine('a', { email: 'g@example.com' })]);
    assert.deepEqual(line && result(line), [id + 1, 'created', id]);
  });

  test('a line with a known key changes its customer, and keeps what was changed since the same line', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const wrong = customerLine('a', { phone: '+4944112345678' });
    const right = customerLine('a', { phone: '+4944112345679' });
    await importLines(service, token, [wrong]);
    const path = '/customers/1';
    const phone = async (): Promise<string> => (await service.get(path, { token })).body.phone;
    for (const [line, outcome] of [
      [right, 'changed'],
      [right, 'unchanged'],
      [wrong, 'changed'],
    ] as const) {
      const body = `${JSON.stringify(line)}\n`;
      const headers = { 'content-type': 'application/x-ndjson' };
      const dry = await service.post('/imports?dryRun=true', { token, body, headers });
      assert.deepEqual(resultsOf(dry.text).map(result), [[1, outcome]]);
      assert.deepEqual((await importLines(service, token, [line])).map(result), [[1, outcome]]);
    }
    assert.equal(await phone(), '+4944112345678');
    await service.patch(path, { token, body: { phone: '+4944112345670' } });
    assert.deepEqual((await importLines(service, token, [wrong])).map(result), [[1, 'unchanged']]);
    assert.equal(await phone(), '+4944112345670');
  });

  test('a row with a reference changes the customer who has it, or who had no other', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    await newCustomer(service, token, { name: 'Ada', reference: 'K-1' });
    await newCustomer(service, token, { email: 'g@example.com' });
    await newCustomer(service, token, { name: 'Mary', email: 'm@example.com', reference: 'K-3' });
    await importLines(service, token, [customerLine('K-4', { name: 'Zoë' })]);
    const text =
      'name,email,phone,reference\nAda,a@example.com,,K-1\nGrace,g@example.com,,K-2\n' +
      'Otto,m@example.com,,K-9\nZoë,,+4944112345678,K-4\n';
    const query = '?of=customers&dryRun=true';
    const dry = await importTable(service, { token, text, query });
    assert.deepEqual(dry.map(result), [
      [1, 'changed'],
      [2, 'changed'],
      [null, 'created', 3],
      [4, 'changed'],
    ]);
    await importTable(service, { token, text });
    const again = await importTable(service, { token, text });
    assert.deepEqual(again.map(result), [
      [1, 'unchanged'],
      [2, 'unchanged'],
      [5, 'unchanged'],
      [4, 'unchanged'],
    ]);
    const customers = await listOf(service, token, '/customers');
    assert.deepEqual(
      customers.map(({ reference }) => reference),
      ['K-1', 'K-2', 'K-3', 'K-4', 'K-9'],
    );
  });

  test('a reference means the customer who has it, not one whom an earlier import had under that key', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    await importLines(service, token, [customerLine('K-1', { name: 'Zoë' })]);
    await importLines(service, token, [customerLine('K-2', { name: 'Otto', reference: 'K-7' })]);
    await newCustomer(service, token, { name: 'Ada', reference: 'K-1' });
    const text = 'name,reference\nAda Lovelace,K-1\nMary,K-2\n';
    assert.deepEqual((await importTable(service, { token, text })).map(result), [
      [3, 'changed'],
      [4, 'created'],
    ]);
  });

  test('a row without a reference changes the customer with its e-mail address who has one', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const { id } = await newCustomer(service, token, { email: 'g@example.com', reference: 'K-1' });
    const results = await importTable(service, { token, text: 'name,email\nGrace,g@example.com\n' });
    assert.deepEqual(results.map(result), [[id, 'changed']]);
    assert.equal((await service.get(`/customers/${id}`, { token })).body.reference, 'K-1');
  });

  test('a row whose number a spreadsheet has rounded is rejected', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const customers = await importTable(service, { token, text: 'name;phone\nAda;4,94E+12\n' });
    assert.deepEqual(customers.map(summaryOf), ['2 422 #/customer/phone rounded']);
    const text = 'sku,name,unitPrice,currency,barcode\nT,Tea,7.49,EUR,4.00638E+12\n';
    const products = await importTable(service, { token, text, query: '?of=products' });
    assert.deepEqual(products.map(summaryOf), ['2 422 #/product/barcode rounded']);
  });

  test('a row with only a town keeps it in the note, and one without a country has that of the import', async (t) => {
    const service = await serviceFor(t);
    const token = await rootToken(service);
    const text =
      'name,email,address.line1,address.city,address.postalCode,note\n' +
      'Ada,a@example.com,,Oldenburg,,Rings twice.\nGrace,g@example.com,Street 1,Oldenburg,26133,\n';
    const query = '?of=customers&country=DE';
    for (const expected of ['created', 'unchanged'])
      assert.deepEqual((await importTable(service, { token, text, query })).map(result), [
        [1, expected],
        [2, expected],
      ]);
    const [ada, grace] = await listOf(service, token, '/customers');
    assert.deepEqual([ada.address, ada.note], [null, 'Rings twice.\nOldenburg']);
    assert.equal(grace.address.country, 'DE');
  });
});
