// Cursors: pages that end early, and cursors of other lists or made up.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeCursor, encodeCursor } from '../../../src/http/lists/cursor.ts';
import { fittingPage, pageBytesMax } from '../../../src/http/lists/list.ts';
import { follow, type Parameter } from '../../openapi/openapi-support.ts';
import { assertProblem, assertStatus, sharedService, withoutSyncs } from '../../support/http-support.ts';
import { importLines } from '../../support/import-support.ts';
import { idsIn, items, newCustomer, newKey, newOrder } from '../../support/resource-support.ts';
import type { Person, TestResponse } from '../../support/service.ts';

describe('a page with much text', () => {
  let root: Person;
  sharedService(withoutSyncs, async (started) => {
    root = await started.root();
    const { id: customerId } = await newCustomer(started, root.token);
    const order = { customerId, currency: 'EUR' };
    const fat = Array.from({ length: 100 }, () => ({ name: '€'.repeat(165), quantity: 1, unitPrice: 1 }));
    for (let index = 0; index < 25; index += 1)
      await assertStatus(root.post('/orders', { ...order, items: fat }), 201);
    // with so many rows the thread finds the pages of other sorts
    const lines = Array.from({ length: 1_000 }, (_, index) => ({
      key: `${index}`,
      order: { ...order, items },
    }));
    await importLines(started, root.token, lines);
  });

  for (const sort of ['id', '-createdAt', 'total', '-total'])
    test(`a page by ${sort} ends before it exceeds 1 MiB, and the next one continues there`, async () => {
      const seen: number[] = [];
      let shortened = 0;
      for (let next = `/orders?sort=${sort}&limit=200&total=true`; next !== null;) {
        const { text, body, headers } = await root.get(next);
        assert.ok(Buffer.byteLength(text) < 1024 * 1024 + 1_000, `${text.length}`);
        assert.equal(body.total, 1_025);
        assert.equal(headers.link, body.next === null ? undefined : `<${body.next}>; rel="next"`);
        await assertStatus(root.get(next, { 'if-none-match': headers.etag ?? '' }), 304);
        if (body.next !== null && body.data.length < 200) shortened += 1;
        seen.push(...idsIn({ body }));
        next = body.next;
      }
      assert.deepEqual([shortened >= 1, seen.length, new Set(seen).size], [true, 1_025, 1_025]);
    });
});

for (const [lengths, fitting] of [
  [[pageBytesMax - 1, 1, 1], 2],
  [[1, pageBytesMax], 1],
  [[pageBytesMax + 1, 1], 1],
] as const)
  test(`a page of elements with ${lengths.join(', ')} bytes has the first ${fitting}`, () => {
    const element = { kind: 'object', id: 1, ownerId: null, etag: '' } as const;
    const elements = lengths.map((length) => ({ ...element, text: 'x'.repeat(length) }));
    assert.equal(fittingPage(elements).length, fitting);
  });

describe('cursors', () => {
  let ada: Person, root: Person;
  const service = sharedService(withoutSyncs, async (started) => {
    [ada, root] = [await started.person(), await started.root()];
    const customerId = (await newCustomer(started, ada.token)).id;
    for (let index = 0; index < 4; index += 1) {
      await newCustomer(started, ada.token);
      await newOrder(started, ada.token, { customerId });
    }
  });
  async function cursorOf(target: string, { get } = ada): Promise<string> {
    const { body } = await get(target);
    return new URL(body.next, 'http://x').searchParams.get('cursor') ?? assert.fail(`${target} is one page`);
  }

  test('the list continues after the last row of a page was removed', async () => {
    const { token, get, delete: remove } = await service().person();
    for (let index = 0; index < 6; index += 1) await newCustomer(service(), token);
    const ids = idsIn(await get('/customers'));
    const { next } = (await get('/customers?limit=2')).body;
    await assertStatus(remove(`/customers/${ids[1]}`), 204);
    assert.deepEqual(idsIn(await get(next.replace('limit=2', 'limit=9'))), ids.slice(2));
  });

  test('next keeps the filters, the sort and the limit, but no API key', async () => {
    const query = 'limit=2&status=open,paid&sort=-total&total=true';
    const { key } = await newKey(service(), ada.token);
    const { headers, body } = await service().get(`/orders?${query}&api_key=${key}`);
    assert.match(body.next, new RegExp(`^/orders\\?${query}&cursor=[\\w-]+$`));
    assert.equal(headers.link, `<${body.next}>; rel="next"`);
  });

  test('next keeps a filter that has the signs of a query in it', async () => {
    const { token, get } = await service().person();
    const name = 'Möller & Söhne, 100% #1?=+';
    for (let index = 0; index < 2; index += 1) await newCustomer(service(), token, { name });
    const all = `/customers?name=${encodeURIComponent(name)}&sort=-id`;
    const { body } = await get(`${all}&limit=1`);
    assert.deepEqual(idsIn(await get(body.next)), idsIn(await get(all)).slice(1));
  });

  test('a page whose total has changed has another ETag', async () => {
    const { token, get } = await service().person();
    for (let index = 0; index < 2; index += 1) await newCustomer(service(), token);
    const path = '/customers?sort=id&limit=1&total=true';
    const before = await get(path);
    await newCustomer(service(), token);
    const after = await get(path, { 'if-none-match': before.headers.etag ?? '' });
    assert.deepEqual(after.body, { ...before.body, total: 3 });
  });

  test('a cursor that is changed in any character, truncated, extended or doubled is invalid-cursor', async () => {
    const cursor = await cursorOf('/customers?limit=2');
    const changed = Array.from(
      cursor,
      (each, at) => cursor.slice(0, at) + (each === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
    );
    for (const each of [
      ...changed,
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `A${cursor}`,
      cursor + cursor,
    ])
      assertProblem(await ada.get(`/customers?limit=2&cursor=${each}`), 'invalid-cursor', 422);
  });

  const foreign = 'x MTA AAAAAAAAAAAAAAAAAAAAAA eyJpZCI6NX0= a/b+c %00 ä {"id":5} ../../..'.split(' ');
  for (const cursor of [...foreign, 'x'.repeat(3000)])
    test(`a made-up cursor, ${cursor.slice(0, 30)}, is invalid-cursor in both interfaces`, async () => {
      const query = `cursor=${encodeURIComponent(cursor)}`;
      assertProblem(await root.get(`/customers?${query}`), 'invalid-cursor', 422);
      for (const path of ['/api/users', '/api/keys'])
        assertProblem(await root.get(`${path}?${query}`), 'invalid-cursor', 400);
    });

  const time = 'createdFrom=2026-01-01T00:00:00';
  /** Queries of the same list, after the path: each continues after the cursor of the first one. */
  const same: readonly (readonly [path: string, first: string, ...others: string[]])[] = [
    ['/orders', 'limit=2&status=paid,open', 'limit=2&status=open,paid', 'limit=2&status=open,paid,open'],
    [
      '/orders',
      `limit=2&${time}Z`,
      `limit=2&${time}.000Z`,
      'limit=2&createdFrom=2026-01-01t00:00:00.0z',
      'limit=2&createdFrom=2025-12-31T23:59:59.9999Z',
      'limit=2&createdFrom=2026-01-01T01:30:00%2B01:30',
    ],
    ['/orders', 'limit=2', 'limit=2&include=customer', 'limit=200&total=true'],
    ...['/orders -createdAt', '/customers/1/orders -createdAt', '/customers id', '/api/users id'].flatMap(
      (list) => {
        const [path = '', sort] = list.split(' ');
        const queries = ['limit=1', `limit=1&sort=${sort}`] as const;
        return [[path, ...queries] as const, [path, queries[1], queries[0]] as const];
      },
    ),
  ];
  for (const [path, first, ...others] of same)
    test(`a cursor of ${path}?${first} is valid with ${others.join(' and ')}`, async () => {
      const cursor = await cursorOf(`${path}?${first}`, root);
      const rest = idsIn(await root.get(`${path}?${first}&cursor=${cursor}`));
      for (const query of others)
        assert.deepEqual(idsIn(await root.get(`${path}?${query}&cursor=${cursor}`)), rest, query);
    });

  for (const [what, from, to] of [
    ['another list', '/customers?limit=2', '/orders?limit=2'],
    ['the same rows at another place', '/orders?limit=2', '/customers/1/orders?limit=2'],
    ['another sort', '/customers?limit=2&sort=name', '/customers?limit=2&sort=createdAt'],
    ['the other direction', '/customers?limit=2&sort=name', '/customers?limit=2&sort=-name'],
    ['no sort where it had another', '/customers?limit=2&sort=name', '/customers?limit=2'],
    ['no filter where it had one', '/orders?limit=2&status=open', '/orders?limit=2'],
    ['another value of its filter', '/orders?limit=2&status=open', '/orders?limit=2&status=open,paid'],
    ['another filter of the same value', '/orders?limit=2&customerId=1', '/orders?limit=2&userId=1'],
    ['another time', `/orders?limit=2&${time}Z`, `/orders?limit=2&${time}.001Z`],
  ] as const)
    test(`a cursor with ${what} is invalid-cursor`, async () =>
      assertProblem(await ada.get(`${to}&cursor=${await cursorOf(from)}`), 'invalid-cursor', 422));

  for (const [path, status] of [
    ['/orders', 422],
    ['/customers', 422],
    ['/api/users', 400],
  ] as const)
    test(`a cursor of all ${path} is invalid-cursor with any of their filters`, async () => {
      const { body: document } = await service().get('/openapi.json');
      const apart = ['cursor', 'limit', 'total', 'include', 'sort', 'q']; // a search accepts no cursor
      const parameters: Parameter[] = document.paths[path].get.parameters;
      const filters = parameters.filter((each) => each.in === 'query' && !apart.includes(each.name));
      assert.ok(filters.length > 2, 'there are some');
      const cursor = await cursorOf(`${path}?limit=1`, root);
      for (const { name, schema } of filters) {
        const { examples, enum: values } = follow(document, schema);
        const [value] = (examples ?? values) as readonly unknown[];
        const filtered = `${path}?limit=1&${name}=${encodeURIComponent(String(value))}&cursor=${cursor}`;
        assertProblem(await root.get(filtered), 'invalid-cursor', status);
      }
    });

  test('another user’s cursor discloses none of their rows', async () => {
    const other = await service().person();
    const { status, body } = await other.get(`/orders?limit=2&cursor=${await cursorOf('/orders?limit=2')}`);
    assert.deepEqual([status, body.data], [200, []]);
  });

  test('a cursor is invalid for filters that only look alike once they are joined', () => {
    const list = { path: '/customers', order: 'id', query: { name: 'A\nuserId=7' } };
    const cursor = encodeCursor(list, [1, 1]);
    assert.deepEqual(decodeCursor({ ...list, query: { ...list.query, cursor } }), [1, 1]);
    const joined = { ...list, query: { name: 'A', userId: 7, cursor } };
    assert.throws(() => decodeCursor(joined), { code: 'invalid-cursor' });
  });

  test('cursors of 1.0.0, which have a MAC in place of a hash, stay valid', async () => {
    const [, second, ...rest] = idsIn(await ada.get('/customers'));
    const ask = (position: string): Promise<TestResponse> =>
      ada.get(`/customers?cursor=${Buffer.from(position).toString('base64url')}${'q'.repeat(22)}`);
    assert.deepEqual(idsIn(await ask(`[${second},${second}]`)), rest);
    for (const position of ['[1]', '[1,2,3]', '[null,1]', '[1,"1"]', '[1, 1]', '{"0":1}', '["a"]'])
      assertProblem(await ask(position), 'invalid-cursor', 422);
  });
});
