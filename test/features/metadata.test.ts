// Metadata of customers, orders and products: merged by name, found by name and value, in files, and erased.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sharedService } from '../support/http-support.ts';
import { importTable } from '../support/import-support.ts';
import { newCustomer, newOrder, newProduct, rootService, rootToken } from '../support/resource-support.ts';
import type { TestService } from '../support/service.ts';

type Members = Readonly<Record<string, unknown>>;
const makers = { '/customers': newCustomer, '/orders': newOrder, '/products': newProduct };

async function found(service: TestService, path: string, pair: string): Promise<number[]> {
  const token = await rootToken(service);
  const { status, body, text } = await service.get(`${path}?metadata=${encodeURIComponent(pair)}`, { token });
  assert.equal(status, 200, text);
  return body.data.map(({ id }: { readonly id: number }) => id);
}

for (const [path, make] of Object.entries(makers))
  suite(`metadata of ${path}`, () => {
    const service = sharedService();
    const create = async (metadata: Members) =>
      make(
        service(),
        await rootToken(service()),
        path === '/products' ? { sku: `T-${next()}`, metadata } : { metadata },
      );
    let count = 0;
    const next = (): number => (count += 1);
    const patch = async (id: number, body: Members) =>
      service().patch(`${path}/${id}`, { token: await rootToken(service()), body });

    test(`metadata of ${path} are {} at first, and come back as they were sent`, async () => {
      const token = await rootToken(service());
      const plain = await make(service(), token, path === '/products' ? { sku: 'PLAIN' } : {});
      assert.deepEqual(plain.metadata, {});
      const sent = { receipt: 'A=1', 'till.no_2-x': ' blank ', note: '“ü”\n\0x' };
      const { id, metadata } = await create(sent);
      assert.deepEqual(metadata, sent);
      assert.deepEqual((await service().get(`${path}/${id}`, { token })).body.metadata, sent);
      const listed = await service().get(`${path}?metadata=receipt%3DA%3D1`, { token });
      assert.deepEqual(
        listed.body.data.map((each: typeof plain) => each.metadata),
        [sent],
      );
    });

    test(`PATCH merges the metadata of ${path} by name, null removes one, and no change keeps the ETag`, async () => {
      const { id } = await create({ a: '1', b: '2' });
      const merged = await patch(id, { metadata: { b: null, c: '3' } });
      assert.deepEqual(merged.body.metadata, { a: '1', c: '3' });
      const same = await patch(id, { metadata: { a: '1', gone: null } });
      assert.equal(same.headers.etag, merged.headers.etag);
      assert.deepEqual(await found(service(), path, 'b=2'), []);
      assert.deepEqual(await found(service(), path, 'c=3'), [id]);
      assert.equal((await patch(id, { metadata: { c: '4' } })).status, 200);
      assert.deepEqual(await found(service(), path, 'c=3'), []);
      assert.deepEqual(await found(service(), path, 'c=4'), [id]);
      assert.deepEqual((await patch(id, { metadata: null })).body.metadata, {});
      assert.deepEqual(await found(service(), path, 'c=4'), []);
    });

    test(`?metadata finds ${path} by the whole value alone`, async () => {
      const { id } = await create({ receipt: 'B-7' });
      assert.deepEqual(await found(service(), path, 'receipt=B-7'), [id]);
      for (const pair of ['receipt=B-', 'receipt=b-7', 'Receipt=B-7', 'other=B-7', 'receipt=B-7 '])
        assert.deepEqual(await found(service(), path, pair), [], pair);
      const token = await rootToken(service());
      const total = await service().get(`${path}?metadata=receipt=B-7&total=true&sort=-createdAt`, { token });
      assert.equal(total.body.total, 1);
    });

    for (const pair of ['', 'receipt', 'receipt=', '=x', 'a b=x', `${'n'.repeat(41)}=x`])
      test(`?metadata=${pair} of ${path} is refused`, async () => {
        const token = await rootToken(service());
        const { status } = await service().get(`${path}?metadata=${encodeURIComponent(pair)}`, { token });
        assert.equal(status, 422);
      });

    const names = (length: number) =>
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
    for (const [what, metadata, pointer] of refused)
      test(`metadata of ${path} with ${what} are refused, by POST and PATCH`, async () => {
        const { id } = await create({ a: '1' });
        const { status, body } = await patch(id, { metadata });
        assert.deepEqual(
          [status, body.errors?.map((each: { pointer: string }) => each.pointer)],
          [422, [pointer]],
        );
        const posted = await service().post(path, { token: await rootToken(service()), body: { metadata } });
        const pointers = posted.body.errors.map((each: { pointer: string }) => each.pointer);
        assert.ok(pointers.includes(pointer), String(pointers));
      });

    test(`metadata of ${path}: null in POST is {}, a null value there is refused, and 20 names may be changed`, async () => {
      const { id } = await create(names(20));
      assert.equal((await patch(id, { metadata: { extra: 'x' } })).status, 422);
      assert.equal((await patch(id, { metadata: { n0: null, extra: 'x' } })).status, 200);
      const token = await rootToken(service());
      const body = { name: 'G', metadata: { a: null } };
      const posted = await service().post(path, { token, body });
      assert.ok(posted.body.errors.some((each: { pointer: string }) => each.pointer === '#/metadata/a'));
    });

    test(`the events of ${path} name the metadata, and show none`, async () => {
      const { id } = await create({ a: 'secret-1' });
      await patch(id, { metadata: { a: 'secret-2' } });
      const type = `${path.slice(1, -1)}.changed`;
      const token = await rootToken(service());
      const feed = await service().get(`/events?sort=-id&limit=2&type=${type}`, { token });
      assert.deepEqual(feed.body.data[0].changes, { metadata: null });
      assert.doesNotMatch(feed.text, /secret/);
    });

    test(`files of ${path} have a column of JSON`, async () => {
      await create({ file: 'x' });
      const token = await rootToken(service());
      const { text } = await service().get(`${path}?metadata=file=x`, {
        token,
        headers: { accept: 'text/csv' },
      });
      assert.match(text, /[,]metadata[,]/);
      assert.match(text, /,"\{""file"":""x""\}",/);
    });
  });

for (const path of ['/customers', '/products'] as const) {
  test(`PUT of ${path} without metadata leaves them, and with metadata replaces them`, async (t) => {
    const { service, token } = await rootService(t);
    const made = await makers[path](service, token, { metadata: { a: '1', b: '2' } });
    const { metadata: _, ...rest } = made;
    const stays = await service.put(`${path}/${made.id}`, { token, body: { ...rest, metadata: null } });
    assert.deepEqual(stays.body.metadata, { a: '1', b: '2' });
    const replaced = await service.put(`${path}/${made.id}`, {
      token,
      body: { ...rest, metadata: { c: '3' } },
    });
    assert.deepEqual(replaced.body.metadata, { c: '3' });
    assert.deepEqual(await found(service, path, 'a=1'), []);
    assert.deepEqual(await found(service, path, 'c=3'), [made.id]);
    assert.equal((await service.delete(`${path}/${made.id}`, { token })).status, 204);
    assert.deepEqual(await found(service, path, 'c=3'), []);
  });

  test(`the file of ${path} is read again with its metadata; a cell that is no JSON is refused`, async (t) => {
    const { service, token } = await rootService(t);
    const { id } = await makers[path](service, token, { metadata: { a: 'x,"y"' } });
    const { text } = await service.get(path, { token, headers: { accept: 'text/csv' } });
    const kind = path.slice(1);
    await service.patch(`${path}/${id}`, { token, body: { metadata: null } });
    const read = await importTable(service, { token, text, query: `?of=${kind}` });
    assert.equal(read[0]?.status, 200, JSON.stringify(read));
    assert.deepEqual(await found(service, path, 'a=x,"y"'), [id]);
    const broken = text.replace(/"\{.*\}"/, 'till 3');
    const refused = await importTable(service, { token, text: broken, query: `?of=${kind}` });
    assert.match(JSON.stringify(refused), /metadata must be a JSON object of texts/);
  });
}

test('erasing a customer erases the metadata of the customer and the orders, and no filter finds them from then on', async (t) => {
  const { service, token } = await rootService(t);
  const metadata = { loyalty: 'L-9' };
  const customer = await newCustomer(service, token, { metadata });
  const order = await newOrder(service, token, { customerId: customer.id, metadata });
  const other = await newOrder(service, token, { metadata });
  await service.put(`/customers/${customer.id}/erasure`, { token });
  assert.deepEqual(await found(service, '/customers', 'loyalty=L-9'), []);
  assert.deepEqual(await found(service, '/orders', 'loyalty=L-9'), [other.id]);
  for (const path of [`/customers/${customer.id}`, `/orders/${order.id}`])
    assert.deepEqual((await service.get(path, { token })).body.metadata, {});
});
