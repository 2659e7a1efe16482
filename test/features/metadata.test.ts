// Metadata of customers, orders and products: merged by name, found by name and value, in files, and erased.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { issuesOf, sharedService } from '../support/http-support.ts';
import { importTable } from '../support/import-support.ts';
import { idsIn, newCustomer, newOrder, newProduct, valuesIn } from '../support/resource-support.ts';
import type { Client, Person, TestResponse } from '../support/service.ts';

type Members = Readonly<Record<string, unknown>>;
type Path = keyof typeof makers;
const makers = { '/customers': newCustomer, '/orders': newOrder, '/products': newProduct };
const csv = { accept: 'text/csv' };

let root: Person;
const service = sharedService({}, async (started) => {
  root = await started.root();
});
const make = (path: Path, metadata?: Members): Promise<TestResponse['body']> =>
  makers[path](service(), root.token, metadata === undefined ? {} : { metadata });
const listOf = (path: string, pair: string, { get }: Pick<Client, 'get'> = root): Promise<TestResponse> =>
  get(`${path}?metadata=${encodeURIComponent(pair)}`);
const found = async (path: string, pair: string): Promise<number[]> => idsIn(await listOf(path, pair));

const names = (length: number): Members =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`n${index}`, 'x']));
const refused: readonly (readonly [what: string, metadata: unknown, pointer: string])[] = [
  ['21 names', names(21), '#/metadata'],
  ['a long name', { ['n'.repeat(41)]: 'x' }, '#/metadata'],
  ['a name with a blank', { 'a b': 'x' }, '#/metadata'],
  ['a name that objects have', JSON.parse('{"__proto__":"x"}'), '#/metadata'],
  ['an empty value', { a: '' }, '#/metadata/a'],
  ['a long value', { a: 'x'.repeat(501) }, '#/metadata/a'],
  ['a number', { a: 1 }, '#/metadata/a'],
  ['an object', { a: { b: 'c' } }, '#/metadata/a'],
  ['a list', ['a'], '#/metadata'],
  ['a text', 'a=b', '#/metadata'],
];

for (const path of ['/customers', '/orders', '/products'] as const)
  suite(`metadata of ${path}`, () => {
    const patch = (id: number, metadata: unknown): Promise<TestResponse> =>
      root.patch(`${path}/${id}`, { metadata });

    test(`metadata of ${path} are {} at first, and come back as they were sent`, async () => {
      assert.deepEqual((await make(path)).metadata, {});
      const sent = { receipt: 'A=1', 'till.no_2-x': ' blank ', note: '“ü”\n\0x' };
      const { id, metadata } = await make(path, sent);
      assert.deepEqual(metadata, sent);
      assert.deepEqual((await root.get(`${path}/${id}`)).body.metadata, sent);
      assert.deepEqual(valuesIn(await listOf(path, 'receipt=A=1'), 'metadata'), [sent]);
    });

    test(`PATCH merges the metadata of ${path} by name, null removes one, and no change keeps the ETag`, async () => {
      const { id } = await make(path, { a: '1', b: '2' });
      const merged = await patch(id, { b: null, c: '3' });
      assert.deepEqual(merged.body.metadata, { a: '1', c: '3' });
      assert.equal((await patch(id, { a: '1', gone: null })).headers.etag, merged.headers.etag);
      assert.deepEqual([await found(path, 'b=2'), await found(path, 'c=3')], [[], [id]]);
      assert.equal((await patch(id, { c: '4' })).status, 200);
      assert.deepEqual([await found(path, 'c=3'), await found(path, 'c=4')], [[], [id]]);
      assert.deepEqual((await patch(id, null)).body.metadata, {});
      assert.deepEqual(await found(path, 'c=4'), []);
    });

    test(`?metadata finds ${path} by the whole value alone`, async () => {
      const { id } = await make(path, { receipt: 'B-7' });
      for (const pair of ['receipt=B-', 'receipt=b-7', 'Receipt=B-7', 'other=B-7', 'receipt=B-7 '])
        assert.deepEqual(await found(path, pair), [], pair);
      const total = await root.get(`${path}?metadata=receipt=B-7&total=true&sort=-createdAt`);
      assert.deepEqual([idsIn(total), total.body.total], [[id], 1]);
    });

    for (const pair of ['', 'receipt', 'receipt=', '=x', 'a b=x', `${'n'.repeat(41)}=x`])
      test(`?metadata=${pair} of ${path} is refused`, async () =>
        assert.equal((await listOf(path, pair)).status, 422));

    for (const [what, metadata, pointer] of refused)
      test(`metadata of ${path} with ${what} are refused, by POST and PATCH`, async () => {
        const [issue, ...others] = issuesOf(await patch((await make(path, { a: '1' })).id, metadata));
        assert.deepEqual([issue?.split(' ')[0], others], [pointer, []]);
        const posted = issuesOf(await root.post(path, { metadata }));
        assert.ok(
          posted.some((each) => each.startsWith(`${pointer} `)),
          String(posted),
        );
      });

    test(`metadata of ${path} may be changed while they have 20 names; a null value in POST is refused`, async () => {
      const { id } = await make(path, names(20));
      assert.equal((await patch(id, { extra: 'x' })).status, 422);
      assert.equal((await patch(id, { n0: null, extra: 'x' })).status, 200);
      const posted = issuesOf(await root.post(path, { name: 'G', metadata: { a: null } }));
      assert.ok(posted.some((issue) => issue.startsWith('#/metadata/a ')));
    });

    test(`the events of ${path} name the metadata, and show none; files have a column of JSON`, async () => {
      const { id } = await make(path, { a: 'secret-1' });
      await patch(id, { a: 'secret-2' });
      const feed = await root.get(`/events?sort=-id&limit=2&type=${path.slice(1, -1)}.changed`);
      assert.deepEqual(feed.body.data[0].changes, { metadata: null });
      assert.doesNotMatch(feed.text, /secret/);
      const { text } = await root.get(`${path}?metadata=a=secret-2`, csv);
      assert.match(text, /,metadata,[^]*,"\{""a"":""secret-2""\}",/);
    });
  });

for (const path of ['/customers', '/products'] as const) {
  test(`PUT of ${path} without metadata leaves them, and with metadata replaces them`, async () => {
    const made = await make(path, { put: '1', b: '2' });
    const one = `${path}/${made.id}`;
    const stays = await root.put(one, { ...made, metadata: null });
    assert.deepEqual(stays.body.metadata, { put: '1', b: '2' });
    const replaced = await root.put(one, { ...made, metadata: { put: '3' } });
    assert.deepEqual(replaced.body.metadata, { put: '3' });
    assert.deepEqual([await found(path, 'put=1'), await found(path, 'put=3')], [[], [made.id]]);
    assert.equal((await root.delete(one)).status, 204);
    assert.deepEqual(await found(path, 'put=3'), []);
  });

  test(`the file of ${path} is read again with its metadata; a cell that is no JSON is refused`, async () => {
    const { id } = await make(path, { file: 'x,"y"' });
    const { text } = await root.get(`${path}?metadata=file=${encodeURIComponent('x,"y"')}`, csv);
    await root.patch(`${path}/${id}`, { metadata: null });
    const table = { token: root.token, query: `?of=${path.slice(1)}` };
    const read = await importTable(service(), { ...table, text });
    assert.equal(read[0]?.status, 200, JSON.stringify(read));
    assert.deepEqual(await found(path, 'file=x,"y"'), [id]);
    const broken = await importTable(service(), { ...table, text: text.replace(/"\{.*\}"/, 'till 3') });
    assert.match(JSON.stringify(broken), /metadata must be a JSON object of texts/);
  });
}

test('erasing a customer erases the metadata of the customer and the orders, and no filter finds them from then on', async () => {
  const metadata = { loyalty: 'L-9' };
  const customer = await make('/customers', metadata);
  const order = await newOrder(service(), root.token, { customerId: customer.id, metadata });
  const other = await make('/orders', metadata);
  await root.put(`/customers/${customer.id}/erasure`);
  assert.deepEqual(await found('/customers', 'loyalty=L-9'), []);
  assert.deepEqual(await found('/orders', 'loyalty=L-9'), [other.id]);
  for (const path of [`/customers/${customer.id}`, `/orders/${order.id}`])
    assert.deepEqual((await root.get(path)).body.metadata, {});
});
