// POST /imports of what is known already: it is changed, not created again.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  customerLine,
  importLines,
  importTable,
  ndjson,
  resultsOf,
  summaryOf,
  type ImportResult,
} from '../../support/import-support.ts';
import { idsIn, newCustomer, rootService } from '../../support/resource-support.ts';

type Outcome = readonly [id: number, result: string, sameAs?: number];
type Table = {
  /** The customers who are there, with ids from 1, and then lines that were imported. */
  readonly known?: readonly object[];
  readonly lines?: readonly object[];
  readonly text: string;
  readonly query?: string;
  /** The results of the rows. A dry run has null for the ids of new customers. */
  readonly results: readonly Outcome[];
  /** Whether another import changes nothing. */
  readonly isStable?: false;
  /** The customers afterwards, or some of their members. */
  readonly customers?: readonly object[];
};

const outcomeOf = ({ id, result, sameAs }: ImportResult) => [
  id,
  result,
  ...(sameAs === undefined ? [] : [sameAs]),
];
const [email, phone] = ['g@example.com', '+4944112345678'];
const changed = (id: number): Outcome => [id, 'changed'];
const unchanged = (id: number): Outcome => [id, 'unchanged'];
const created = (id: number, ...sameAs: [] | [number]): Outcome => [id, 'created', ...sameAs];

const tables: Readonly<Record<string, Table>> = {
  'the customer who alone has its e-mail address, or its phone number, is changed': {
    known: [{ email }, { name: 'Ada', phone }],
    text: 'name;email;phone\nGrace;G@example.com;\nAda;;0441 12345678\nAda;;+49 441 12345678\n',
    query: '?of=customers&country=DE',
    results: [changed(1), unchanged(2), unchanged(2)],
    customers: [{ name: 'Grace' }],
  },
  'the members that a row has are changed, and no others': {
    known: [{ email, note: 'Rings twice.' }],
    text: 'id,name,email\n1,Ada,\n',
    results: [changed(1)],
    customers: [{ name: 'Ada', email, note: 'Rings twice.' }],
  },
  'a customer is created if several have its e-mail address, which the row says': {
    known: [{ email }, { email }],
    text: `name,email\nGrace,${email}\n`,
    results: [created(3, 1)],
  },
  'a telephone number names a customer only together with the name': {
    known: [{ name: 'Mother', phone }],
    text: `name,phone,email\nSon,${phone},\nMOTHER,${phone},m@example.com\nDaughter,${phone},d@example.com\n`,
    results: [created(2, 1), changed(1), created(3, 1)],
  },
  'what a row has in common with earlier rows of the same file is said': {
    text:
      `name,phone,email,reference\nMother,${phone},,\nSon,${phone},,\nAda,,a@example.com,\nAda L.,,A@example.com,\n` +
      'Bob,,b@example.com,K-1\nBea,,b@example.com,K-2\nBen,,,K-2\nBob,,b@example.com,K-1\n',
    results: [
      ...[created(1), created(2, 1), created(3), changed(3)],
      ...[created(4), created(5, 4), changed(5), unchanged(4)],
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
    results: [changed(1), changed(2), created(5, 3), changed(4)],
    customers: ['K-1', 'K-2', 'K-3', 'K-4', 'K-9'].map((reference) => ({ reference })),
  },
  'a reference means the customer who has it, not one whom an earlier import had under that key': {
    known: [{ name: 'Ada', reference: 'K-1' }],
    lines: [customerLine('K-1', { name: 'Zoë' }), customerLine('K-2', { name: 'Otto', reference: 'K-7' })],
    text: 'name,reference\nAda Lovelace,K-1\nMary,K-2\n',
    results: [changed(1), created(4)],
  },
  'without a reference the customer with its e-mail address who has one is changed': {
    known: [{ email, reference: 'K-1' }],
    text: `name,email\nGrace,${email}\n`,
    results: [changed(1)],
    customers: [{ name: 'Grace', reference: 'K-1' }],
  },
  'a town alone goes to the note, and the country of the import to an address without one': {
    text:
      'name,email,address.line1,address.city,address.postalCode,note\n' +
      `Ada,a@example.com,,Oldenburg,,Rings twice.\nGrace,${email},Street 1,Oldenburg,26133,\n`,
    query: '?of=customers&country=DE',
    results: [created(1), created(2)],
    customers: [{ address: null, note: 'Rings twice.\nOldenburg' }, { address: { country: 'DE' } }],
  },
};
for (const [what, table] of Object.entries(tables))
  test(`in a table ${what}`, async (t) => {
    const { known = [], lines = [], text, query = '?of=customers', results } = table;
    const { service, root, token } = await rootService(t);
    for (const members of known) await newCustomer(service, token, members);
    await importLines(service, token, lines);
    const outcomes = async (more = '') =>
      (await importTable(service, { token, text, query: query + more })).map(outcomeOf);
    const customers = async () => (await root.get('/customers?sort=createdAt')).body.data;
    const [knownMax, before] = [known.length + lines.length, await customers()];
    const dryId = (id: number): number | null => (id <= knownMax ? id : null);
    assert.deepEqual(
      await outcomes('&dryRun=true'),
      results.map(([id, result, ...alike]) => [dryId(id), result, ...alike.map(Number).map(dryId)]),
    );
    assert.deepEqual(await customers(), before);
    assert.deepEqual(await outcomes(), results);
    const after = await customers();
    for (const [index, customer] of (table.customers ?? []).entries())
      assert.partialDeepStrictEqual(after[index], customer);
    if (table.isStable !== false)
      assert.deepEqual(
        await outcomes(),
        results.map(([id]) => unchanged(id)),
      );
  });

describe('a row of a table', () => {
  test('a row changes the customer of another owner, who keeps the customer', async (t) => {
    const { service, root, token } = await rootService(t);
    const till = await service.person('staff');
    const { id: byMail } = await newCustomer(service, till.token, { email: 'other@example.com' });
    const { id: byNumber } = await newCustomer(service, till.token, { reference: 'K-1' });
    const text = 'name,email,reference\nOther,other@example.com,\nMary,,K-1\n';
    const results = await importTable(service, { token, text });
    assert.deepEqual(results.map(outcomeOf), [changed(byMail), changed(byNumber)]);
    const { body } = await root.get(`/customers/${byMail}`);
    assert.deepEqual([body.name, body.userId], ['Other', till.id]);
  });

  test('a row or a line that names another owner for a known customer, or an unknown id, is an issue', async (t) => {
    const { service, token } = await rootService(t);
    const other = await service.person();
    const { id, userId } = await newCustomer(service, token, { email });
    const rows = [`${id},Ada,,${other.id}`, `,Ada,${email},${other.id}`, `${id},Ada,,${userId}`, '99,Bob,,'];
    const results = await importTable(service, { token, text: `id,name,email,userId\n${rows.join('\n')}\n` });
    const readOnly = '422 #/customer/userId read-only';
    const unknown = '5 422 #/customer/id unknown';
    assert.deepEqual(results.map(summaryOf), [`2 ${readOnly}`, `3 ${readOnly}`, '4 200', unknown]);
    await importLines(service, token, [customerLine('a')]);
    const named = await importLines(service, token, [customerLine('a', { userId: other.id, name: 'Ada' })]);
    assert.deepEqual(named.map(summaryOf), [`1 ${readOnly}`]);
  });

  for (const form of ['info@xn--bcher-kva.example', 'INFO@BÜCHER.example'])
    test(`a row with ${form} changes the customer whose address has the other form of its domain`, async (t) => {
      const { service, root, token } = await rootService(t);
      const { id } = await newCustomer(service, token, { name: 'Bücher', email: 'info@bücher.example' });
      const [row] = await importTable(service, { token, text: `name,email\nBücher,${form}\n` });
      assert.equal(row?.id, id);
      assert.deepEqual(idsIn(await root.get(`/customers?email=${encodeURIComponent(form)}`)), [id]);
    });

  test('a line with a new key creates a customer, and says who has the same e-mail address', async (t) => {
    const { service, token } = await rootService(t);
    const { id } = await newCustomer(service, token, { email });
    const results = await importLines(service, token, [customerLine('a', { email })]);
    assert.deepEqual(results.map(outcomeOf), [created(id + 1, id)]);
  });

  test('a line with a known key changes its customer, and keeps what was changed since the same line', async (t) => {
    const { service, root, token } = await rootService(t);
    const [wrong, right] = [customerLine('a', { phone }), customerLine('a', { phone: '+4944112345679' })];
    await importLines(service, token, [wrong]);
    const path = '/customers/1';
    for (const [line, outcome] of [
      [right, changed(1)],
      [right, unchanged(1)],
      [wrong, changed(1)],
    ] as const) {
      const dry = await root.post('/imports?dryRun=true', `${JSON.stringify(line)}\n`, ndjson);
      assert.deepEqual(resultsOf(dry.text).map(outcomeOf), [outcome]);
      assert.deepEqual((await importLines(service, token, [line])).map(outcomeOf), [outcome]);
    }
    assert.equal((await root.get(path)).body.phone, phone);
    await root.patch(path, { phone: '+4944112345670' });
    assert.deepEqual((await importLines(service, token, [wrong])).map(outcomeOf), [unchanged(1)]);
    assert.equal((await root.get(path)).body.phone, '+4944112345670');
  });

  test('a row whose number a spreadsheet has rounded is rejected', async (t) => {
    const { service, token } = await rootService(t);
    for (const [of, text, issue] of [
      ['customers', 'name;phone\nAda;4,94E+12\n', '#/customer/phone rounded'],
      [
        'products',
        'sku,name,unitPrice,currency,barcode\nT,Tea,7.49,EUR,4.00638E+12\n',
        '#/product/barcode rounded',
      ],
    ] as const) {
      const results = await importTable(service, { token, text, query: `?of=${of}` });
      assert.deepEqual(results.map(summaryOf), [`2 422 ${issue}`]);
    }
  });
});
