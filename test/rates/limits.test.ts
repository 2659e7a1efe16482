// Rates: the fields' exact syntax, 429, refill, which bucket is used, and how many exist.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLimiter } from '../../src/rates/limiter.ts';
import { limitFields, newKey } from '../support/resource-support.ts';
import { insideOnly, serviceFor, type TestResponse, type Call } from '../support/service.ts';
import { crlf, request } from '../support/connection-support.ts';
import { assertProblem, assertStatus, sharedService } from '../support/http-support.ts';
import { askRaw } from '../support/raw-connection.ts';

test('responses have the rate and its remainder as structured fields', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '600/60', 'rate-anonymous': '120/60' } });
  const { token } = await service.person();
  service.clock.advance(60_000);
  for (const left of [599, 598, 597])
    assert.deepEqual(limitFields(await service.get('/orders', { token })), [
      '"default";q=600;w=60',
      `"default";r=${left};t=1`,
    ]);
  for (const rest of ['r=119;t=1', 'r=118;t=1', 'r=117;t=2'])
    assert.deepEqual(limitFields(await service.get('/problems')), [
      '"anonymous";q=120;w=60',
      `"anonymous";${rest}`,
    ]);
});

test('every response to a limited request reports the rate', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '100/60' } });
  const { token, id } = await service.person();
  const etag = String((await service.get(`/api/users/${id}`, { token })).headers.etag);
  const asks: readonly (readonly [status: number, method: string, path: string, call: Call])[] = [
    [200, 'GET', '/orders', {}],
    [200, 'HEAD', '/orders', {}],
    [201, 'POST', '/customers', { body: { name: 'Ada' } }],
    [204, 'DELETE', '/customers/1', {}],
    [304, 'GET', `/api/users/${id}`, { headers: { 'if-none-match': etag } }],
    [400, 'POST', '/customers', { body: '{' }],
    [403, 'GET', '/api/users', {}],
    [404, 'GET', '/orders/9', {}],
    [406, 'GET', '/orders', { headers: { accept: 'image/png' } }],
    [412, 'GET', `/api/users/${id}`, { headers: { 'if-match': '"x"' } }],
    [413, 'POST', '/customers', { body: 'x'.repeat(70_000) }],
    [415, 'POST', '/customers', { body: '{}', headers: { 'content-type': 'text/plain' } }],
    [422, 'GET', '/orders?x=1', {}],
  ];
  for (const [index, [status, method, path, call]] of asks.entries()) {
    const response = await service.call(method, path, { token, ...call });
    assert.deepEqual(
      [response.status, ...limitFields(response).slice(0, 1)],
      [status, '"default";q=100;w=60'],
      `${method} ${path}`,
    );
    assert.match(String(response.headers['ratelimit']), new RegExp(`^"default";r=${98 - index};t=\\d+$`));
  }
});

test('a request past the rate is 429 until its bucket refills', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '3/60' } });
  const { token } = await service.person();
  const get = (): Promise<TestResponse> => service.get('/orders', { token });
  for (const limit of ['r=2;t=20', 'r=1;t=40', 'r=0;t=60'])
    assert.deepEqual(limitFields(await get()), ['"default";q=3;w=60', `"default";${limit}`]);
  const rejected = await get();
  assertProblem(rejected, 'quota-exceeded');
  assert.equal(rejected.headers['retry-after'], '20');
  assert.equal(rejected.body.type, 'https://iana.org/assignments/http-problem-types#quota-exceeded');
  assert.deepEqual(rejected.body['violated-policies'], ['default']);
  assert.deepEqual(limitFields(rejected), ['"default";q=3;w=60', '"default";r=0;t=60']);
  service.clock.advance(19_999);
  const { status, headers, body } = await get();
  assert.deepEqual([status, headers['retry-after'], body.detail.slice(-12)], [429, '1', 'in 1 second.']);
  service.clock.advance(1);
  await assertStatus(get(), 200);
  await assertStatus(get(), 429);
  service.clock.advance(600_000);
  assert.deepEqual(limitFields(await get())[1], '"default";r=2;t=20');
});

test('a request over the rate changes nothing', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '2/60' } });
  const { token } = await service.person();
  for (const status of [201, 201, 429, 429])
    await assertStatus(service.post('/customers', { token, body: { name: 'Ada' } }), status);
  service.clock.advance(60_000);
  assert.equal((await service.get('/customers?total=true', { token })).body.total, 2);
});

test('each user has a bucket, which their sessions and keys share', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '2/60' } });
  const [ada, bob] = [await service.person(), await service.person()];
  const again = await service.signIn(ada.email, ada.password);
  const [one, two] = [(await newKey(service, ada.token)).key, (await newKey(service, ada.token)).key];
  await assertStatus(service.get('/orders', ada), 429);
  await assertStatus(service.get('/orders', again), 429);
  for (const key of [one, two]) await assertStatus(service.get('/orders', { key }), 429);
  for (const status of [200, 200, 429]) await assertStatus(service.get('/orders', bob), status);
  await assertStatus(service.get(`/orders?api_key=${one}`), 429);
});

describe('where no credential is needed', () => {
  const rates = { 'rate-default': '600/60', 'rate-anonymous': '120/60' };
  const service = sharedService({ settings: rates });
  const asks: readonly (readonly [what: string, method: string, path: string, status: number])[] = [
    ['a public document', 'GET', '/openapi.json', 200],
    ['a page', 'GET', '/problems', 200],
    ['an unknown path', 'GET', '/nope', 404],
    ['an unknown method', 'PUT', '/orders', 405],
    ['the options', 'OPTIONS', '/orders', 204],
  ];
  for (const [what, method, path, status] of asks) {
    test(`${what}: a valid credential uses its user’s rate, anything else the address’s`, async () => {
      const { token } = await service().person();
      const { key } = await newKey(service(), token);
      const calls: readonly (readonly [call: Call, policy: string])[] = [
        [{ token }, 'default'],
        [{ key }, 'default'],
        [{}, 'anonymous'],
        [{ token: `${token}x` }, 'anonymous'],
        [{ key: `${key}x` }, 'anonymous'],
        [{ token, key }, 'anonymous'],
      ];
      for (const [call, policy] of calls) {
        const response = await service().call(method, path, { ...call, isUndescribed: true });
        assert.equal(response.status, status);
        assert.match(String(response.headers['ratelimit']), new RegExp(`^"${policy}";r=`));
      }
    });
  }

  test('strangers at the same address don’t consume the rate of a caller with a token', async (t) => {
    const crowded = await serviceFor(t, { settings: { ...rates, 'rate-anonymous': '3/3600' } });
    const { token } = await crowded.person();
    while ((await crowded.get('/nope', { isUndescribed: true })).status !== 429);
    for (const [, method, path, status] of asks) {
      const response = await crowded.call(method, path, { token, isUndescribed: true });
      assert.equal(response.status, status);
    }
    assertProblem(await crowded.get('/openapi.json', { token: `${token}x` }), 'quota-exceeded');
  });
});

describe('requests that are rejected whatever their path consume the address’s rate', () => {
  const service = sharedService({ settings: { 'rate-anonymous': '2/3600' } });
  const kinds: readonly (readonly [what: string, bytes: string, status: number])[] = [
    ['without Host', `GET /orders HTTP/1.1${crlf}${crlf}`, 400],
    ['with an invalid Host', `GET /orders HTTP/1.1${crlf}Host: a b${crlf}${crlf}`, 400],
    ['chunked in HTTP/1.0', `GET /orders HTTP/1.0${crlf}Transfer-Encoding: chunked${crlf}${crlf}`, 400],
    ['that expects what isn’t supported', request('GET /orders', ['Expect: tea']), 417],
    ['of a long target', request(`GET /${'x'.repeat(8_200)}`), 414],
    ['of many fields', request('GET /orders', Array<string>(100).fill('a:b')), 431],
    ['that came through an untrusted proxy', request('GET /orders', ['Via: 1.1 proxy']), 403],
    ['for options', request('OPTIONS /orders'), 204],
    ['for options of the service', request('OPTIONS *'), 204],
  ];
  for (const [what, bytes, status] of kinds) {
    test(`a request ${what} consumes the address’s rate, whatever its path`, async () => {
      if (service().inside === undefined) return;
      service().clock.advance(7_200_000);
      const statuses: number[] = [];
      for (let count = 0; count < 3; count += 1) statuses.push((await askRaw(service().port, bytes)).status);
      assert.deepEqual(statuses, [status, status, 429]);
    });
  }
});

test('health checks, their OPTIONS, and preflights of an allowed origin are not limited', async (t) => {
  const service = await serviceFor(t, {
    settings: { 'rate-anonymous': '1/60', 'cors-origins': 'https://shop.example' },
  });
  await assertStatus(service.get('/problems'), 200);
  await assertStatus(service.get('/problems'), 429);
  const preflight = { origin: 'https://shop.example', 'access-control-request-method': 'GET' };
  for (let index = 0; index < 5; index += 1) {
    for (const path of ['/health/live', '/health/ready'])
      assert.deepEqual(
        [(await service.get(path)).status, ...limitFields(await service.get(path))],
        [200, undefined, undefined],
      );
    await assertStatus(service.call('OPTIONS', '/health/live'), 204);
    await assertStatus(service.call('OPTIONS', '/orders', { headers: preflight }), 204);
  }
});

test('without a limit there are no RateLimit fields', async (t) => {
  const service = await serviceFor(t);
  assert.deepEqual(limitFields(await service.get('/problems')), [undefined, undefined]);
});

describe('buckets', () => {
  test('buckets hold no more than their rate, and lose nothing if a clock is set back', () => {
    const limiter = createLimiter('x', { requests: 10, seconds: 1 });
    const isGranted = (now: number): boolean => limiter.consumeToken('a', now)?.isExceeded === false;
    assert.equal(Array.from({ length: 12 }, () => isGranted(1_000_000)).filter(Boolean).length, 10);
    assert.ok(!isGranted(1));
    assert.ok(isGranted(101));
    assert.ok(!isGranted(101));
    assert.equal(Array.from({ length: 12 }, () => isGranted(99_999_999)).filter(Boolean).length, 10);
  });

  test('buckets allow exactly their rate to a client that never pauses', () => {
    const limiter = createLimiter('x', { requests: 7, seconds: 3 });
    let granted = 0;
    for (let now = 0; now <= 300_000; now += 10)
      if (limiter.consumeToken('a', now)?.isExceeded === false) granted += 1;
    assert.ok(granted === 707 || granted === 706, `${granted} in 300 s`);
  });

  test('buckets say when the next request may come, and it may', () => {
    const limiter = createLimiter('x', { requests: 3, seconds: 100 });
    let now = 0;
    for (let index = 0; index < 50; index += 1) {
      const state = limiter.consumeToken('a', now);
      if (state?.isExceeded !== true) continue;
      assert.ok(state.retryAfterSeconds >= 1);
      now += state.retryAfterSeconds * 1000;
      assert.equal(limiter.consumeToken('a', now)?.isExceeded, false);
    }
    assert.ok(now > 0);
  });

  test('buckets are bounded in number', () => {
    const limiter = createLimiter('x', { requests: 10, seconds: 60 }, 1000);
    for (let index = 0; index < 20_000; index += 1) {
      limiter.consumeToken(`address ${index}`, index);
      assert.ok(limiter.size <= 1000);
    }
    assert.ok(limiter.size >= 500);
  });

  test('buckets of busy clients survive a flood of strangers: a flood refills nobody’s bucket', () => {
    const limiter = createLimiter('x', { requests: 5, seconds: 3600 }, 1000);
    let granted = 0;
    for (let index = 0; index < 50_000; index += 1) {
      limiter.consumeToken(`stranger ${index}`, 0);
      if (index % 100 === 0 && limiter.consumeToken('busy', 0)?.isExceeded === false) granted += 1;
    }
    assert.equal(granted, 5);
  });
});

test('a user may create so many objects a day, with any of their keys; staff aren’t limited', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-created': '3/86400' } });
  const { token } = await service.person();
  const { key } = await newKey(service, token, { scopes: ['customers:write'] });
  const name = { name: 'Ada Lovelace' };
  const again = { token, body: name, headers: { 'idempotency-key': 'once' } };
  await assertStatus(service.post('/customers', again), 201);
  assert.equal((await service.post('/customers', again)).headers['idempotency-replayed'], 'true');
  const rejected = await service.post('/customers', { token, body: { name: 7 } });
  assert.equal(rejected.status, 422);
  await assertStatus(service.post('/orders', { token, body: {} }), 422);
  await assertStatus(service.post('/customers', { key, body: name }), 201);
  const over = await service.post('/customers', { key, body: name });
  assertProblem(over, 'quota-exceeded', 429);
  assert.deepEqual(over.body['violated-policies'], ['created']);
  await assertStatus(service.get('/customers', { token }), 200);
  const staff = await service.person('staff');
  for (let index = 0; index < 5; index += 1)
    await assertStatus(service.post('/customers', { token: staff.token, body: name }), 201);
});
