// POST /imports of what is known already: it is changed, not created again.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCustomer, rootService } from '../../support/resource-support.ts';
import type { TestResponse, TestService } from '../../support/service.ts';
import {
  customerLine,
  importLines,
  importTable,
  resultsOf,
  summaryOf,
  type ImportResult,
} from '../../support/import-support.ts';

const result = ({ id, result, sameAs }: ImportResult) => [
  id,
  result,
  ...(sameAs === undefined ? [] : [sameAs]),
];

async function customersIn(service: TestService, token: string): Promise<TestResponse['body'][]> {
  return (await service.get('/customers?sort=createdAt', { token })).body.data;
}

test('an import by id changes the members that a row has, and no others', async (t) => {
  const { service, token } = await rootService(t);
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

type Table = {
  /** The customers who are there, with ids from 1, and then lines that were imported. */
  readonly known?: readonly object[];
  readonly lines?: readonly object[];
  readonly text: string;
  readonly query?: string;
  /** The results of the rows. A dry run has null for the ids of new customers. */
  readonly results: readonly (readonly [id: number, result: string, sameAs?: number])[];
  /** Whether another import changes nothing. */
  readonly isStable?: false;
  /** The customers afterwards, or some of their members. */
  readonly customers?: readonly object[];
};

const [email, phone] = ['g@example.com', '+4944112345678'];
const tables: Readonly<Record<string, Table>> = {
  'the customer who alone has its e-mail address, or its phone number, is changed': {
    known: [{ email }, { name: 'Ada', phone }],
    text: 'name;email;phone\nGrace;G@example.com;\nAda;;0441 12345678\nAda;;+49 441 12345678\n',
    query: '?of=customers&country=DE',
    results: [
      [1, 'changed'],
      [2, 'unchanged'],
      [2, 'unchanged'],
    ],
    customers: [{ name: 'Grace' }],
  },
  'a customer is created if several have its e-mail address, which the row says': {
    known: [{ email }, { email }],
    text: `name,email\nGrace,${email}\n`,
    results: [[3, 'created', 1]],
  },
  'a telephone number names a customer only together with the name': {
    known: [{ name: 'Mother', phone }],
    text: `name,phone,email\nSon,${phone},\nMOTHER,${phone},m@example.com\nDaughter,${phone},d@example.com\n`,
    results: [
      [2, 'created', 1],
      [1, 'changed'],
      [3, 'created', 1],
    ],
  },
  'what a row has in common with earlier rows of the same file is said': {
    text:
      `name,phone,email,reference\nMother,${phone},,\nSon,${phone},,\nAda,,a@example.com,\nAda L.,,A@example.com,\n` +
      'Bob,,b@example.com,K-1\nBea,,b@example.com,K-2\nBen,,,K-2\nBob,,b@example.com,K-1\n',
    results: [
      [1, 'created'],
      [2, 'created', 1],
      [3, 'created'],
      [3, 'changed'],
      [4, 'created'],
      [5, 'created', 4],
      [5, 'changed'],
      [4, 'unchanged'],
    ],
    isStable: false,
  },
  'the customer with its reference, or without another one, is changed': {
    known: [
      { name: 'Ada', reference: 'K-1' },
      { email },
      { name: 'Mary', email: 'm@example.com', reference: 'K-3' },
    ],
    lines: [customerLine('K-4', { name: 'Zoë' })],
    text:
      `name,email,phone,reference\nAda,a@example.com,,K-1\nGrace,${email},,K-2\n` +
      `Otto,m@example.com,,K-9\nZoë,,${phone},K-4\n`,
    results: [
      [1, 'changed'],
      [2, 'changed'],
      [5, 'created', 3],
      [4, 'changed'],
    ],
    customers: ['K-1', 'K-2', 'K-3', 'K-4', 'K-9'].map((reference) => ({ reference })),
  },
  'a reference means the customer who has it, not one whom an earlier import had under that key': {
    known: [{ name: 'Ada', reference: 'K-1' }],
    lines: [customerLine('K-1', { name: 'Zoë' }), customerLine('K-2', { name: 'Otto', reference: 'K-7' })],
    text: 'name,reference\nAda Lovelace,K-1\nMary,K-2\n',
    results: [
      [1, 'changed'],
      [4, 'created'],
    ],
  },
  'without a reference the customer with its e-mail address who has one is changed': {
    known: [{ email, reference: 'K-1' }],
    text: `name,email\nGrace,${email}\n`,
    results: [[1, 'changed']],
    customers: [{ name: 'Grace', reference: 'K-1' }],
  },
  'a town alone goes to the note, and the country of the import to an address without one': {
    text:
      'name,email,address.line1,address.city,address.postalCode,note\n' +
      `Ada,a@example.com,,Oldenburg,,Rings twice.\nGrace,${email},Street 1,Oldenburg,26133,\n`,
    query: '?of=customers&country=DE',
    results: [
      [1, 'created'],
      [2, 'created'],
    ],
    customers: [{ address: null, note: 'Rings twice.\nOldenburg' }, { address: { country: 'DE' } }],
  },
};
for (const [what, { known = [], lines = [], text, query = '?of=customers', ...expected }] of Object.entries(
  tables,
))
  test(`in a table ${what}`, async (t) => {
    const { service, token } = await rootService(t);
    for (const members of known) await newCustomer(service, token, members);
    await importLines(service, token, lines);
    const knownMax = known.length + lines.length;
    const dryId = (id: number): number | null => (id <= knownMax ? id : null);
    const dry = await importTable(service, { token, text, query: `${query}&dryRun=true` });
    assert.deepEqual(
      dry.map(result),
      expected.results.map(([id, what, ...alike]) => [dryId(id), what, ...alike.map(Number).map(dryId)]),
    );
    assert.equal((await customersIn(service, token)).length, knownMax);
    assert.deepEqual((await importTable(service, { token, text, query })).map(result), expected.results);
    for (const [index, customer] of (expected.customers ?? []).entries())
      assert.partialDeepStrictEqual((await customersIn(service, token))[index], customer);
    if (expected.isStable === false) return;
    assert.deepEqual(
      (await importTable(service, { token, text, query })).map(result),
      expected.results.map(([id]) => [id, 'unchanged']),
    );
  });

describe('a row of a table', () => {
  test('a row changes the customer of another owner, who keeps the customer', async (t) => {
    const { service, token } = await rootService(t);
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
    const { service, token } = await rootService(t);
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
    const { service, token } = await rootService(t);
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

  test('a line with a new key creates a customer, and says who has the same e-mail address', async (t) => {
    const { service, token } = await rootService(t);
    const { id } = await newCustomer(service, token, { email: 'g@example.com' });
    const [line] = await importLines(service, token, [customerLine('a', { email: 'g@example.com' })]);
    assert.deepEqual(line && result(line), [id + 1, 'created', id]);
  });

  test('a line with a known key changes its customer, and keeps what was changed since the same line', async (t) => {
    const { service, token } = await rootService(t);
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

  test('a row whose number a spreadsheet has rounded is rejected', async (t) => {
    const { service, token } = await rootService(t);
    const customers = await importTable(service, { token, text: 'name;phone\nAda;4,94E+12\n' });
    assert.deepEqual(customers.map(summaryOf), ['2 422 #/customer/phone rounded']);
    const text = 'sku,name,unitPrice,currency,barcode\nT,Tea,7.49,EUR,4.00638E+12\n';
    const products = await importTable(service, { token, text, query: '?of=products' });
    assert.deepEqual(products.map(summaryOf), ['2 422 #/product/barcode rounded']);
  });
});
