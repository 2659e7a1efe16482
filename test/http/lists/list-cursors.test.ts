// Cursors: pages while rows are added, changed and removed, and cursors from elsewhere.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeCursor, encodeCursor } from '../../../src/http/lists/cursor.ts';
import { follow, type Parameter } from '../../openapi/openapi-support.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { importLines } from '../../support/import-support.ts';
import { withoutSyncs, type Row } from '../../support/list-support.ts';
import { idsIn, items, newCustomer, newKey, newOrder, rootToken } from '../../support/resource-support.ts';
import type { TestResponse } from '../../support/service.ts';

describe('a page with much text', () => {
  const fatItems = Array.from({ length: 100 }, () => ({ name: '€'.repeat(165), quantity: 1, unitPrice: 1 }));
  let token = '';
  const service = sharedService(withoutSyncs, async (started) => {
    ({ token } = await started.person('admin'));
    const { id: customerId } = await newCustomer(started, token);
    const [fat, order] = [fatItems, items].map((each) => ({ customerId, currency: 'EUR', items: each }));
    for (let index = 0; index < 25; index += 1)
      await assertStatus(started.post('/orders', { token, body: fat }), 201);
    // with so many rows the thread finds the pages of other sorts
    await importLines(
      started,
      token,
      Array.from({ length: 1_000 }, (_, index) => ({ key: `${index}`, order })),
    );
  });

  for (const sort of ['id', '-createdAt', 'total', '-total'])
    test(`a page by ${sort} ends before it exceeds 1 MiB, and the next one continues there`, async () => {
      const ids = new Set<number>();
      let [seen, shortened] = [0, 0];
      for (let next = `/orders?sort=${sort}&limit=200&total=true`; next !== null;) {
        const { text, body, headers } = await service().get(next, { token });
        assert.ok(Buffer.byteLength(text) < 1024 * 1024 + 1_000, `${text.length}`);
        assert.equal(body.total, 1_025);
        assert.equal(headers.link, body.next === null ? undefined : `<${body.next}>; rel="next"`);
        const condition = { 'if-none-match': headers.etag ?? '' };
        await assertStatus(service().get(next, { token, headers: condition }), 304);
        if (body.next !== null && body.data.length < 200) shortened += 1;
        seen += body.data.length;
        for (const id of idsIn({ body })) ids.add(id);
        next = body.next;
      }
      assert.deepEqual([shortened >= 1, seen, ids.size], [true, 1_025, 1_025]);
    });
});

describe('cursors', () => {
  let [token, root, other] = ['', '', ''];
  const service = sharedService(withoutSyncs, async (started) => {
    [token, other] = [(await started.person()).token, (await started.person()).token];
    root = await rootToken(started);
    const customerId = (await newCustomer(started, token)).id;
    for (let index = 0; index < 4; index += 1) {
      await newCustomer(started, token);
      await newOrder(started, token, { customerId });
    }
  });
  const get = (target: string, as = token): Promise<TestResponse> => service().get(target, { token: as });
  async function cursorOf(target: string, as = token): Promise<string> {
    const { body } = await get(target, as);
    return (
      new URL(body.next, 'http://x').searchParams.get('cursor') ?? assert.fail(`${target} has one page only`)
    );
  }

  test('the list continues after the last row of a page was removed', async () => {
    const { token } = await service().person();
    for (let index = 0; index < 6; index += 1) await newCustomer(service(), token);
    const ids = idsIn(await get('/customers', token));
    const first = await get('/customers?limit=2', token);
    await assertStatus(service().delete(`/customers/${ids[1]}`, { token }), 204);
    const { next } = first.body;
    assert.deepEqual(idsIn(await get(next.replace('limit=2', 'limit=9'), token)), ids.slice(2));
  });

  test('next keeps the filters, the sort and the limit, but no API key', async () => {
    const query = 'limit=2&status=open,paid&sort=-total&total=true';
    const { key } = await newKey(service(), token);
    const { headers, body } = await service().get(`/orders?${query}&api_key=${key}`);
    assert.match(body.next, new RegExp(`^/orders\\?${query}&cursor=[\\w-]+$`));
    assert.equal(headers.link, `<${body.next}>; rel="next"`);
  });

  test('a cursor that is changed in any character, truncated, extended or doubled is invalid-cursor', async () => {
    const cursor = await cursorOf('/customers?limit=2');
    const changed = Array.from(
      cursor,
      (each, at) => cursor.slice(0, at) + (each === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
    );
    const others = [cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `A${cursor}`, cursor + cursor];
    for (const each of [...changed, ...others])
      assertProblem(await get(`/customers?limit=2&cursor=${each}`), 'invalid-cursor', 422);
  });

  const foreign = 'x MTA AAAAAAAAAAAAAAAAAAAAAA eyJpZCI6NX0= a/b+c %00 ä {"id":5} ../../..'.split(' ');
  for (const cursor of [...foreign, 'x'.repeat(3000)])
    test(`a made-up cursor, ${cursor.slice(0, 30)}, is invalid-cursor in both interfaces`, async () => {
      const sent = encodeURIComponent(cursor);
      assertProblem(await get(`/customers?cursor=${sent}`), 'invalid-cursor', 422);
      assertProblem(await get(`/api/users?cursor=${sent}`, root), 'invalid-cursor', 400);
      assertProblem(await get(`/api/keys?cursor=${sent}`), 'invalid-cursor', 400);
    });

  /** Queries of the same list: by the cursor of the first one, each of the others continues it. */
  const same: Readonly<Record<string, readonly string[]>> = {
    'if the values of a filter come in another order, or twice': [
      '/orders?limit=2&status=paid,open',
      '/orders?limit=2&status=open,paid',
      '/orders?limit=2&status=open,paid,open',
    ],
    'if a time is written in another way': [
      '/orders?limit=2&createdFrom=2026-01-01T00:00:00Z',
      '/orders?limit=2&createdFrom=2026-01-01T00:00:00.000Z',
      '/orders?limit=2&createdFrom=2026-01-01t00:00:00.0z',
      '/orders?limit=2&createdFrom=2025-12-31T23:59:59.9999Z',
      '/orders?limit=2&createdFrom=2026-01-01T01:30:00%2B01:30',
    ],
    'with include': ['/orders?limit=2', '/orders?limit=2&include=customer'],
    'with another limit, and with total': ['/orders?limit=2', '/orders?limit=200&total=true'],
    ...Object.fromEntries(
      [
        ['/orders', '-createdAt'],
        ['/customers/1/orders', '-createdAt'],
        ['/customers', 'id'],
        ['/api/users', 'id'],
      ].flatMap(([path, sort]) => {
        const both = [`${path}?limit=1`, `${path}?limit=1&sort=${sort}`];
        return [
          [`of ${path} with the sort ${sort}, which is that without one`, both],
          [`of ${path} without the sort ${sort}`, both.toReversed()],
        ];
      }),
    ),
  };
  for (const [what, [first = '', ...queries]] of Object.entries(same))
    test(`a cursor is valid ${what}`, async () => {
      const cursor = await cursorOf(first, root);
      const next = idsIn(await get(`${first}&cursor=${cursor}`, root));
      for (const query of queries) {
        const response = await get(`${query}&cursor=${cursor}`, root);
        assert.deepEqual([response.status, idsIn(response)], [200, next], query);
      }
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
    [
      'another time',
      '/orders?limit=2&createdFrom=2026-01-01T00:00:00Z',
      '/orders?limit=2&createdFrom=2026-01-01T00:00:00.001Z',
    ],
  ] as const)
    test(`a cursor with ${what} is invalid-cursor`, async () =>
      assertProblem(await get(`${to}&cursor=${await cursorOf(from)}`), 'invalid-cursor', 422));

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
        assertProblem(await get(filtered, root), 'invalid-cursor', status);
      }
    });

  test('another user’s cursor discloses none of their rows', async () => {
    const response = await get(`/orders?limit=2&cursor=${await cursorOf('/orders?limit=2')}`, other);
    assert.ok(response.status === 422 || response.body.data.length === 0, response.text);
  });

  test('a cursor is invalid for filters that only look alike once they are joined', () => {
    const list = { path: '/customers', order: 'id', query: { name: 'A\nuserId=7' } };
    const cursor = encodeCursor(list, [1, 1]);
    assert.deepEqual(decodeCursor({ ...list, query: { ...list.query, cursor } }), [1, 1]);
    const joined = { ...list, query: { name: 'A', userId: 7, cursor } };
    assert.throws(() => decodeCursor(joined), { code: 'invalid-cursor' });
  });

  test('cursors of 1.0.0, which have a MAC in place of a hash, stay valid', async () => {
    const [, second, ...rest] = (await get('/customers')).body.data.map(({ id }: Row) => id);
    const ask = (position: unknown): Promise<TestResponse> => {
      const content = Buffer.from(JSON.stringify(position)).toString('base64url');
      return get(`/customers?cursor=${content}${'q'.repeat(22)}`);
    };
    assert.deepEqual(idsIn(await ask([second, second])), rest);
    for (const position of [[1], [1, 2, 3], [null, 1], [1, '1'], { 0: 1 }, ['a']])
      assertProblem(await ask(position), 'invalid-cursor', 422);
  });
});
