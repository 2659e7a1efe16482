// The parameters of lists, valid and invalid: all issues of a query are reported at once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, assertStatus, sharedService, withoutSyncs } from '../../support/http-support.ts';
import { assertIssues, newCustomer, newOrder, rootToken } from '../../support/resource-support.ts';
import type { TestResponse } from '../../support/service.ts';

/** Queries of each of these lists, by their one issue. */
const ofEach = ['/orders', '/customers', '/api/users'];
const wrong: Readonly<Record<string, string>> = {
  'limit minimum': 'limit=0 limit=-1',
  'limit maximum': 'limit=201',
  'limit type':
    'limit=1.5 limit=1e1 limit=05 limit=%2B5 limit=+5 limit= limit limit=abc limit=0x10 ' +
    'limit=99999999999999999999',
  'limit repeated-parameter': 'limit=5&limit=5 limit=5&l%69mit=6',
  'Limit unknown-parameter': 'Limit=5',
  'limit[] unknown-parameter': 'limit[]=5',
  'offset unknown-parameter': 'offset=5',
  'page unknown-parameter': 'page=2',
  ' unknown-parameter': '=5',
  '__proto__ unknown-parameter': '__proto__=1',
  'constructor unknown-parameter': 'constructor=1',
  'total type': 'total=1 total=TRUE total=',
  'sort enum': 'sort= sort=%2Bid sort=--id sort=id,name sort=ID sort=password sort=id;DROP%20TABLE%20orders',
  'cursor min-length': 'cursor=',
};

/** Targets by their one issue. */
const targets: Readonly<Record<string, string>> = {
  'q min-length': '/orders?q= /customers?q=',
  'q pattern': '/orders?q=%20 /customers?q=%00',
  'q max-length': `/orders?q=${'a'.repeat(101)} /customers?q=${'a'.repeat(101)}`,
  'q repeated-parameter': '/orders?q=a&q=b',
  'limit maximum': '/orders?q=abc&limit=51 /customers?q=abc&limit=51',
  'sort not-with-q': '/orders?q=abc&sort=id /customers?q=abc&sort=id /products?q=abc&sort=sku',
  'total not-with-q': '/orders?q=abc&total=true /customers?q=abc&total=true',
  'status enum':
    '/orders?status= /orders?status=OPEN /orders?status=open, /orders?status=open,,paid ' +
    '/orders?status=open&status=lost /orders?status=open&status=',
  'status max-items': '/orders?status=open,paid,shipped,delivered,cancelled,refunded,open',
  'customerId minimum': '/orders?customerId=0',
  'customerId maximum': '/orders?customerId=9007199254740992',
  'userId type': '/orders?userId=x /orders?userId=null',
  'userId minimum': '/api/sessions?userId=0 /api/keys?userId=0',
  'currency pattern': '/orders?currency=eur',
  'currency format': '/orders?currency=QQQ',
  'createdFrom pattern': '/orders?createdFrom=2026-03-01',
  'createdFrom format': '/orders?createdFrom=2026-02-30T00:00:00.000Z',
  'createdBefore pattern':
    '/orders?createdBefore=2026-03-01T00:00:00.000%2B /orders?createdBefore=2026-03-01T00:00:00+01:00',
  'createdBefore format': '/orders?createdBefore=2026-03-01T00:00:60Z',
  'sort enum': '/orders?sort=customerId /customers?sort=email /products?sort=id /api/users?sort=role',
  'active type': '/products?active=yes',
  'sort unknown-parameter': '/api/sessions?sort=id',
  'name unknown-parameter': '/orders?name=x',
  'email pattern': '/customers?email=x /customers?email=nobody',
  'name min-length': '/customers?name=',
  'name pattern': '/customers?name=%20 /customers?name=a%00',
  'status unknown-parameter': '/customers?status=open',
  'role enum': '/api/users?role=root',
  'expand unknown-parameter': '/customers/1?expand=true',
};

const file = { accept: 'text/csv' };
const several: readonly (readonly [target: string, issues: string, headers?: typeof file])[] = [
  ['/orders?limit=0&limit=0', 'limit minimum, limit repeated-parameter'],
  ['/orders?q=tea&sort=id&limit=x&status=x', 'limit type, sort not-with-q, status enum'],
  ['/orders?q=tea&sort=x&total=true', 'sort enum, total not-with-q'],
  ['/orders?q=tea&limit=60&surplus=1', 'limit maximum, surplus unknown-parameter'],
  ['/customers?q=abc&cursor=abc&sort=-id&limit=200', 'cursor not-with-q, limit maximum, sort not-with-q'],
  ['/customers?q=tea&cursor=x&email=x', 'cursor not-with-q, email pattern'],
  ['/orders?limit=5&currency=x', 'currency pattern, limit conflict', file],
  [
    '/customers?limit=500&total=true&cursor=x',
    'cursor conflict, limit conflict, limit maximum, total conflict',
    file,
  ],
  ['/orders?q=tea&limit=60', 'limit conflict, limit maximum', file],
  ['/orders?q=tea&sort=id', 'sort not-with-q', file],
  ['/events?cursor=x&from=latest&type=x', 'cursor conflict, type enum'],
  ['/events?cursor=x&from=x&limit=0', 'from enum, limit minimum'],
  ['/events?cursor=x&from=latest&limit=5', 'cursor conflict, limit conflict', file],
  ['/sales?from=2026-02-01T00:00:00Z&before=2026-01-01T00:00:00Z&by=x', 'before range, by enum'],
  ['/sales?from=1970-01-01T00:00:00Z&by=hour&timeZone=x', 'by too-many, timeZone format'],
  ['/sales?from=x&before=x', 'before pattern, from pattern'],
];

describe('the parameters of lists', () => {
  let [token, root] = ['', ''];
  const service = sharedService(withoutSyncs, async (started) => {
    [token, root] = [(await started.person()).token, await rootToken(started)];
    for (let index = 0; index < 60; index += 1) await newCustomer(started, token);
  });
  const get = (target: string): Promise<TestResponse> =>
    service().get(target, { token: target.startsWith('/api/users') ? root : token });

  test('a page has 50 elements by default', async () => {
    for (const [query, length] of [
      ['', 50],
      ['?limit=1', 1],
      ['?limit=60', 60],
      ['?limit=200', 60],
    ] as const) {
      const { body } = await get(`/customers${query}`);
      assert.deepEqual([body.data.length, body.next === null], [length, length === 60]);
    }
  });

  const single = [
    ...Object.entries(targets).flatMap(([issue, all]) =>
      all.split(' ').map((target) => [target, issue] as const),
    ),
    ...ofEach.flatMap((path) =>
      Object.entries(wrong).flatMap(([issue, all]) =>
        all.split(' ').map((query) => [`${path}?${query}`, issue] as const),
      ),
    ),
  ];
  for (const [target, issue] of single) {
    const status = target.startsWith('/api/') ? 400 : 422;
    test(`GET ${target} is ${status}: ${issue}`, async () =>
      assertIssues(await get(target), status, [issue]));
  }

  for (const [target, issues, headers] of several)
    test(`all issues are reported of ${target}${headers === file ? ' as a file' : ''}: ${issues}`, async () => {
      const response = await service().get(target, { token: root, headers: { ...headers } });
      assertIssues(response, 422, issues.split(', '));
    });

  test('a list that is sent as a repeated parameter is the list with commas, also in its cursor', async () => {
    const { id: customerId } = await newCustomer(service(), token);
    for (const _ of [1, 2]) await newOrder(service(), token, { customerId });
    const joined = await get('/orders?limit=1&total=true&status=open,paid');
    assert.equal(joined.body.total, 2);
    assert.notEqual(joined.body.next, null);
    for (const query of [
      'status=open&status=paid',
      'status=paid&st%61tus=open',
      'status=open&status=paid,open',
    ]) {
      const repeated = await get(`/orders?limit=1&total=true&${query}`);
      assert.deepEqual([repeated.status, repeated.body], [200, joined.body]);
    }
    const paid = await get('/orders?total=true&status=paid&status=shipped');
    assert.equal(paid.body.total, 0);
  });

  test('a query that isn’t percent-encoded UTF-8 is a bad request', async () => {
    for (const query of ['name=%', 'name=%zz', 'name=%ff', 'na%e4me=x', 'name=%ed%a0%80'])
      assertProblem(await get(`/customers?${query}`), 'bad-request');
  });

  test('changes take no parameters', async () => {
    const body = { name: 'Ada' };
    assertIssues(await service().delete('/customers/60?force=true', { token }), 422, [
      'force unknown-parameter',
    ]);
    assertIssues(await service().post('/customers?dry=true', { token, body }), 422, [
      'dry unknown-parameter',
    ]);
    await assertStatus(get('/customers/60'), 200);
  });

  test('empty pairs are ignored, a question mark is part of a value, and + is a blank', async () => {
    assert.equal((await get('/customers?&&limit=2&')).body.data.length, 2);
    await assertStatus(get('/customers?name=a?b'), 200);
    assert.equal((await get('/customers?name=Grace+Hopper&limit=1')).body.data.length, 1);
  });
});
