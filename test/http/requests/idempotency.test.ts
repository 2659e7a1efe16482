// Requests that may be sent twice: Idempotency-Key.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  assertIssues,
  isReplay,
  items,
  newCustomer,
  newKey,
  newOrder,
  withKey,
} from '../../support/resource-support.ts';
import { password, type TestResponse, type Call, type Person } from '../../support/service.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';

describe('Idempotency-Key', () => {
  let ada: Person, bob: Person, staff: Person;
  let customerId = 0;
  const service = sharedService({}, async (started) => {
    [ada, bob, staff] = await Promise.all([started.person(), started.person(), started.person('staff')]);
    customerId = (await newCustomer(started, ada.token)).id;
  });
  const order = (members: object = {}): object => ({ customerId, currency: 'EUR', items, ...members });
  const place = (key: string, body: object = order(), token = ada.token): Promise<TestResponse> =>
    service().post('/orders', { token, body, headers: withKey(key) });

  type Sent = readonly [method: string, path: string, body: object];
  const takers: Readonly<Record<string, () => Promise<Sent>>> = {
    'POST /orders': async () => ['POST', '/orders', order({ note: 'für Ægir 😀' })],
    'POST /customers': async () => ['POST', '/customers', { name: 'Zoë 東京' }],
    'POST /api/users': async () => {
      const body = { name: 'Grace', email: `grace${(count += 1)}@example.com`, password };
      return ['POST', '/api/users', body];
    },
    'PATCH /orders/{id}': async () => {
      const { id } = await newOrder(service(), ada.token);
      return ['PATCH', `/orders/${id}`, { status: 'cancelled', note: 'für Ægir' }];
    },
  };
  let count = 0;
  for (const [name, make] of Object.entries(takers)) {
    test(`${name}: the same key and body get the first response again`, async () => {
      const [method, path, body] = await make();
      const sent = { token: ada.token, headers: withKey(`again ${name}`.replaceAll(' ', '-')), body };
      const send = (): Promise<TestResponse> => service().call(method, path, sent);
      const [first, second, third] = [await send(), await send(), await send()];
      assert.ok(first.status < 300, first.text);
      assert.equal(first.headers['idempotency-replayed'], undefined);
      for (const again of [second, third]) {
        assert.ok(isReplay(again));
        assert.deepEqual([again.status, again.text], [first.status, first.text]);
        const different = new Set(['x-request-id', 'date', 'idempotency-replayed']);
        for (const field of new Set([...Object.keys(first.headers), ...Object.keys(again.headers)])) {
          if (!different.has(field)) assert.equal(again.headers[field], first.headers[field], field);
        }
        assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id']);
      }
    });

    test(`${name}: another body is idempotency-key-reused, and changes nothing`, async () => {
      const [method, path, body] = await make();
      const sent = { token: ada.token, headers: withKey(`other-${method}-${path}`) };
      const first = await service().call(method, path, { ...sent, body });
      assert.ok(first.status < 300, first.text);
      const other =
        'name' in body ? { ...body, email: 'third@example.com', name: 'Other' } : { ...body, note: 'other' };
      for (const reused of [other, { ...other, nothing: 'valid' }])
        assertProblem(
          await service().call(method, path, { ...sent, body: reused }),
          'idempotency-key-reused',
        );
      const { token } = path === '/api/users' ? await service().person('admin') : ada;
      assert.equal((await service().get(first.headers.location ?? path, { token })).text, first.text);
    });
  }

  test('fifty requests with one key create one order: all get its response, or have to wait', async () => {
    const countOrders = async (): Promise<number> =>
      (await service().get('/orders?total=true&limit=1', ada)).body.total;
    const before = await countOrders();
    const responses = await Promise.all(Array.from({ length: 50 }, () => place('fifty')));
    const made = responses.filter((response) => response.status === 201 && !isReplay(response));
    assert.equal(made.length, 1);
    for (const response of responses) {
      if (response.status === 201) assert.equal(response.text, made[0]?.text);
      else {
        assertProblem(response, 'idempotency-key-in-progress');
        assert.equal(response.headers['retry-after'], '1');
      }
    }
    assert.equal(await countOrders(), before + 1);
    assert.equal((await place('fifty')).text, made[0]?.text);
  });

  test('the first response is replayed, even if the order has changed since', async () => {
    const { id } = await newOrder(service(), ada.token);
    const sent = { token: staff.token, headers: withKey('moved-on'), body: { status: 'paid' } };
    const send = (): Promise<TestResponse> => service().patch(`/orders/${id}`, sent);
    const first = await send();
    await service().patch(`/orders/${id}`, { token: staff.token, body: { status: 'shipped' } });
    const again = await send();
    assert.deepEqual([again.body.status, again.text, isReplay(again)], ['paid', first.text, true]);
    assert.equal((await service().get(`/orders/${id}`, { token: ada.token })).body.status, 'shipped');
  });

  test('the keys of principals are separate: another user, staff and an API key each create their own', async () => {
    const scopes = ['customers:write'];
    const keys = [
      await newKey(service(), ada.token, { scopes }),
      await newKey(service(), ada.token, { scopes }),
    ];
    const callers: Call[] = [
      ...[ada, bob, staff].map(({ token }) => ({ token })),
      ...keys.map(({ key }) => ({ key })),
    ];
    const ids = new Set<number>();
    for (const caller of callers) {
      const sent = { ...caller, headers: withKey('apart'), body: { name: 'Ada' } };
      const [response, again] = [
        await service().post('/customers', sent),
        await service().post('/customers', sent),
      ];
      assert.deepEqual([response.status, isReplay(response)], [201, false], response.text);
      ids.add(response.body.id);
      assert.ok(isReplay(again));
    }
    assert.equal(ids.size, callers.length);
  });

  test('the sessions of one user share their Idempotency-Keys', async () => {
    const { token } = await service().signIn(ada.email, ada.password);
    const first = await place('sessions');
    const again = await place('sessions', order(), token);
    assert.deepEqual([again.text, isReplay(again)], [first.text, true]);
  });

  test('an Idempotency-Key of another path or method is another key', async () => {
    const sent = { token: ada.token, headers: withKey('paths'), body: { note: 'one key' } };
    for (const { id } of [await newOrder(service(), ada.token), await newOrder(service(), ada.token)]) {
      const response = await service().patch(`/orders/${id}`, sent);
      assert.deepEqual([response.status, response.body.id, isReplay(response)], [200, id, false]);
    }
    assert.equal(isReplay(await place('paths')), false);
  });

  const signUp = (key: string, email: string): Promise<TestResponse> =>
    service().post('/api/users', { headers: withKey(key), body: { name: 'A', email, password } });
  const send = (key: string, body: string, type = 'application/json'): Promise<TestResponse> =>
    service().post('/orders', {
      token: ada.token,
      headers: { ...withKey(key), 'content-type': type },
      body,
    });
  const rejections: readonly (readonly [
    what: string,
    status: number,
    send: (key: string) => Promise<TestResponse>,
    mend?: (key: string) => Promise<TestResponse>,
  ])[] = [
    ['invalid data', 422, (key) => place(key, order({ currency: 'QQQ' }))],
    ['a customer that isn’t one’s own', 422, (key) => place(key, order({ customerId: 999_999 }))],
    ['an order for another user', 403, (key) => place(key, order({ userId: 1 }))],
    ['malformed JSON', 400, (key) => send(key, '{')],
    ['another type of body', 415, (key) => send(key, '{}', 'text/plain')],
    ['a taken address', 409, (key) => signUp(key, ada.email), (key) => signUp(key, 'free@example.com')],
  ];
  for (const [what, status, reject, mend = place] of rejections) {
    test(`a request rejected for ${what} isn’t stored: corrected, it may use the same key`, async () => {
      const key = `rejected-${what.replaceAll(/\W/g, '')}`;
      for (const _ of [1, 2]) await assertStatus(reject(key), status);
      const mended = await mend(key);
      assert.deepEqual([mended.status, isReplay(mended)], [201, false], mended.text);
    });
  }

  test('a rejected status change, or a stale one, isn’t stored', async () => {
    const { id } = await newOrder(service(), ada.token);
    const send = (status: string, headers = {}, of = id): Promise<TestResponse> => {
      const sent = { ...withKey('steps'), ...headers };
      return service().patch(`/orders/${of}`, { token: staff.token, headers: sent, body: { status } });
    };
    assertProblem(await send('shipped'), 'invalid-transition');
    assertProblem(await send('paid', { 'if-match': '"stale"' }), 'precondition-failed');
    assertProblem(await send('paid', {}, 999_999), 'not-found');
    await assertStatus(send('paid'), 200);
    assert.ok(isReplay(await send('paid')));
  });

  const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index));
  const keys: readonly (readonly [what: string, key: string | string[], isGood: boolean])[] = [
    ['one character', '!', true],
    ['255 characters', 'k'.repeat(255), true],
    ['all of visible ASCII', visible, true],
    ['a structured string', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', true],
    ['nothing', '', false],
    ['256 characters', 'k'.repeat(256), false],
    ['a blank inside', 'a b', false],
    ['a tab inside', 'a\tb', false],
    ['a letter beyond ASCII', 'k\u00e9', false],
    ['two fields', ['a', 'b'], false],
    ['the same field twice', ['a', 'a'], false],
  ];
  for (const [what, key, isGood] of keys) {
    test(`a key of ${what} is ${isGood ? 'accepted' : 'rejected in both interfaces'}`, async () => {
      const headers = { 'idempotency-key': key };
      const sent = { token: ada.token, headers, body: { name: 'Ada' } };
      const response = await service().post('/customers', sent);
      if (isGood) return assert.equal(response.status, 201);
      assertIssues(response, 422, ['Idempotency-Key pattern']);
      const body = { name: 'A', email: 'a@b.example', password };
      const other = await service().post('/api/users', { headers, body });
      assertIssues(other, 400, ['Idempotency-Key pattern']);
    });
  }

  test('the response of a change that changes nothing is also stored', async () => {
    const { id } = await newOrder(service(), ada.token, { note: 'first' });
    const change = (body: object, headers = {}): Promise<TestResponse> =>
      service().patch(`/orders/${id}`, { token: ada.token, body, headers });
    const unchanged = await change({ note: 'first' }, withKey('unchanged'));
    assert.equal(unchanged.status, 200);
    assertProblem(await change({ note: 'other' }, withKey('unchanged')), 'idempotency-key-reused');
    await change({ note: 'second' });
    const again = await change({ note: 'first' }, withKey('unchanged'));
    assert.ok(isReplay(again));
    assert.equal(again.text, unchanged.text);
    assert.equal((await service().get(`/orders/${id}`, { token: ada.token })).body.note, 'second');
  });

  test('Idempotency-Keys are case-sensitive', async () => {
    const [lower, upper] = [await place('case'), await place('CASE')];
    assert.ok(lower.body.id !== upper.body.id && !isReplay(upper));
  });

  test('Idempotency-Key is ignored by operations that don’t accept it', async () => {
    const sent = { token: ada.token, headers: withKey('elsewhere') };
    const body = { name: 'k', scopes: ['orders:read'] };
    const send = (): Promise<TestResponse> => service().post('/api/keys', { ...sent, body });
    assert.notEqual((await send()).body.id, (await send()).body.id);
    const path = `/customers/${customerId}`;
    for (const name of ['One', 'Two'])
      assert.equal((await service().put(path, { ...sent, body: { name } })).body.name, name);
    await assertStatus(service().get(path, { token: ada.token, headers: withKey('a b') }), 200);
  });
});
