// Requests that may be sent twice: Idempotency-Key.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertIssues, items, newCustomer, newKey, newOrder } from '../../support/resource-support.ts';
import { password, type TestResponse, type Call, type Person } from '../../support/service.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { withKey, isReplay } from './idempotency-support.ts';

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

  const takers: Readonly<
    Record<string, () => Promise<readonly [method: string, path: string, body: object]>>
  > = {
    'POST /orders': () => Promise.resolve(['POST', '/orders', order({ note: 'für Ægir 😀' })]),
    'POST /customers': () => Promise.resolve(['POST', '/customers', { name: 'Zoë 東京' }]),
    'POST /api/users': () =>
      Promise.resolve(['POST', '/api/users', { name: 'Grace', email: 'grace@example.com', password }]),
    'PATCH /orders/{id}': async () => [
      'PATCH',
      `/orders/${(await newOrder(service(), ada.token)).id}`,
      { status: 'cancelled', note: 'für Ægir' },
    ],
  };
  for (const [name, make] of Object.entries(takers)) {
    test(`${name}: the same key and body get the first response again`, async () => {
      const [method, path, body] = await make();
      const send = (): Promise<TestResponse> =>
        service().call(method, path, {
          body,
          headers: withKey(`again ${name}`.replaceAll(' ', '-')),
          token: ada.token,
        });
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
      const key = withKey(`other-${method}-${path}`);
      const first = await service().call(method, path, {
        token: ada.token,
        headers: key,
        body: 'email' in body ? { ...body, email: 'other@example.com' } : body,
      });
      assert.ok(first.status < 300, first.text);
      const other =
        'name' in body ? { ...body, email: 'third@example.com', name: 'Other' } : { ...body, note: 'other' };
      for (const reused of [other, { ...other, nothing: 'valid' }]) {
        assertProblem(
          await service().call(method, path, { token: ada.token, headers: key, body: reused }),
          'idempotency-key-reused',
        );
      }
      assert.equal(
        (
          await service().get(first.headers.location ?? path, {
            token: path === '/api/users' ? (await service().person('admin')).token : ada.token,
          })
        ).text,
        first.text,
      );
    });
  }

  test('fifty requests with one key create one order: all get its response, or have to wait', async () => {
    const before = (await service().get('/orders?total=true&limit=1', { token: ada.token })).body.total;
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
    assert.equal(
      (await service().get('/orders?total=true&limit=1', { token: ada.token })).body.total,
      before + 1,
    );
    assert.equal((await place('fifty')).text, made[0]?.text);
  });

  test('the first response is replayed, even if the order has changed since', async () => {
    const { id } = await newOrder(service(), ada.token);
    const send = (): Promise<TestResponse> =>
      service().patch(`/orders/${id}`, {
        token: staff.token,
        headers: withKey('moved-on'),
        body: { status: 'paid' },
      });
    const first = await send();
    await service().patch(`/orders/${id}`, { token: staff.token, body: { status: 'shipped' } });
    const again = await send();
    assert.deepEqual([again.body.status, again.text, isReplay(again)], ['paid', first.text, true]);
    assert.equal((await service().get(`/orders/${id}`, { token: ada.token })).body.status, 'shipped');
  });

  test('the keys of principals are separate: another user, staff and an API key each create their own', async () => {
    const { key } = await newKey(service(), ada.token, { scopes: ['customers:write'] });
    const { key: secondKey } = await newKey(service(), ada.token, { scopes: ['customers:write'] });
    const callers: Call[] = [
      { token: ada.token },
      { token: bob.token },
      { token: staff.token },
      { key },
      { key: secondKey },
    ];
    const ids = new Set<number>();
    for (const caller of callers) {
      const response = await service().post('/customers', {
        ...caller,
        headers: withKey('apart'),
        body: { name: 'Ada' },
      });
      assert.deepEqual([response.status, isReplay(response)], [201, false], response.text);
      ids.add(response.body.id);
      assert.ok(
        isReplay(
          await service().post('/customers', { ...caller, headers: withKey('apart'), body: { name: 'Ada' } }),
        ),
      );
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
    const [one, two] = [await newOrder(service(), ada.token), await newOrder(service(), ada.token)];
    const body = { note: 'one key' };
    for (const { id } of [one, two]) {
      const response = await service().patch(`/orders/${id}`, {
        token: ada.token,
        headers: withKey('paths'),
        body,
      });
      assert.deepEqual([response.status, response.body.id, isReplay(response)], [200, id, false]);
    }
    assert.equal(isReplay(await place('paths')), false);
  });

  const rejections: readonly (readonly [
    what: string,
    send: (key: string) => Promise<TestResponse>,
    status: number,
    mend: (key: string) => Promise<TestResponse>,
  ])[] = [
    ['invalid data', (key) => place(key, order({ currency: 'QQQ' })), 422, place],
    ['a customer that isn’t one’s own', (key) => place(key, order({ customerId: 999_999 })), 422, place],
    ['an order for another user', (key) => place(key, order({ userId: 1 })), 403, place],
    [
      'malformed JSON',
      (key) => service().post('/orders', { token: ada.token, headers: withKey(key), body: '{' }),
      400,
      place,
    ],
    [
      'another type of body',
      (key) =>
        service().post('/orders', {
          token: ada.token,
          headers: { ...withKey(key), 'content-type': 'text/plain' },
          body: '{}',
        }),
      415,
      place,
    ],
    [
      'an e-mail address that is taken',
      (key) =>
        service().post('/api/users', {
          headers: withKey(key),
          body: { name: 'A', email: ada.email, password },
        }),
      409,
      (key) =>
        service().post('/api/users', {
          headers: withKey(key),
          body: { name: 'A', email: 'free@example.com', password },
        }),
    ],
  ];
  for (const [what, send, status, mend] of rejections) {
    test(`a request rejected for ${what} isn’t stored: corrected, it may use the same key`, async () => {
      const key = `rejected-${what.replaceAll(/\W/g, '')}`;
      assert.equal((await send(key)).status, status);
      assert.equal((await send(key)).status, status);
      const mended = await mend(key);
      assert.deepEqual([mended.status, isReplay(mended)], [201, false], mended.text);
    });
  }

  test('a rejected status change, or a stale one, isn’t stored', async () => {
    const { id } = await newOrder(service(), ada.token);
    const send = (body: object, headers = {}): Promise<TestResponse> =>
      service().patch(`/orders/${id}`, {
        token: staff.token,
        headers: { ...withKey('steps'), ...headers },
        body,
      });
    assertProblem(await send({ status: 'shipped' }), 'invalid-transition');
    assertProblem(await send({ status: 'paid' }, { 'if-match': '"stale"' }), 'precondition-failed');
    assertProblem(
      await service().patch('/orders/999999', {
        token: staff.token,
        headers: withKey('steps'),
        body: { status: 'paid' },
      }),
      'not-found',
    );
    assert.equal((await send({ status: 'paid' })).status, 200);
    assert.ok(isReplay(await send({ status: 'paid' })));
  });

  const keys: readonly (readonly [what: string, key: string | string[], isGood: boolean])[] = [
    ['one character', '!', true],
    ['255 characters', 'k'.repeat(255), true],
    [
      'all of visible ASCII',
      String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index)),
      true,
    ],
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
      const response = await service().post('/customers', {
        token: ada.token,
        headers,
        body: { name: 'Ada' },
      });
      if (isGood) return assert.equal(response.status, 201);
      assertIssues(response, 422, ['Idempotency-Key pattern']);
      assertIssues(
        await service().post('/api/users', { headers, body: { name: 'A', email: 'a@b.example', password } }),
        400,
        ['Idempotency-Key pattern'],
      );
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
    const headers = withKey('elsewhere');
    const send = (): Promise<TestResponse> =>
      service().post('/api/keys', {
        token: ada.token,
        headers,
        body: { name: 'k', scopes: ['orders:read'] },
      });
    assert.notEqual((await send()).body.id, (await send()).body.id);
    const path = `/customers/${customerId}`;
    for (const name of ['One', 'Two'])
      assert.equal(
        (await service().put(path, { token: ada.token, headers, body: { name } })).body.name,
        name,
      );
    assert.equal((await service().get(path, { token: ada.token, headers: withKey('a b') })).status, 200);
  });
});
