// Requests that may be sent twice: Idempotency-Key.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import {
  assertIssues,
  isReplay,
  items,
  newCustomer,
  newKey,
  newOrder,
  withKey,
} from '../../support/resource-support.ts';
import { password, type Call, type Person, type TestResponse } from '../../support/service.ts';

describe('Idempotency-Key', () => {
  let ada: Person, bob: Person, staff: Person;
  let customerId = 0;
  const service = sharedService({}, async (started) => {
    [ada, bob, staff] = await Promise.all([started.person(), started.person(), started.person('staff')]);
    customerId = (await newCustomer(started, ada.token)).id;
  });
  const order = (members: object = {}): object => ({ customerId, currency: 'EUR', items, ...members });
  /** As Ada, unless `more` says otherwise. */
  const send = (key: string, line: string, body: unknown, more: Call = {}): Promise<TestResponse> => {
    const [method = '', path = ''] = line.split(' ');
    const headers = { ...withKey(key), ...more.headers };
    return service().call(method, path, { token: ada.token, body, ...more, headers });
  };
  const place = (key: string, body = order(), more: Call = {}): Promise<TestResponse> =>
    send(key, 'POST /orders', body, more);

  let count = 0;
  const takers: Readonly<Record<string, () => Promise<readonly [line: string, body: object]>>> = {
    'POST /orders': async () => ['POST /orders', order({ note: 'für Ægir 😀' })],
    'POST /customers': async () => ['POST /customers', { name: 'Zoë 東京' }],
    'POST /api/users': async () => {
      const email = `grace${(count += 1)}@example.com`;
      return ['POST /api/users', { name: 'Grace', email, password }];
    },
    'PATCH /orders/{id}': async () => {
      const { id } = await newOrder(service(), ada.token);
      return [`PATCH /orders/${id}`, { status: 'cancelled', note: 'für Ægir' }];
    },
  };
  for (const [name, make] of Object.entries(takers)) {
    test(`${name}: the same key and body get the first response again, and another body nothing`, async () => {
      const [line, body] = await make();
      const key = name.replaceAll(' ', '-');
      const first = await send(key, line, body);
      assert.ok(first.status < 300 && !isReplay(first), first.text);
      const different = ['x-request-id', 'date', 'idempotency-replayed'];
      const lasting = ({ headers }: TestResponse): object =>
        Object.fromEntries(Object.entries(headers).filter(([field]) => !different.includes(field)));
      for (const again of [await send(key, line, body), await send(key, line, body)]) {
        assert.ok(isReplay(again));
        assert.deepEqual(
          [again.status, again.text, lasting(again)],
          [first.status, first.text, lasting(first)],
        );
        assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id']);
      }
      const other =
        'name' in body ? { ...body, email: 'third@example.com', name: 'Other' } : { ...body, note: 'other' };
      for (const reused of [other, { ...other, nothing: 'valid' }])
        assertProblem(await send(key, line, reused), 'idempotency-key-reused');
      const { token } = line.includes('users') ? await service().person('admin') : ada;
      const path = first.headers.location ?? line.split(' ')[1] ?? '';
      assert.equal((await service().get(path, { token })).text, first.text);
    });
  }

  test('fifty requests with one key create one order: all get its response, or have to wait', async () => {
    const countOrders = async (): Promise<number> =>
      (await service().get('/orders?total=true&limit=1', ada)).body.total;
    const before = await countOrders();
    const responses = await Promise.all(Array.from({ length: 50 }, () => place('fifty')));
    const [made, ...others] = responses.filter((each) => each.status === 201 && !isReplay(each));
    assert.equal(others.length, 0);
    for (const response of responses) {
      if (response.status === 201) assert.equal(response.text, made?.text);
      else {
        assertProblem(response, 'idempotency-key-in-progress');
        assert.equal(response.headers['retry-after'], '1');
      }
    }
    assert.equal(await countOrders(), before + 1);
    assert.equal((await place('fifty')).text, made?.text);
  });

  test('the first response is replayed, even if the order has changed since', async () => {
    const { id } = await newOrder(service(), ada.token);
    const step = (status: string, key: string): Promise<TestResponse> =>
      send(key, `PATCH /orders/${id}`, { status }, staff);
    const first = await step('paid', 'moved-on');
    await step('shipped', 'moved-further');
    const again = await step('paid', 'moved-on');
    assert.deepEqual([again.body.status, again.text, isReplay(again)], ['paid', first.text, true]);
    assert.equal((await service().get(`/orders/${id}`, ada)).body.status, 'shipped');
  });

  test('the keys of principals are separate: another user, staff and an API key each create their own', async () => {
    const scopes = ['customers:write'];
    const [one, other] = [
      await newKey(service(), ada.token, { scopes }),
      await newKey(service(), ada.token, { scopes }),
    ];
    const callers: Call[] = [{}, ...[bob, staff].map(({ token }) => ({ token }))];
    for (const { key } of [one, other]) callers.push({ token: undefined, key });
    const ids = new Set<number>();
    for (const caller of callers) {
      const create = (): Promise<TestResponse> => send('apart', 'POST /customers', { name: 'Ada' }, caller);
      const [first, again] = [await create(), await create()];
      assert.deepEqual([first.status, isReplay(first), isReplay(again)], [201, false, true], first.text);
      ids.add(first.body.id);
    }
    assert.equal(ids.size, callers.length);
  });

  test('the sessions of one user share their Idempotency-Keys', async () => {
    const { token } = await service().signIn(ada.email, ada.password);
    const first = await place('sessions');
    const again = await place('sessions', order(), { token });
    assert.deepEqual([again.text, isReplay(again)], [first.text, true]);
  });

  test('an Idempotency-Key of another path, method or case is another key', async () => {
    for (const { id } of [await newOrder(service(), ada.token), await newOrder(service(), ada.token)]) {
      const response = await send('paths', `PATCH /orders/${id}`, { note: 'one key' });
      assert.deepEqual([response.status, response.body.id, isReplay(response)], [200, id, false]);
    }
    for (const key of ['paths', 'PATHS']) assert.equal(isReplay(await place(key)), false);
  });

  const signUp = (key: string, email: string): Promise<TestResponse> =>
    send(key, 'POST /api/users', { name: 'A', email, password }, { token: undefined });
  const text = { headers: { 'content-type': 'text/plain' } };
  type Sending = (key: string) => Promise<TestResponse>;
  const rejections: readonly (readonly [what: string, status: number, send: Sending, mended?: Sending])[] = [
    ['invalid data', 422, (key) => place(key, order({ currency: 'QQQ' }))],
    ['a customer that isn’t one’s own', 422, (key) => place(key, order({ customerId: 999_999 }))],
    ['an order for another user', 403, (key) => place(key, order({ userId: 1 }))],
    ['malformed JSON', 400, (key) => send(key, 'POST /orders', '{')],
    ['another type of body', 415, (key) => send(key, 'POST /orders', '{}', text)],
    ['a taken address', 409, (key) => signUp(key, ada.email), (key) => signUp(key, 'free@example.com')],
  ];
  for (const [what, status, reject, mended = place] of rejections)
    test(`a request rejected for ${what} isn’t stored: corrected, it may use the same key`, async () => {
      const key = `rejected-${what.replaceAll(/\W/g, '')}`;
      for (const _ of [1, 2]) await assertStatus(reject(key), status);
      const accepted = await mended(key);
      assert.deepEqual([accepted.status, isReplay(accepted)], [201, false], accepted.text);
    });

  test('a rejected status change, or a stale one, isn’t stored', async () => {
    const { id } = await newOrder(service(), ada.token);
    const step = (status: string, headers = {}, of = id): Promise<TestResponse> =>
      send('steps', `PATCH /orders/${of}`, { status }, { token: staff.token, headers });
    assertProblem(await step('shipped'), 'invalid-transition');
    assertProblem(await step('paid', { 'if-match': '"stale"' }), 'precondition-failed');
    assertProblem(await step('paid', {}, 999_999), 'not-found');
    await assertStatus(step('paid'), 200);
    assert.ok(isReplay(await step('paid')));
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
  for (const [what, key, isGood] of keys)
    test(`a key of ${what} is ${isGood ? 'accepted' : 'rejected in both interfaces'}`, async () => {
      const sent = { token: ada.token, headers: { 'idempotency-key': key } };
      const response = await service().post('/customers', { ...sent, body: { name: 'Ada' } });
      if (isGood) return assert.equal(response.status, 201);
      assertIssues(response, 422, ['Idempotency-Key pattern']);
      const body = { name: 'A', email: 'a@b.example', password };
      assertIssues(await service().post('/api/users', { ...sent, body }), 400, ['Idempotency-Key pattern']);
    });

  test('the response of a change that changes nothing is also stored', async () => {
    const { id } = await newOrder(service(), ada.token, { note: 'first' });
    const change = (key: string, note: string): Promise<TestResponse> =>
      send(key, `PATCH /orders/${id}`, { note });
    const unchanged = await change('unchanged', 'first');
    assert.equal(unchanged.status, 200);
    assertProblem(await change('unchanged', 'other'), 'idempotency-key-reused');
    await change('changed', 'second');
    const again = await change('unchanged', 'first');
    assert.deepEqual([isReplay(again), again.text], [true, unchanged.text]);
    assert.equal((await service().get(`/orders/${id}`, ada)).body.note, 'second');
  });

  test('Idempotency-Key is ignored by operations that don’t accept it', async () => {
    const newKeyId = async (): Promise<number> =>
      (await send('elsewhere', 'POST /api/keys', { name: 'k', scopes: ['orders:read'] })).body.id;
    assert.notEqual(await newKeyId(), await newKeyId());
    const path = `/customers/${customerId}`;
    for (const name of ['One', 'Two'])
      assert.equal((await send('elsewhere', `PUT ${path}`, { name })).body.name, name);
    await assertStatus(service().get(path, { token: ada.token, headers: withKey('a b') }), 200);
  });
});
