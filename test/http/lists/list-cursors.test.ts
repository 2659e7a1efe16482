// Cursors: pages while rows are added, changed and removed, and cursors from elsewhere.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeCursor, encodeCursor } from '../../../src/http/lists/cursor.ts';
import { follow, type Parameter } from '../../openapi/openapi-support.ts';
import { importLines } from '../../support/import-support.ts';
import { items, newCustomer, newKey, newOrder, rootToken } from '../../support/resource-support.ts';
import { serviceFor, type TestResponse } from '../../support/service.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { type Row, withoutSyncs, pagesOf } from '../../support/list-support.ts';

describe('a page with much text', () => {
  const fatItems = Array.from({ length: 100 }, () => ({ name: '€'.repeat(165), quantity: 1, unitPrice: 1 }));
  let token = '';
  const service = sharedService(withoutSyncs, async (started) => {
    ({ token } = await started.person('admin'));
    const { id: customerId } = await newCustomer(started, token);
    for (let index = 0; index < 25; index += 1)
      await newOrder(started, token, { customerId, items: fatItems });
    // with so many rows the thread finds the pages of other sorts
    const order = { customerId, currency: 'EUR', items };
    const lines = Array.from({ length: 1_000 }, (_, index) => ({ key: `${index}`, order }));
    await importLines(started, token, lines);
  });

  for (const sort of ['id', '-createdAt', 'total', '-total']) {
    test(`a page by ${sort} ends before it exceeds 1 MiB, and the next one continues there`, async () => {
      const target = `/orders?sort=${sort}&limit=200&total=true`;
      const sizes: number[] = [];
      const ids: number[] = [];
      let shortened = 0;
      for (let next = target; next !== null;) {
        const { text, body, headers } = await service().get(next, { token });
        assert.equal(body.total, 1_025);
        assert.equal(headers.link, body.next === null ? undefined : `<${body.next}>; rel="next"`);
        await assertStatus(
          service().get(next, { token, headers: { 'if-none-match': headers.etag ?? '' } }),
          304,
        );
        if (body.next !== null && body.data.length < 200) shortened += 1;
        sizes.push(Buffer.byteLength(text));
        ids.push(...body.data.map((row: Row) => row.id));
        next = body.next;
      }
      assert.ok(
        sizes.every((bytes) => bytes < 1024 * 1024 + 1_000),
        sizes.join(),
      );
      assert.ok(shortened >= 1);
      assert.equal(ids.length, 1_025);
      assert.equal(new Set(ids).size, 1_025);
    });
  }
});

test('the list continues after the last row of a page was removed', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const { token } = await service.person();
  const ids: number[] = [];
  for (let index = 0; index < 6; index += 1) ids.push((await newCustomer(service, token)).id);
  const pages = pagesOf(service, { path: '/customers', token }, { limit: '2' });
  const seen: Row[] = (await pages.next()).value;
  await service.delete(`/customers/${ids[1]}`, { token });
  for await (const page of pages) seen.push(...page);
  assert.deepEqual(
    seen.map(({ id }) => id),
    ids,
  );
});

describe('cursors', () => {
  let [token, root, other] = ['', '', ''];
  const service = sharedService(withoutSyncs, async (started) => {
    token = (await started.person()).token;
    root = await rootToken(started);
    other = (await started.person()).token;
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

  test('next keeps the filters, the sort and the limit', async () => {
    const { body } = await get('/orders?limit=2&status=open,paid&sort=-total&total=true');
    assert.match(body.next, /^\/orders\?limit=2&status=open,paid&sort=-total&total=true&cursor=[\w-]+$/);
  });

  test('next never holds an API key', async () => {
    const { key } = await newKey(service(), token);
    const { status, headers, body } = await service().get(`/orders?limit=2&api_key=${key}`);
    assert.equal(status, 200);
    assert.doesNotMatch(`${body.next} ${headers.link}`, /api_key|ord_/);
  });

  test('a cursor changed in any character is invalid-cursor', async () => {
    const cursor = await cursorOf('/customers?limit=2');
    for (let at = 0; at < cursor.length; at += 1) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      assertProblem(await get(`/customers?limit=2&cursor=${changed}`), 'invalid-cursor', 422);
    }
  });

  const foreign = 'x MTA AAAAAAAAAAAAAAAAAAAAAA eyJpZCI6NX0= a/b+c %00 ä {"id":5} ../../..'.split(' ');
  for (const cursor of [...foreign, 'x'.repeat(3000)]) {
    test(`a made-up cursor, ${cursor.slice(0, 30)}, is invalid-cursor in both interfaces`, async () => {
      const sent = encodeURIComponent(cursor);
      assertProblem(await get(`/customers?cursor=${sent}`), 'invalid-cursor', 422);
      assertProblem(await get(`/api/users?cursor=${sent}`, root), 'invalid-cursor', 400);
      assertProblem(await get(`/api/keys?cursor=${sent}`), 'invalid-cursor', 400);
    });
  }

  test('a truncated, extended or doubled cursor is invalid-cursor', async () => {
    const cursor = await cursorOf('/customers?limit=2');
    for (const changed of [cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `A${cursor}`, cursor + cursor])
      assertProblem(await get(`/customers?cursor=${changed}`), 'invalid-cursor', 422);
  });

  test('a cursor is valid if the values of a filter come in another order, or twice', async () => {
    const cursor = await cursorOf('/orders?limit=2&status=paid,open');
    for (const status of ['paid,open', 'open,paid', 'open,paid,open']) {
      const { body } = await get(`/orders?limit=2&status=${status}&cursor=${cursor}`);
      assert.equal(body.data.length, 2, JSON.stringify(body));
    }
  });

  test('a cursor is valid if a time is written in another way', async () => {
    const cursor = await cursorOf('/orders?limit=2&createdFrom=2026-01-01T00:00:00Z');
    for (const createdFrom of [
      '2026-01-01T00:00:00.000Z',
      '2026-01-01t00:00:00.0z',
      '2025-12-31T23:59:59.9999Z',
      '2026-01-01T01:30:00%2B01:30',
    ]) {
      const { body } = await get(`/orders?limit=2&createdFrom=${createdFrom}&cursor=${cursor}`);
      assert.equal(body.data.length, 2, JSON.stringify(body));
    }
    const later = `/orders?limit=2&createdFrom=2026-01-01T00:00:00.001Z&cursor=${cursor}`;
    assertProblem(await get(later), 'invalid-cursor', 422);
  });

  for (const [path, sort] of [
    ['/orders', '-createdAt'],
    ['/customers/1/orders', '-createdAt'],
    ['/customers', 'id'],
    ['/api/users', 'id'],
  ] as const) {
    test(`a cursor of ${path} is valid without the sort, if it is ${sort}`, async () => {
      const [without, sorted] = [`${path}?limit=1`, `${path}?limit=1&sort=${sort}`];
      const next = await get(`${without}&cursor=${await cursorOf(without, root)}`, root);
      for (const [from, to] of [
        [without, sorted],
        [sorted, without],
      ] as const) {
        const { status, body } = await get(`${to}&cursor=${await cursorOf(from, root)}`, root);
        assert.deepEqual([status, body.data], [200, next.body.data]);
      }
    });
  }

  const others: readonly (readonly [what: string, from: string, to: string])[] = [
    ['another list', '/customers?limit=2', '/orders?limit=2'],
    ['the same rows at another place', '/orders?limit=2', '/customers/1/orders?limit=2'],
    ['another sort', '/customers?limit=2&sort=name', '/customers?limit=2&sort=createdAt'],
    ['the other direction', '/customers?limit=2&sort=name', '/customers?limit=2&sort=-name'],
    ['no sort where it had another', '/customers?limit=2&sort=name', '/customers?limit=2'],
    ['a filter where it had none', '/orders?limit=2', '/orders?limit=2&status=open'],
    ['no filter where it had one', '/orders?limit=2&status=open', '/orders?limit=2'],
    ['another value of its filter', '/orders?limit=2&status=open', '/orders?limit=2&status=open,paid'],
    ['another filter of the same value', '/orders?limit=2&customerId=1', '/orders?limit=2&userId=1'],
  ];
  for (const [path, status] of [
    ['/orders', 422],
    ['/customers', 422],
    ['/api/users', 400],
  ] as const) {
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
  }

  test('a cursor is valid for its list with and without include', async () => {
    const cursor = await cursorOf('/orders?limit=1', root);
    await assertStatus(get(`/orders?limit=1&include=customer&cursor=${cursor}`, root), 200);
  });

  for (const [what, from, to] of others) {
    test(`a cursor with ${what} is invalid-cursor`, async () =>
      assertProblem(await get(`${to}&cursor=${await cursorOf(from)}`), 'invalid-cursor', 422));
  }

  test('a cursor is valid with another limit, and with total', async () => {
    const cursor = await cursorOf('/customers?limit=2');
    const { body } = await get(`/customers?limit=200&total=true&cursor=${cursor}`);
    assert.deepEqual([body.data.length, body.total], [3, 5]);
  });

  test('another user’s cursor discloses none of their rows', async () => {
    const response = await get(`/orders?limit=2&cursor=${await cursorOf('/orders?limit=2')}`, other);
    assert.ok(response.status === 422 || response.body.data.length === 0, response.text);
  });

  test('a cursor is invalid for filters that only look alike once they are joined', () => {
    const list = { path: '/customers', order: 'id', query: { name: 'A\nuserId=7' } };
    const cursor = encodeCursor(list, [1, 1]);
    assert.deepEqual(decodeCursor({ ...list, query: { ...list.query, cursor } }), [1, 1]);
    assert.throws(() => decodeCursor({ ...list, query: { name: 'A', userId: 7, cursor } }), {
      code: 'invalid-cursor',
    });
  });

  test('cursors of 1.0.0, which have a MAC in place of a hash, stay valid', async () => {
    const [first, second, ...rest] = (await get('/customers')).body.data.map(({ id }: Row) => id);
    assert(typeof second === 'number', `there are two customers, the first is ${first}`);
    const content = Buffer.from(JSON.stringify([second, second])).toString('base64url');
    const { body } = await get(`/customers?cursor=${content}${'q'.repeat(22)}`);
    assert.deepEqual(
      body.data.map(({ id }: Row) => id),
      rest,
    );
    for (const position of [[1], [1, 2, 3], [null, 1], [1, '1'], { 0: 1 }, ['a']]) {
      const made = Buffer.from(JSON.stringify(position)).toString('base64url');
      assertProblem(await get(`/customers?cursor=${made}${'q'.repeat(22)}`), 'invalid-cursor', 422);
    }
  });
});
