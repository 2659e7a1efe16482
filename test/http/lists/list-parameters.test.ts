// The parameters of lists, valid and invalid.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertIssues, newCustomer, newOrder, rootToken } from '../../support/resource-support.ts';
import { type TestResponse } from '../../support/service.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { withoutSyncs } from '../../support/list-support.ts';

describe('the parameters of lists', () => {
  let token = '',
    root = '';
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

  const bad: readonly (readonly [query: string, issue: string])[] = [
    ['limit=0', 'limit minimum'],
    ['limit=-1', 'limit minimum'],
    ['limit=201', 'limit maximum'],
    ['limit=1.5', 'limit type'],
    ['limit=1e1', 'limit type'],
    ['limit=05', 'limit type'],
    ['limit=%2B5', 'limit type'],
    ['limit=+5', 'limit type'],
    ['limit=', 'limit type'],
    ['limit', 'limit type'],
    ['limit=abc', 'limit type'],
    ['limit=0x10', 'limit type'],
    ['limit=99999999999999999999', 'limit type'],
    ['limit=5&limit=5', 'limit repeated-parameter'],
    ['limit=5&l%69mit=6', 'limit repeated-parameter'],
    ['Limit=5', 'Limit unknown-parameter'],
    ['limit[]=5', 'limit[] unknown-parameter'],
    ['offset=5', 'offset unknown-parameter'],
    ['page=2', 'page unknown-parameter'],
    ['=5', ' unknown-parameter'],
    ['__proto__=1', '__proto__ unknown-parameter'],
    ['constructor=1', 'constructor unknown-parameter'],
    ['total=1', 'total type'],
    ['total=TRUE', 'total type'],
    ['total=', 'total type'],
    ['sort=', 'sort enum'],
    ['sort=%2Bid', 'sort enum'],
    ['sort=--id', 'sort enum'],
    ['sort=id,name', 'sort enum'],
    ['sort=ID', 'sort enum'],
    ['sort=password', 'sort enum'],
    ['sort=id;DROP TABLE orders', 'sort enum'],
    ['cursor=', 'cursor min-length'],
  ];
  for (const [path, status] of [
    ['/orders', 422],
    ['/customers', 422],
    ['/api/users', 400],
  ] as const) {
    for (const [query, issue] of bad) {
      test(`GET ${path}?${query} is ${status}: ${issue}`, async () =>
        assertIssues(await get(`${path}?${query.replaceAll(' ', '%20')}`), status, [issue]));
    }
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
    assertIssues(await get('/customers/1?expand=orders'), 422, ['expand unknown-parameter']);
    assertIssues(await service().delete('/customers/60?force=true', { token }), 422, [
      'force unknown-parameter',
    ]);
    assertIssues(await service().post('/customers?dry=1', { token, body: { name: 'Ada' } }), 422, [
      'dry unknown-parameter',
    ]);
    assert.equal((await get('/customers/60')).status, 200);
  });

  test('empty pairs are ignored, a question mark is part of a value, and + is a blank', async () => {
    assert.equal((await get('/customers?&&limit=2&')).body.data.length, 2);
    assert.equal((await get('/customers?name=a?b')).status, 200);
    assert.equal((await get('/customers?name=Grace+Hopper&limit=1')).body.data.length, 1);
  });
});
