// Rates of requests without credentials, of sign-ins and of bad credentials: which token bucket they use.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clientAddress, peerOf } from '../../src/http/connections/peer.ts';
import { addressesIn, networkOf } from '../../src/base/addresses.ts';
import { limitFields, newKey } from '../support/resource-support.ts';
import {
  insideOnly,
  serviceFor,
  type TestResponse,
  type Call,
  type TestService,
} from '../support/service.ts';
import { assertProblem, assertStatus } from '../support/http-support.ts';

describe('addresses', () => {
  const proxied = {
    settings: { 'rate-anonymous': '2/60', 'trusted-proxy': '127.0.0.1,10.0.0.0/8,2001:db8:ffff::/48' },
  };
  /** Asks as a proxy that sends X-Forwarded-*, or Forwarded alone; and with a Forwarded of the client. */
  const from = (service: TestService, client: string, forwarded?: string): Promise<TestResponse> => {
    const isAlone = /^for=/i.test(client);
    const headers: Record<string, string> = isAlone
      ? { forwarded: `${client};proto=https` }
      : { 'x-forwarded-for': client, 'x-forwarded-proto': 'https' };
    if (forwarded !== undefined) headers['forwarded'] = forwarded;
    return service.get('/problems', { headers });
  };

  const groups: readonly (readonly [what: string, same: readonly string[], other: string])[] = [
    [
      'one IPv4 address, another another',
      ['203.0.113.1', '::ffff:203.0.113.1', '203.0.113.1:4711'],
      '203.0.113.2',
    ],
    [
      'an IPv4 address, however IPv6 embeds it',
      ['203.0.113.77', '::ffff:cb00:714d', '[0:0:0:0:0:FFFF:203.0.113.77]:443'],
      '::ffff:cb00:714e',
    ],
    [
      'all of an IPv6 /48, the next another',
      ['2001:db8:1::1', '2001:DB8:1:2:ffff::9', '[2001:db8:0001:2:3:4:5:6]:443'],
      '2001:db8:2:2::1',
    ],
    [
      'who is behind trusted proxies, however many',
      ['198.51.100.7', '198.51.100.7, 10.1.2.3', '198.51.100.7,10.1.2.3, 2001:db8:ffff::1'],
      '10.1.2.3, 198.51.100.8',
    ],
    [
      'the address nearest to the proxy, not what a client made up before it',
      ['192.0.2.1, 198.51.100.7', '192.0.2.2, 198.51.100.7', 'x, 198.51.100.7'],
      '198.51.100.7, 192.0.2.1',
    ],
    [
      'the one that Forwarded names',
      ['for=203.0.113.9', 'for="203.0.113.9:1234";by=10.0.0.1', 'for=192.0.2.1, For=203.0.113.9'],
      'for="[2001:db8::9]:80"',
    ],
    [
      'the one that Forwarded names, not one in a quoted text, which a client may have chosen',
      [
        'for=203.0.113.9;host="x,for=192.0.2.1;y=z"',
        'for=192.0.2.2, host="x;for=192.0.2.3;y=z";for=203.0.113.9',
        'for="192.0.2.4, for=203.0.113.9',
      ],
      'for=203.0.113.10',
    ],
    ['the proxy itself, if it names none', ['unknown', 'for=_hidden', ''], '203.0.113.1'],
    [
      'the proxy itself, if the nearest hop of Forwarded is no address',
      ['for=203.0.113.1, by=10.0.0.1', 'for=203.0.113.2, for=_hidden', 'for=203.0.113.3, '],
      'for=203.0.113.1',
    ],
    [
      'the proxy itself, if the nearest hop is no address',
      ['203.0.113.1, unknown', '203.0.113.2, 300.0.0.1', '203.0.113.3, '],
      '203.0.113.1',
    ],
  ];
  for (const [what, same, other] of groups) {
    test(`a bucket is for ${what}`, async (t) => {
      const service = await serviceFor(t, proxied);
      const statuses: number[] = [];
      for (const client of same) statuses.push((await from(service, client)).status);
      assert.deepEqual(statuses, [200, 200, 429]);
      await assertStatus(from(service, other), 200);
    });
  }

  test('a bucket is for the one that X-Forwarded-For names, whatever a Forwarded says that the client may have sent', async (t) => {
    const service = await serviceFor(t, proxied);
    const statuses: number[] = [];
    for (const forwarded of ['for=192.0.2.1;proto=https', 'for=192.0.2.2;proto=https', ''])
      statuses.push((await from(service, '203.0.113.9', forwarded)).status);
    assert.deepEqual(statuses, [200, 200, 429]);
    await assertStatus(from(service, '203.0.113.8', 'for=203.0.113.9;proto=https'), 200);
  });

  const networks: readonly (readonly [address: string, network: string])[] = [
    ['127.0.0.1', '127.0.0.1'],
    ['203.0.113.255', '203.0.113.255'],
    ['::1', '0:0:0::/48'],
    ['::', '0:0:0::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:0DB8:0001:0002::', '2001:db8:1::/48'],
    ['1:2:3:4::', '1:2:3::/48'],
    ['1::8', '1:0:0::/48'],
    ['::5:6:7:8', '0:0:0::/48'],
    ['1:2::4:5:6:7:8', '1:2:0::/48'],
    ['::2:3:4:5:6:7:8', '0:2:3::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0::/48'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3::/48'],
    ['', ''],
    ['unknown', 'unknown'],
  ];
  for (const [address, network] of networks)
    test(`the network of "${address}" is "${network}"`, () => assert.equal(networkOf(address), network));

  test('the forwarding fields of an address that isn’t a trusted proxy are ignored', () => {
    const isTrusted = addressesIn(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1']);
    const fields = { 'x-forwarded-for': '203.0.113.1' };
    const seen = (remote: string): string => clientAddress(peerOf(remote, isTrusted), fields);
    for (const trusted of ['10.0.0.1', '::ffff:10.255.255.255', '2001:db8:5::1', '192.0.2.1'])
      assert.equal(seen(trusted), '203.0.113.1');
    for (const stranger of ['11.0.0.1', '127.0.0.1', '::1', '192.0.2.2', '2001:db9::1'])
      assert.equal(seen(stranger), stranger);
    assert.equal(seen('::ffff:11.0.0.1'), '11.0.0.1');
  });

  test('an element of Forwarded with a quote that is escaped or doesn’t end names no address', () => {
    const proxy = peerOf('10.0.0.1', addressesIn(['10.0.0.0/8']));
    for (const element of [
      'for=203.0.113.1;host="a\\"b,for=192.0.2.1;c=d"',
      'for="203.0.113.2',
      'for="203.0.113.3\\"',
    ])
      assert.equal(clientAddress(proxy, { forwarded: `for=192.0.2.2, ${element}` }), '10.0.0.1', element);
  });

  test('all of 127.0.0.0/8 is loopback, and ::1', () => {
    const isLoopback = (remote: string): boolean => peerOf(remote, () => false).isLoopback;
    for (const local of ['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1', '::ffff:127.0.0.2'])
      assert.ok(isLoopback(local), local);
    for (const remote of ['128.0.0.1', '12.7.0.1', '::2', '', '::ffff:10.0.0.1'])
      assert.ok(!isLoopback(remote), remote);
  });

  test('the rate limits loopback like any other address', async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-anonymous': '2/60' } });
    for (const status of [200, 200, 429]) await assertStatus(service.get('/problems'), status);
  });
});

test('bad credentials consume the address’s rate, not the principal’s', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-anonymous': '6/60', 'rate-default': '600/60' } });
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
    const response = await service.get('/orders', call);
    assert.ok(response.status === 401 || response.status === 400, response.text);
    assert.equal(limitFields(response)[0], '"anonymous";q=6;w=60');
    assert.match(String(limitFields(response)[1]), new RegExp(`^"anonymous";r=${5 - index};`));
  }
  assertProblem(await service.get('/orders', { token: 'x.y.z' }), 'quota-exceeded');
  assertProblem(await service.get('/problems'), 'quota-exceeded');
  assert.match(String(limitFields(await service.get('/orders', { token }))[1]), /^"default";r=\d+;/);
});

describe('sign-ins', () => {
  const signIn = (service: TestService, email: string, secret = 'wrong password'): Promise<TestResponse> =>
    service.post('/api/sessions', { body: { email, password: secret } });

  test('sign-ins are limited by account, known or not, right or wrong', insideOnly, async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-login-account': '5/60' } });
    const { email, password } = await service.person();
    service.clock.advance(60_000);
    for (const [address, secret] of [
      [email, password],
      ['nobody@example.com', password],
    ] as const) {
      const shouted = `${address.slice(0, 3).toUpperCase()}${address.slice(3)}`;
      const spellings = [address, address.toUpperCase(), address, shouted, address];
      for (const spelled of spellings) assertProblem(await signIn(service, spelled), 'invalid-credentials');
      const rejected = await signIn(service, address, secret);
      assertProblem(rejected, 'quota-exceeded');
      assert.deepEqual(
        [rejected.headers['retry-after'], rejected.body['violated-policies']],
        ['12', ['login-account']],
      );
      assert.deepEqual(limitFields(rejected), ['"login-account";q=5;w=60', '"login-account";r=0;t=60']);
    }
    service.clock.advance(12_000);
    await assertStatus(signIn(service, email, password), 201);
  });

  test('sign-ins are limited by address, across accounts', async (t) => {
    const service = await serviceFor(t, {
      settings: { 'rate-login-address': '20/100000', 'trusted-proxy': '127.0.0.1' },
    });
    const send = (address: string, index: number): Promise<TestResponse> =>
      service.post('/api/sessions', {
        headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
        body: { email: `nobody${index}@example.com`, password: 'wrong password' },
      });
    for (let index = 0; index < 20; index += 1)
      assertProblem(await send('203.0.113.1', index), 'invalid-credentials');
    const rejected = await send('203.0.113.1', 20);
    assertProblem(rejected, 'quota-exceeded');
    assert.deepEqual(rejected.body['violated-policies'], ['login-address']);
    assertProblem(await send('203.0.113.2', 21), 'invalid-credentials');
  });

  test('sign-ins without a password don’t count: new tokens for a session', async (t) => {
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
