// How a stream of the feed ends: with the right to it, with the service, or when its reader is too slow.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { assertProblem, proxiedFrom } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import {
  insideOnly,
  password,
  serviceFor,
  type Call,
  type Person,
  type TestService,
} from '../../support/service.ts';
import {
  newCustomer,
  newKey,
  newOrder,
  readRemovedEvents,
  rootService,
  rootToken,
} from '../../support/resource-support.ts';
import { until } from '../../support/storage-support.ts';
import { openStream, type StreamReader } from './stream-support.ts';

const sse = { accept: 'text/event-stream' };

type Reader = { readonly person: Person; readonly key: { readonly id: number; readonly key: string } };
type Way = (service: TestService, reader: Reader, root: string) => Promise<{ readonly status: number }>;

const ways: readonly (readonly [ended: readonly ('token' | 'key')[], name: string, way: Way])[] = [
  [
    ['token'],
    'signing out',
    (service, { person: { sessionId, token } }) => service.delete(`/api/sessions/${sessionId}`, { token }),
  ],
  [
    ['token'],
    'an administrator ending the session',
    (service, { person: { sessionId } }, token) => service.delete(`/api/sessions/${sessionId}`, { token }),
  ],
  [
    ['token', 'key'],
    'another role',
    (service, { person: { id } }, token) =>
      service.patch(`/api/users/${id}`, { token, body: { role: 'staff' } }),
  ],
  [
    ['token', 'key'],
    'a password set by an administrator',
    (service, { person: { id } }, token) =>
      service.patch(`/api/users/${id}`, { token, body: { password: 'another good password' } }),
  ],
  [
    ['token', 'key'],
    'suspension',
    (service, { person: { id } }, token) => service.put(`/api/users/${id}/suspension`, { token, body: {} }),
  ],
  [
    ['token', 'key'],
    'deletion',
    (service, { person: { id } }, token) => service.delete(`/api/users/${id}`, { token }),
  ],
  [
    ['key'],
    'the removal of its key',
    (service, { person: { token }, key: { id } }) => service.delete(`/api/keys/${id}`, { token }),
  ],
];

for (const [credentials, name, way] of ways) {
  test(`a stream of a ${credentials.join(' or a ')} ends at once with ${name}`, async (t) => {
    const service = await serviceFor(t);
    const [person, root] = [await service.person(), await rootToken(service)];
    const key = await newKey(service, person.token, { scopes: ['events:read'] });
    const calls = { token: { token: person.token }, key: { key: key.key } };
    const streams = await Promise.all(
      credentials.map((credential) => openStream(service, calls[credential])),
    );
    assert.ok((await way(service, { person, key }, root)).status < 300);
    for (const { isWhole, left } of await Promise.all(streams.map(({ ended }) => ended)))
      assert.deepEqual([isWhole, left.filter(({ data }) => data !== undefined)], [true, []]);
  });
}

test('a stream ends at once with the time of its access token', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const [{ token }, root] = [await service.person(), await rootToken(service)];
  const stream = await openStream(service, { token });
  service.clock.advance(899_000);
  const { id } = await newCustomer(service, token);
  assert.equal((await stream.event()).data.subject, `/customers/${id}`);
  service.clock.advance(1_000);
  assert.ok((await stream.ended).isWhole);
  assert.equal((await service.get('/events', { token: root })).status, 401);
});

test(
  'a stream ends with the time of its access token, also if all streams had ended before it began',
  { ...insideOnly, timeout: 30_000 },
  async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    (await openStream(service, { token })).close();
    await until(() => service.inside?.app.metricsText().includes('\norderly_streams 0\n') === true);
    const stream = await openStream(service, { token });
    await newCustomer(service, token);
    await stream.event();
    service.clock.advance(900_000);
    await stream.ended;
  },
);

test(
  'a stream ends at once with the time of its key, before anything else is sent',
  insideOnly,
  async (t) => {
    const service = await serviceFor(t);
    const root = await rootToken(service);
    const expiresAt = new Date(service.clock.now + 60_000).toISOString();
    const { key } = await newKey(service, root, { scopes: ['events:read'], expiresAt });
    const stream = await openStream(service, { key });
    service.clock.advance(60_000);
    await newCustomer(service, root);
    const { left } = await stream.ended;
    assert.deepEqual(
      left.filter(({ data }) => data !== undefined),
      [],
    );
  },
);

test('nothing ends the streams of others', async (t) => {
  const service = await serviceFor(t);
  const [ada, bob, root] = [await service.person(), await service.person(), await rootToken(service)];
  const stream = await openStream(service, { token: ada.token });
  await service.delete(`/api/sessions/${bob.sessionId}`, { token: bob.token });
  await service.delete(`/api/users/${bob.id}`, { token: root });
  const { id } = await newCustomer(service, ada.token);
  assert.equal((await stream.event()).data.subject, `/customers/${id}`);
});

test('a reader who does not keep up is disconnected, resumes and misses nothing', async (t) => {
  const { service, token } = await rootService(t);
  const { id, position: start } = await newOrderIn(service, token);
  const slow = await openStream(service, { token });
  slow.message.pause();
  await changeUntilSlow(service, { id, token });
  slow.message.resume();
  const { isWhole, left } = await slow.ended;
  assert.equal(isWhole, false);
  const position = left.findLast((block) => block.id !== undefined)?.id ?? '';
  const resumed = await openStream(service, { token, headers: { 'last-event-id': position } });
  const { id: customerId } = await newCustomer(service, token);
  const ids = left.flatMap(({ data }) => (data === undefined ? [] : [Number(data.id)]));
  ids.push(...(await idsUntil(resumed, `/customers/${customerId}`)));
  const all = await openStream(service, { token, headers: { 'last-event-id': start } });
  assert.deepEqual(ids, await idsUntil(all, `/customers/${customerId}`));
});

/** Places an order, and returns the position of its event in the feed. */
async function newOrderIn(
  service: TestService,
  token: string,
): Promise<{ readonly id: number; readonly position: string }> {
  const stream = await openStream(service, { token });
  const { id } = await newOrder(service, token);
  let block = await stream.event();
  while (block.data.subject !== `/orders/${id}`) block = await stream.event();
  stream.message.destroy();
  return { id, position: block.id };
}

async function idsUntil(stream: StreamReader, subject: string): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const { data } = await stream.event();
    ids.push(data.id);
    if (data.subject === subject) return ids;
  }
}

/**
 * Changes an order until a reader is cut, each time after the stream has sent the earlier events: it sends a
 * few at a time, and the system may buffer megabytes for a connection.
 */
async function changeUntilSlow(
  service: TestService,
  { id, token }: { readonly id: number; readonly token: string },
): Promise<void> {
  let changes = 0;
  while ((await metric(service, 'orderly_streams_ended_total{reason="slow"}')) === 0) {
    if ((await metric(service, 'orderly_stream_events_total')) < changes) continue;
    assert.ok(changes < 100_000, 'a reader who reads nothing was never cut');
    const requests = Array.from({ length: 50 }, (_, index) => {
      const items = [{ name: `${changes + index} `.padEnd(200, 'x'), quantity: 1, unitPrice: 1 }];
      return service.patch(`/orders/${id}`, { token, body: { items: Array(7).fill(items[0]) } });
    });
    await Promise.all(requests);
    changes += requests.length;
  }
}

async function metric(service: TestService, name: string): Promise<number> {
  const { text } = await service.get('/metrics');
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );
}

async function untilOpen(service: TestService, token: string): Promise<StreamReader> {
  for (;;) {
    const stream = await openStream(service, { token });
    if (stream.status === 200) return stream;
    await stream.ended;
  }
}

test('the number of streams is bounded for each user, whose keys count with them', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  const { key } = await newKey(service, token, { scopes: ['events:read'] });
  const [first] = await Promise.all([1, 2, 3].map(() => openStream(service, { token })));
  await Promise.all([1, 2].map(() => openStream(service, { key })));
  await assertFull(service, { key }, 'streams-per-user');
  assert.equal((await service.get('/events', { token })).status, 200);
  first?.close();
  assert.equal((await untilOpen(service, token)).status, 200);
});

test('the streams of all users are bounded together, so that strangers leave some for staff', async (t) => {
  const service = await serviceFor(t, { settings: { 'trusted-proxy': '127.0.0.1' } });
  const headersOf = (host: number) => proxiedFrom(`192.0.2.${host}`);
  let host = 0;
  for (const [role, count] of [
    ['user', 16],
    ['staff', 4],
  ] as const) {
    for (let made = 0; made < count; made += 1) {
      const { token } = await service.person(role);
      const headers = headersOf((host += 1));
      const opened = await Promise.all([1, 2, 3, 4, 5].map(() => openStream(service, { token, headers })));
      assert.deepEqual(new Set(opened.map(({ status }) => status)), new Set([200]));
    }
    const { token } = await service.person(role);
    await assertFull(service, { token, headers: headersOf((host += 1)) }, 'streams');
  }
  const { text } = await service.get('/metrics', { token: await rootToken(service) });
  assert.match(text, /^orderly_streams 100$/m);
});

test('an address has at most 20 streams, whoever opens them', async (t) => {
  const service = await serviceFor(t);
  for (let made = 0; made < 4; made += 1) {
    const { token } = await service.person();
    for (let index = 0; index < 5; index += 1)
      assert.equal((await openStream(service, { token })).status, 200);
  }
  const { token } = await service.person();
  await assertFull(service, { token }, 'streams-per-address');
});

/** Asserts that one more stream is rejected by this policy. */
async function assertFull(service: TestService, call: Call, policy: string): Promise<void> {
  const rejected = await service.get('/events', { ...call, headers: { ...sse, ...call.headers } });
  assertProblem(rejected, 'quota-exceeded');
  assert.deepEqual(rejected.body['violated-policies'], [policy]);
  assert.match(rejected.headers['retry-after'] ?? '', /^\d+$/);
}

test('a cursor whose events were removed is 410 before the stream begins', async (t) => {
  const gone = await readRemovedEvents(t, {}, sse);
  if (gone !== undefined) assertProblem(gone, 'events-gone');
});

test('a comment follows every 15 seconds, and no block is without data', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const [{ token }, root] = [await service.person(), await rootToken(service)];
  const stream = await openStream(service, { token });
  let text = '';
  stream.message.on('data', (chunk: string) => (text += chunk));
  await once(stream.message, 'data');
  for (let time = 0; time < 3; time += 1) {
    await newCustomer(service, root); // which this reader doesn't see
    service.clock.advance(15_000);
    await once(stream.message, 'data');
  }
  assert.match(text, /^retry: 3000\n:\n:\n:\n$/);
  await newCustomer(service, token);
  await stream.event();
  service.clock.advance(15_000);
  await once(stream.message, 'data');
  const blocks = text.split('\n\n');
  assert.equal(blocks.pop(), ':\n');
  for (const block of blocks) assert.match(block, /^data: /m);
});

test('the service stops without waiting for streams', async (t) => {
  const { service, token } = await rootService(t);
  const streams = await Promise.all([1, 2, 3].map(() => openStream(service, { token })));
  await service.stop();
  for (const { ended } of streams) assert.ok((await ended).isWhole);
});

test('a stream is one request of its connection, and logged with its end', async (t) => {
  const service = await serviceFor(t);
  const { token, sessionId } = await service.person();
  const connection = await openRaw(service.port);
  const head = `Host: a\r\nAuthorization: Bearer ${token}\r\n`;
  connection.write(`GET /events HTTP/1.1\r\n${head}Accept: text/event-stream\r\nX-Request-Id: live\r\n\r\n`);
  connection.write(`GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  while ((await metric(service, 'orderly_streams')) === 0);
  await service.delete(`/api/sessions/${sessionId}`, { token });
  const text = await connection.closed;
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  const lines = service.logged.filter((line) => line.includes('"requestId":"live"'));
  assert.equal(lines.length, 1);
  const { status, path, end, principal } = JSON.parse(lines[0] ?? '');
  assert.deepEqual({ status, path, end }, { status: 200, path: '/events', end: 'unauthorized' });
  assert.match(principal, /^user/);
});

test('a stream continues after its user signs in elsewhere', async (t) => {
  const service = await serviceFor(t);
  const { token, email } = await service.person();
  const stream = await openStream(service, { token });
  await service.signIn(email, password);
  assert.equal((await stream.event()).event, 'session.created');
});
