// The parameters of lists, valid and invalid: all issues of a query are reported at once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertIssues, newCustomer, newOrder, rootToken } from '../../support/resource-support.ts';
import { type TestResponse } from '../../support/service.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { withoutSyncs } from '../../support/list-support.ts';

const file = { accept: 'text/csv' };
const rows: readonly (readonly [target: string, issues: readonly string[], headers?: object])[] = [
  ['/orders?limit=0&limit=0', ['limit minimum', 'limit repeated-parameter']],
  ['/orders?q=tea&sort=id&limit=x&status=x', ['limit type', 'sort not-with-q', 'status enum']],
  ['/orders?q=tea&sort=x&total=true', ['sort enum', 'total not-with-q']],
  ['/orders?q=tea&limit=60&surplus=1', ['limit maximum', 'surplus unknown-parameter']],
  ['/orders?q=tea&limit=600', ['limit maximum']],
  ['/customers?q=tea&cursor=x&email=x', ['cursor not-with-q', 'email pattern']],
  ['/orders?limit=5&currency=x', ['currency pattern', 'limit conflict'], file],
  [
    '/customers?limit=500&total=true&cursor=x',
    ['cursor conflict', 'limit conflict', 'limit maximum', 'total conflict'],
    file,
  ],
  ['/orders?q=tea&limit=60', ['limit conflict', 'limit maximum'], file],
  ['/events?cursor=x&from=latest&type=x', ['cursor conflict', 'type enum']],
  ['/events?cursor=x&from=x&limit=0', ['from enum', 'limit minimum']],
  ['/events?cursor=x&from=latest&limit=5', ['cursor conflict', 'limit conflict'], file],
  ['/sales?from=2026-02-01T00:00:00Z&before=2026-01-01T00:00:00Z&by=x', ['before range', 'by enum']],
  ['/sales?from=1970-01-01T00:00:00Z&by=hour&timeZone=x', ['by too-many', 'timeZone format']],
  ['/sales?from=x&before=x', ['before pattern', 'from pattern']],
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

  const bad: Readonly<Record<string, string>> = {
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
    'sort enum':
      'sort= sort=%2Bid sort=--id sort=id,name sort=ID sort=password sort=id;DROP%20TABLE%20orders',
    'cursor min-length': 'cursor=',
  };
  for (const [path, status] of [
    ['/orders', 422],
    ['/customers', 422],
    ['/api/users', 400],
  ] as const) {
    for (const [issue, queries] of Object.entries(bad))
      for (const query of queries.split(' '))
        test(`GET ${path}?${query} is ${status}: ${issue}`, async () =>
          assertIssues(await get(`${path}?${query}`), status, [issue]));
  }

  const bounds: readonly (readonly [target: string, status: 400 | 422, issue: string])[] = [
    ['/orders?status=', 422, 'status enum'],
    ['/orders?status=OPEN', 422, 'status enum'],
    ['/orders?status=open,', 422, 'status enum'],
    ['/orders?status=open,,paid', 422, 'status enum'],
    ['/orders?status=open,paid,shipped,delivered,cancelled,refunded,open', 422, 'status max-items'],
    ['/orders?status=open&status=lost', 422, 'status enum'],
    ['/orders?status=open&status=', 422, 'status enum'],
    ['/orders?customerId=0', 422, 'customerId minimum'],
    ['/orders?customerId=9007199254740992', 422, 'customerId maximum'],
    ['/orders?userId=x', 422, 'userId type'],
    ['/orders?userId=null', 422, 'userId type'],
    ['/orders?currency=eur', 422, 'currency pattern'],
    ['/orders?currency=QQQ', 422, 'currency format'],
    ['/orders?createdFrom=2026-03-01', 422, 'createdFrom pattern'],
    ['/orders?createdFrom=2026-02-30T00:00:00.000Z', 422, 'createdFrom format'],
    ['/orders?createdBefore=2026-03-01T00:00:00.000%2B', 422, 'createdBefore pattern'],
    ['/orders?createdBefore=2026-03-01T00:00:00+01:00', 422, 'createdBefore pattern'],
    ['/orders?createdBefore=2026-03-01T00:00:60Z', 422, 'createdBefore format'],
    ['/orders?sort=customerId', 422, 'sort enum'],
    ['/orders?name=x', 422, 'name unknown-parameter'],
    ['/customers?sort=email', 422, 'sort enum'],
    ['/customers?email=x', 422, 'email pattern'],
    ['/customers?email=nobody', 422, 'email pattern'],
    ['/customers?name=', 422, 'name min-length'],
    ['/customers?name=%20', 422, 'name pattern'],
    ['/customers?name=a%00', 422, 'name pattern'],
    ['/customers?status=open', 422, 'status unknown-parameter'],
    ['/api/users?role=root', 400, 'role enum'],
    ['/api/users?sort=role', 400, 'sort enum'],
    ['/api/sessions?userId=0', 400, 'userId minimum'],
    ['/api/sessions?sort=id', 400, 'sort unknown-parameter'],
    ['/api/keys?userId=0', 400, 'userId minimum'],
  ];
  for (const [target, status, issue] of bounds) {
    test(`GET ${target} is ${status}: ${issue}`, async () =>
      assertIssues(await get(target), status, [issue]));
  }

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

  test('objects take no parameters, nor do changes', async () => {
    for (const [method, path, name] of [
      ['GET', '/customers/1', 'expand'],
      ['DELETE', '/customers/60', 'force'],
      ['POST', '/customers', 'dry'],
    ] as const) {
      const body = method === 'POST' ? { name: 'Ada' } : undefined;
      const response = await service().call(method, `${path}?${name}=true`, { token, body });
      assertIssues(response, 422, [`${name} unknown-parameter`]);
    }
    await assertStatus(get('/customers/60'), 200);
  });

  test('empty pairs are ignored, a question mark is part of a value, and + is a blank', async () => {
    assert.equal((await get('/customers?&&limit=2&')).body.data.length, 2);
    await assertStatus(get('/customers?name=a?b'), 200);
    assert.equal((await get('/customers?name=Grace+Hopper&limit=1')).body.data.length, 1);
  });

  for (const [target, issues, headers] of rows) {
    test(`all issues are reported of ${target}${headers === file ? ' as a file' : ''}: ${issues.join(', ')}`, async () => {
      assertIssues(await service().get(target, { token: root, headers: { ...headers } }), 422, issues);
    });
  }
});
