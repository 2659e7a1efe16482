// Rates (contract section 8): the fields' exact syntax, 429, refill, whose bucket is drawn on, and how many
// are kept.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressBucket, clientAddress, peerOf, trustedProxies } from '../../src/http/peer.ts';
import { createLimiter } from '../../src/http/rate-limit.ts';
import { newKey } from '../resources/resource-support.ts';
import { serviceFor, type Answer, type Call, type TestService } from '../service.ts';
import { assertProblem } from './http-support.ts';

const limitFields = ({ headers }: Answer): (string | string[] | undefined)[] => [
  headers['ratelimit-policy'],
  headers['ratelimit'],
];

test('answers tell the rate and what is left of it, as structured fields', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '600/60', 'rate-anonymous': '120/60' } });
  if (service.inside === undefined) return t.skip('needs the clock');
  const { token } = await service.person();
  service.clock.advance(60_000);
  for (const [left, seconds] of [
    [599, 1],
    [598, 1],
    [597, 1],
  ]) {
    assert.deepEqual(limitFields(await service.get('/orders', { token })), [
      '"default";q=600;w=60',
      `"default";r=${left};t=${seconds}`,
    ]);
  }
  for (const [left, seconds] of [
    [119, 1],
    [118, 1],
    [117, 2],
  ]) {
    assert.deepEqual(limitFields(await service.get('/problems')), [
      '"anonymous";q=120;w=60',
      `"anonymous";r=${left};t=${seconds}`,
    ]);
  }
});

test('every answer to a limited request counts and tells, whatever its status', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '100/60' } });
  if (service.inside === undefined) return t.skip('needs the clock');
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
    const answer = await service.call(method, path, { token, ...call });
    assert.deepEqual(
      [answer.status, ...limitFields(answer).slice(0, 1)],
      [status, '"default";q=100;w=60'],
      `${method} ${path}`,
    );
    assert.match(String(answer.headers['ratelimit']), new RegExp(`^"default";r=${98 - index};t=\\d+$`));
  }
});

test('past the rate it is 429, with Retry-After; the bucket fills with time, never over', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '3/60' } });
  if (service.inside === undefined) return t.skip('needs the clock');
  const { token } = await service.person();
  const get = (): Promise<Answer> => service.get('/orders', { token });
  for (const limit of ['r=2;t=20', 'r=1;t=40', 'r=0;t=60'])
    assert.deepEqual(limitFields(await get()), ['"default";q=3;w=60', `"default";${limit}`]);
  const refused = await get();
  assertProblem(refused, 'quota-exceeded');
  assert.deepEqual(
    [refused.status, refused.headers['retry-after'], refused.body.type, refused.body['violated-policies']],
    [429, '20', 'https://iana.org/assignments/http-problem-types#quota-exceeded', ['default']],
  );
  assert.deepEqual(limitFields(refused), ['"default";q=3;w=60', '"default";r=0;t=60']);
  service.clock.advance(19_999);
  const { status, headers, body } = await get();
  assert.deepEqual([status, headers['retry-after'], body.detail.slice(-12)], [429, '1', 'in 1 second.']);
  service.clock.advance(1);
  assert.equal((await get()).status, 200);
  assert.equal((await get()).status, 429);
  service.clock.advance(600_000);
  assert.deepEqual(limitFields(await get())[1], '"default";r=2;t=20');
});

test('who is over the rate changes nothing', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '2/60' } });
  if (service.inside === undefined) return t.skip('needs the clock');
  const { token } = await service.person();
  for (const status of [201, 201, 429, 429])
    assert.equal((await service.post('/customers', { token, body: { name: 'Ada' } })).status, status);
  service.clock.advance(60_000);
  assert.equal((await service.get('/customers?total=true', { token })).body.total, 2);
});

test('each user has a bucket, which their sessions and keys share', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '2/60' } });
  if (service.inside === undefined) return t.skip('needs the clock');
  const [ada, bob] = [await service.person(), await service.person()];
  const again = await service.signIn(ada.email, ada.password);
  const [one, two] = [(await newKey(service, ada.token)).key, (await newKey(service, ada.token)).key];
  assert.equal((await service.get('/orders', { token: ada.token })).status, 429);
  assert.equal((await service.get('/orders', { token: again.token })).status, 429);
  for (const key of [one, two]) assert.equal((await service.get('/orders', { key })).status, 429);
  for (const status of [200, 200, 429])
    assert.equal((await service.get('/orders', { token: bob.token })).status, status);
  assert.equal((await service.get(`/orders?api_key=${one}`)).status, 429);
});

test('health is not limited, nor are questions of OPTIONS', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-anonymous': '1/60' } });
  assert.equal((await service.get('/problems')).status, 200);
  assert.equal((await service.get('/problems')).status, 429);
  for (let index = 0; index < 5; index += 1) {
    for (const path of ['/health/live', '/health/ready'])
      assert.deepEqual(
        [(await service.get(path)).status, ...limitFields(await service.get(path))],
        [200, undefined, undefined],
      );
    assert.deepEqual([(await service.call('OPTIONS', '/orders')).status], [204]);
  }
});

test('without a limit nothing is told', async (t) => {
  const service = await serviceFor(t);
  assert.deepEqual(limitFields(await service.get('/problems')), [undefined, undefined]);
});

describe('addresses', () => {
  const proxied = {
    settings: { 'rate-anonymous': '2/60', 'trusted-proxy': '127.0.0.1,10.0.0.0/8,2001:db8:ffff::/48' },
  };
  const from = (service: TestService, headers: Record<string, string>): Promise<Answer> =>
    service.get('/problems', { headers: { 'x-forwarded-proto': 'https', ...headers } });

  const groups: readonly (readonly [
    what: string,
    same: readonly Record<string, string>[],
    other: Record<string, string>,
  ])[] = [
    [
      'one IPv4 address, another another',
      [
        { 'x-forwarded-for': '203.0.113.1' },
        { 'x-forwarded-for': '::ffff:203.0.113.1' },
        { 'x-forwarded-for': '203.0.113.1:4711' },
      ],
      { 'x-forwarded-for': '203.0.113.2' },
    ],
    [
      'all of an IPv6 /64, the next another',
      [
        { 'x-forwarded-for': '2001:db8:1:2::1' },
        { 'x-forwarded-for': '2001:DB8:1:2:ffff::9' },
        { 'x-forwarded-for': '[2001:db8:0001:2:3:4:5:6]:443' },
      ],
      { 'x-forwarded-for': '2001:db8:1:3::1' },
    ],
    [
      'who is behind trusted proxies, however many',
      [
        { 'x-forwarded-for': '198.51.100.7' },
        { 'x-forwarded-for': '198.51.100.7, 10.1.2.3' },
        { 'x-forwarded-for': '198.51.100.7,10.1.2.3, 2001:db8:ffff::1' },
      ],
      { 'x-forwarded-for': '10.1.2.3, 198.51.100.8' },
    ],
    [
      'the address nearest to the proxy, not what a client made up before it',
      [
        { 'x-forwarded-for': '192.0.2.1, 198.51.100.7' },
        { 'x-forwarded-for': '192.0.2.2, 198.51.100.7' },
        { 'x-forwarded-for': 'x, 198.51.100.7' },
      ],
      { 'x-forwarded-for': '198.51.100.7, 192.0.2.1' },
    ],
    [
      'the one that Forwarded names',
      [
        { forwarded: 'for=203.0.113.9;proto=https' },
        { forwarded: 'for="203.0.113.9:1234";proto=https;by=10.0.0.1' },
        { forwarded: 'for=192.0.2.1, For=203.0.113.9' },
      ],
      { forwarded: 'for="[2001:db8::9]:80"' },
    ],
    [
      'the proxy itself, if it names none',
      [{ 'x-forwarded-for': 'unknown' }, { forwarded: 'for=_hidden' }, { 'x-forwarded-for': '' }],
      { 'x-forwarded-for': '203.0.113.1' },
    ],
    [
      'the proxy itself, if two fields name different clients',
      [
        { 'x-forwarded-for': '203.0.113.1', forwarded: 'for=203.0.113.2;proto=https' },
        { 'x-forwarded-for': '203.0.113.3', forwarded: 'proto=https' },
        { 'x-forwarded-for': 'unknown', forwarded: 'for=203.0.113.4' },
      ],
      { 'x-forwarded-for': '203.0.113.9', forwarded: 'for="203.0.113.9:80";proto=https' },
    ],
    [
      'the proxy itself, if the nearest hop of Forwarded is no address',
      [
        { forwarded: 'for=203.0.113.1, proto=https' },
        { forwarded: 'for=203.0.113.2, for=_hidden' },
        { forwarded: 'for=203.0.113.3, ' },
      ],
      { forwarded: 'for=203.0.113.1' },
    ],
    [
      'the proxy itself, if the nearest hop is no address',
      [
        { 'x-forwarded-for': '203.0.113.1, unknown' },
        { 'x-forwarded-for': '203.0.113.2, 300.0.0.1' },
        { 'x-forwarded-for': '203.0.113.3, ' },
      ],
      { 'x-forwarded-for': '203.0.113.1' },
    ],
  ];
  for (const [what, same, other] of groups) {
    test(`a bucket is for ${what}`, async (t) => {
      const service = await serviceFor(t, proxied);
      const statuses: number[] = [];
      for (const headers of same) statuses.push((await from(service, headers)).status);
      assert.deepEqual(statuses, [200, 200, 429]);
      assert.equal((await from(service, other)).status, 200);
    });
  }

  const buckets: readonly (readonly [address: string, bucket: string])[] = [
    ['127.0.0.1', '127.0.0.1'],
    ['203.0.113.255', '203.0.113.255'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['1:2:3:4::', '1:2:3:4::/64'],
    ['1::8', '1:0:0:0::/64'],
    ['::5:6:7:8', '0:0:0:0::/64'],
    ['1:2::4:5:6:7:8', '1:2:0:4::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4::/64'],
    ['', ''],
    ['unknown', 'unknown'],
  ];
  for (const [address, bucket] of buckets)
    test(`the bucket of "${address}" is "${bucket}"`, () => assert.equal(addressBucket(address), bucket));

  test('who isn’t a trusted proxy is believed nothing', () => {
    const isTrusted = trustedProxies(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1']);
    const fields = { 'x-forwarded-for': '203.0.113.1' };
    const seen = (remote: string): string => clientAddress(peerOf(remote, isTrusted), fields, isTrusted);
    for (const trusted of ['10.0.0.1', '::ffff:10.255.255.255', '2001:db8:5::1', '192.0.2.1'])
      assert.equal(seen(trusted), '203.0.113.1');
    for (const stranger of ['11.0.0.1', '127.0.0.1', '::1', '192.0.2.2', '2001:db9::1'])
      assert.equal(seen(stranger), stranger);
    assert.equal(seen('::ffff:11.0.0.1'), '11.0.0.1');
  });

  test('all of 127.0.0.0/8 is loopback, and ::1', () => {
    const isLoopback = (remote: string): boolean => peerOf(remote, () => false).isLoopback;
    for (const local of ['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1', '::ffff:127.0.0.2'])
      assert.ok(isLoopback(local), local);
    for (const remote of ['128.0.0.1', '12.7.0.1', '::2', '', '::ffff:10.0.0.1'])
      assert.ok(!isLoopback(remote), remote);
  });

  test('loopback is an address like any other', async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-anonymous': '2/60' } });
    for (const status of [200, 200, 429]) assert.equal((await service.get('/problems')).status, status);
  });
});

test('bad credentials draw on the address’s bucket, not on the principal’s', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-anonymous': '6/60', 'rate-default': '600/60' } });
  if (service.inside === undefined) return t.skip('needs the clock');
  const { token } = await service.person();
  const { key } = await newKey(service, token);
  service.clock.advance(60_000);
  const bad: Call[] = [
    { token: `${token}x` },
    { token: 'x.y.z' },
    { key: `${key.slice(0, -2)}AA` },
    { key: 'nonsense' },
    { headers: { authorization: 'Basic YTpi' } },
    { token, key },
  ];
  for (const [index, call] of bad.entries()) {
    const answer = await service.get('/orders', call);
    assert.ok(answer.status === 401 || answer.status === 400, answer.text);
    assert.equal(limitFields(answer)[0], '"anonymous";q=6;w=60');
    assert.match(String(limitFields(answer)[1]), new RegExp(`^"anonymous";r=${5 - index};`));
  }
  assertProblem(await service.get('/orders', { token: 'x.y.z' }), 'quota-exceeded');
  assertProblem(await service.get('/problems'), 'quota-exceeded');
  assert.match(String(limitFields(await service.get('/orders', { token }))[1]), /^"default";r=\d+;/);
});

describe('sign-ins', () => {
  const signIn = (service: TestService, email: string, secret = 'wrong password'): Promise<Answer> =>
    service.post('/api/sessions', { body: { email, password: secret } });

  test('are limited by account, whatever its case, known or not, right or wrong', async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-login-account': '5/60' } });
    if (service.inside === undefined) return t.skip('needs the clock');
    const { email, password } = await service.person();
    service.clock.advance(60_000);
    for (const [address, secret] of [
      [email, password],
      ['nobody@example.com', password],
    ] as const) {
      const spellings = [
        address,
        address.toUpperCase(),
        address,
        `${address.slice(0, 3).toUpperCase()}${address.slice(3)}`,
        address,
      ];
      for (const spelled of spellings) assertProblem(await signIn(service, spelled), 'invalid-credentials');
      const refused = await signIn(service, address, secret);
      assertProblem(refused, 'quota-exceeded');
      assert.deepEqual(
        [refused.headers['retry-after'], refused.body['violated-policies']],
        ['12', ['login-account']],
      );
      assert.deepEqual(limitFields(refused), ['"login-account";q=5;w=60', '"login-account";r=0;t=60']);
    }
    service.clock.advance(12_000);
    assert.equal((await signIn(service, email, password)).status, 201);
  });

  test('are limited by address, across accounts', async (t) => {
    const service = await serviceFor(t, {
      settings: { 'rate-login-address': '20/100000', 'trusted-proxy': '127.0.0.1' },
    });
    const send = (address: string, index: number): Promise<Answer> =>
      service.post('/api/sessions', {
        headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
        body: { email: `nobody${index}@example.com`, password: 'wrong password' },
      });
    for (let index = 0; index < 20; index += 1)
      assertProblem(await send('203.0.113.1', index), 'invalid-credentials');
    const refused = await send('203.0.113.1', 20);
    assertProblem(refused, 'quota-exceeded');
    assert.deepEqual(refused.body['violated-policies'], ['login-address']);
    assertProblem(await send('203.0.113.2', 21), 'invalid-credentials');
  });

  test('tell all the policies they draw on', async (t) => {
    const service = await serviceFor(t, {
      settings: { 'rate-anonymous': '120/60', 'rate-login-account': '5/60', 'rate-login-address': '20/60' },
    });
    if (service.inside === undefined) return t.skip('needs the clock');
    const answer = await signIn(service, 'nobody@example.com');
    assert.deepEqual(limitFields(answer), [
      '"anonymous";q=120;w=60, "login-address";q=20;w=60, "login-account";q=5;w=60',
      '"anonymous";r=119;t=1, "login-address";r=19;t=3, "login-account";r=4;t=12',
    ]);
  });

  test('other than by password don’t count: new tokens for a session', async (t) => {
    const service = await serviceFor(t, {
      settings: { 'rate-login-account': '5/60', 'rate-login-address': '5/60' },
    });
    let { sessionId, refreshToken } = await service.person();
    for (let index = 0; index < 8; index += 1) {
      const { status, body } = await service.post(`/api/sessions/${sessionId}/tokens`, {
        body: { refreshToken },
      });
      assert.equal(status, 201);
      ({ refreshToken } = body);
    }
  });
});

describe('buckets', () => {
  test('hold no more than their rate, and lose nothing when a clock is set back', () => {
    const limiter = createLimiter('x', { requests: 10, seconds: 1 });
    const spend = (now: number): boolean => limiter.spend('a', now)?.isSpent === false;
    assert.equal(Array.from({ length: 12 }, () => spend(1_000_000)).filter(Boolean).length, 10);
    assert.ok(!spend(1));
    assert.ok(spend(101));
    assert.ok(!spend(101));
    assert.equal(Array.from({ length: 12 }, () => spend(99_999_999)).filter(Boolean).length, 10);
  });

  test('give exactly their rate over time to who asks all the time', () => {
    const limiter = createLimiter('x', { requests: 7, seconds: 3 });
    let granted = 0;
    for (let now = 0; now <= 300_000; now += 10) if (limiter.spend('a', now)?.isSpent === false) granted += 1;
    assert.ok(granted === 707 || granted === 706, `${granted} in 300 s`);
  });

  test('say when the next request may come, and it may', () => {
    const limiter = createLimiter('x', { requests: 3, seconds: 100 });
    let now = 0;
    for (let index = 0; index < 50; index += 1) {
      const allowance = limiter.spend('a', now);
      if (allowance?.isSpent !== true) continue;
      assert.ok(allowance.retryAfterSeconds >= 1);
      now += allowance.retryAfterSeconds * 1000;
      assert.equal(limiter.spend('a', now)?.isSpent, false);
    }
    assert.ok(now > 0);
  });

  test('are bounded in number, whoever comes', () => {
    const limiter = createLimiter('x', { requests: 10, seconds: 60 }, 1000);
    for (let index = 0; index < 20_000; index += 1) {
      limiter.spend(`address ${index}`, index);
      assert.ok(limiter.size <= 1000);
    }
    assert.ok(limiter.size >= 500);
  });

  test('of the busy outlive a flood of strangers: a flood buys nobody a new one', () => {
    const limiter = createLimiter('x', { requests: 5, seconds: 3600 }, 1000);
    let granted = 0;
    for (let index = 0; index < 50_000; index += 1) {
      limiter.spend(`stranger ${index}`, 0);
      if (index % 100 === 0 && limiter.spend('busy', 0)?.isSpent === false) granted += 1;
    }
    assert.equal(granted, 5);
  });
});

test('a user makes so many objects a day, by any of their keys; staff aren’t limited', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-created': '3/86400' } });
  const { token } = await service.person();
  const { key } = await newKey(service, token, { scopes: ['customers:write'] });
  const name = { name: 'Ada Lovelace' };
  const again = { token, body: name, headers: { 'idempotency-key': 'once' } };
  assert.equal((await service.post('/customers', again)).status, 201);
  assert.equal((await service.post('/customers', again)).headers['idempotency-replayed'], 'true');
  const refused = await service.post('/customers', { token, body: { name: 7 } });
  assert.equal(refused.status, 422);
  assert.equal((await service.post('/orders', { token, body: {} })).status, 422);
  const taken = { name: 'Ada', email: service.admin.email, password: 'a password for tests' };
  const conflict = await service.post('/api/users', { token, body: taken });
  assert.deepEqual([conflict.status, conflict.headers['ratelimit']], [409, undefined]);
  const last = await service.post('/customers', { key, body: name });
  assert.equal(last.status, 201);
  assert.match(String(last.headers['ratelimit']), /^"created";r=0;t=\d+$/);
  const over = await service.post('/customers', { key, body: name });
  assertProblem(over, 'quota-exceeded', 429);
  assert.deepEqual(over.body['violated-policies'], ['created']);
  assert.equal((await service.get('/customers', { token })).status, 200);
  const staff = await service.person('staff');
  for (let index = 0; index < 5; index += 1)
    assert.equal((await service.post('/customers', { token: staff.token, body: name })).status, 201);
});
