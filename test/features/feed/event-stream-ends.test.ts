// How a stream of the feed ends: with the right to it, with the service, or when its reader is too slow.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  streamPageCharsMax,
  streamsMax,
  streamsPerAddressMax,
  streamsPerUserMax,
  streamsWithoutStaffMax,
  streamUnsentBytesMax,
} from '../../../src/features/feed/live-feed.ts';
import { assertProblem, proxiedFrom, sampleOf } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import {
  newCustomer,
  newKey,
  newOrder,
  readRemovedEvents,
  rootService,
  rootToken,
} from '../../support/resource-support.ts';
import {
  insideOnly,
  password,
  serviceFor,
  type Call,
  type Person,
  type TestService,
} from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { addEvents, openStream, sse, type StreamReader } from './stream-support.ts';

type Way = (person: Person, root: Person, keyId: number) => Promise<{ readonly status: number }>;
/** What ends streams, and of which credentials. */
const ways: Readonly<Record<string, readonly [ended: string, way: Way]>> = {
  'a sign-out': ['token', (person) => person.delete(`/api/sessions/${person.sessionId}`)],
  'its session': ['token', ({ sessionId }, root) => root.delete(`/api/sessions/${sessionId}`)],
  'another role': ['token key', ({ id }, { patch }) => patch(`/api/users/${id}`, { role: 'staff' })],
  'another’s password': [
    'token key',
    ({ id }, { patch }) => patch(`/api/users/${id}`, { password: 'a good one' }),
  ],
  suspension: ['token key', ({ id }, { put }) => put(`/api/users/${id}/suspension`, {})],
  deletion: ['token key', ({ id }, root) => root.delete(`/api/users/${id}`)],
  'its key': ['key', (person, _root, keyId) => person.delete(`/api/keys/${keyId}`)],
};

const events = { scopes: ['events:read'] };
const hasData = ({ data }: { readonly data?: unknown }): boolean => data !== undefined;

for (const [name, [ended, way]] of Object.entries(ways))
  test(`a stream ends at once with ${name}, and no other does`, async (t) => {
    const { service, root } = await rootService(t);
    const [person, other] = [await service.person(), await service.person()];
    const { id, key } = await newKey(service, person.token, events);
    const calls: Readonly<Record<string, Call>> = { token: { token: person.token }, key: { key } };
    const opened = ended.split(' ').map((credential) => openStream(service, calls[credential] ?? {}));
    const streams = await Promise.all(opened);
    const staying = await openStream(service, { token: other.token });
    assert.ok((await way(person, root, id)).status < 300);
    for (const { isWhole, left } of await Promise.all(streams.map(({ ended }) => ended)))
      assert.deepEqual([isWhole, left.filter(hasData)], [true, []]);
    const customer = await newCustomer(service, other.token);
    assert.deepEqual(await staying.subjects(1), [`/customers/${customer.id}`]);
  });

const inTime = { ...insideOnly, timeout: 30_000 };

test('a stream ends at once with the time of its access token', inTime, async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  (await openStream(service, { token })).close();
  await until(async () => (await sampleOf(service, 'orderly_streams')) === 0);
  const stream = await openStream(service, { token });
  service.clock.advance(899_000);
  const { id } = await newCustomer(service, token);
  assert.deepEqual(await stream.subjects(1), [`/customers/${id}`]);
  service.clock.advance(1_000);
  assert.ok((await stream.ended).isWhole);
});

test('a stream ends at once with the time of its key, before anything is sent', insideOnly, async (t) => {
  const { service, token } = await rootService(t);
  const expiresAt = new Date(service.clock.now + 60_000).toISOString();
  const stream = await openStream(service, await newKey(service, token, { ...events, expiresAt }));
  service.clock.advance(60_000);
  await newCustomer(service, token);
  assert.deepEqual((await stream.ended).left.filter(hasData), []);
});

test('a stream continues after its user signs in elsewhere', async (t) => {
  const service = await serviceFor(t);
  const { token, email } = await service.person();
  const stream = await openStream(service, { token });
  await service.signIn(email, password);
  assert.equal((await stream.event()).event, 'session.created');
});

test('a reader who does not keep up is disconnected, resumes and misses nothing', async (t) => {
  const { service, root, token } = await rootService(t);
  const { next } = (await root.get('/events?from=latest')).body;
  const { id } = await newOrder(service, token);
  const slow = await openStream(service, { token }, next);
  slow.message.pause();
  await changeUntilSlow(service, root, `/orders/${id}`);
  slow.message.resume();
  const { isWhole, left } = await slow.ended;
  assert.equal(isWhole, false);
  const position = left.findLast((block) => block.id !== undefined)?.id ?? '';
  const resumed = await openStream(service, { token, headers: { 'last-event-id': position } });
  const last = `/customers/${(await newCustomer(service, token)).id}`;
  const ids = left.flatMap(({ data }) => (data === undefined ? [] : [Number(data.id)]));
  ids.push(...(await idsUntil(resumed, last)));
  const all = await openStream(service, { token }, next);
  assert.deepEqual(ids, await idsUntil(all, last));
});

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
async function changeUntilSlow(service: TestService, { patch }: Person, path: string): Promise<void> {
  let changes = 0;
  while ((await sampleOf(service, 'orderly_streams_ended_total{reason="slow"}')) === 0) {
    if ((await sampleOf(service, 'orderly_stream_events_total')) < changes) continue;
    assert.ok(changes < 100_000, 'a reader who reads nothing was never cut');
    const requests = Array.from({ length: 50 }, (_, index) => {
      const item = { name: `${changes + index} `.padEnd(200, 'x'), quantity: 1, unitPrice: 1 };
      return patch(path, { items: Array(7).fill(item) });
    });
    await Promise.all(requests);
    changes += requests.length;
  }
}

test('the stream of a reader who stalls while events are removed ends, then 410', insideOnly, async (t) => {
  const { service, token } = await rootService(t, { settings: { 'events-days': '1' } });
  const { key } = await newKey(service, token, events);
  const inside = service.inside ?? assert.fail('it is inside');
  // more bytes than both ends of a connection buffer, so that a reader who stalls stays behind
  await addEvents(service, 16_000, 1_000);
  const stalled = await openStream(service, { key }, '/events?from=oldest');
  stalled.message.pause();
  service.clock.advance(2 * 86_400_000);
  const { id } = await newCustomer(service, await rootToken(service));
  await inside.cleanup.run();
  stalled.message.resume();
  const seen = (await stalled.ended).left.filter(hasData);
  assert.ok(!seen.some(({ data }) => data.subject === `/customers/${id}`), 'the stream went on after a gap');
  const ids = seen.map(({ data }) => data.id);
  assert.deepEqual(
    ids,
    ids.map((_, index) => index + 1),
  );
  const gone = await service.as({ key }).get('/events', { ...sse, 'last-event-id': seen.at(-1)?.id ?? '' });
  assertProblem(gone, 'events-gone');
  assert.equal(await sampleOf(service, 'orderly_streams_ended_total{reason="gone"}'), 1);
});

test('a cursor whose events were removed is 410 before the stream begins', async (t) => {
  const gone = await readRemovedEvents(t, {}, sse);
  if (gone !== undefined) assertProblem(gone, 'events-gone');
});

/** Asserts that one more stream is rejected by this policy. */
async function assertFull({ as }: TestService, { headers, ...call }: Call, policy: string): Promise<void> {
  const rejected = await as(call).get('/events', { ...sse, ...headers });
  assertProblem(rejected, 'quota-exceeded');
  assert.deepEqual(rejected.body['violated-policies'], [policy]);
}

test('the number of streams is bounded for each user, whose keys count with them', async (t) => {
  const service = await serviceFor(t);
  const { token, get } = await service.person();
  const { key } = await newKey(service, token, events);
  const [first] = await Promise.all([1, 2, 3].map(() => openStream(service, { token })));
  await Promise.all([1, 2].map(() => openStream(service, { key })));
  await assertFull(service, { key }, 'streams-per-user');
  assert.equal((await get('/events')).status, 200);
  first?.close();
  await until(async () => (await openStream(service, { token })).status === 200);
});

test('the streams of all users are bounded together, so that strangers leave some for staff', async (t) => {
  const service = await serviceFor(t, { settings: { 'trusted-proxy': '127.0.0.1' } });
  let host = 0;
  const callOf = async (role: 'user' | 'staff'): Promise<Call> => {
    host += 1;
    return { token: (await service.person(role)).token, headers: proxiedFrom(`192.0.2.${host}`) };
  };
  for (const [role, count] of [
    ['user', 16],
    ['staff', 4],
  ] as const) {
    for (let made = 0; made < count; made += 1) {
      const call = await callOf(role);
      const opened = await Promise.all([1, 2, 3, 4, 5].map(() => openStream(service, call)));
      assert.ok(opened.every(({ status }) => status === 200));
    }
    await assertFull(service, await callOf(role), 'streams');
  }
  assert.equal(await sampleOf(await service.root(), 'orderly_streams'), 100);
});

test('an address has at most 20 streams, whoever opens them', async (t) => {
  const service = await serviceFor(t);
  for (let made = 0; made < 4; made += 1) {
    const { token } = await service.person();
    for (let index = 0; index < 5; index += 1)
      assert.equal((await openStream(service, { token })).status, 200);
  }
  await assertFull(service, { token: (await service.person()).token }, 'streams-per-address');
});

test('a comment follows every 15 seconds, and no block is without data', insideOnly, async (t) => {
  const { service, token: root } = await rootService(t);
  const { token } = await service.person();
  const stream = await openStream(service, { token });
  let text = '';
  stream.message.on('data', (chunk: string) => (text += chunk));
  await once(stream.message, 'data');
  for (let time = 0; time < 3; time += 1) {
    await newCustomer(service, root); // which this reader doesn't see
    service.clock.advance(15_000);
    await once(stream.message, 'data');
  }
  assert.equal(text, 'retry: 3000\n:\n:\n:\n');
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
  const { token, sessionId, delete: end } = await service.person();
  const connection = await openRaw(service.port);
  const fields = `Host: a\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\nX-Request-Id: live`;
  connection.write(`GET /events HTTP/1.1\r\n${fields}\r\n\r\n`);
  connection.write(`GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  await until(async () => (await sampleOf(service, 'orderly_streams')) === 1);
  await end(`/api/sessions/${sessionId}`);
  assert.match(await connection.closed, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  const [line = '', ...others] = service.logged.filter((each) => each.includes('"requestId":"live"'));
  assert.deepEqual(others, []);
  const { principal, ...about } = JSON.parse(line);
  assert.partialDeepStrictEqual(about, { status: 200, path: '/events', end: 'unauthorized' });
  assert.match(principal, /^user/);
});

test('the bounds of streams don’t contradict each other', () => {
  assert(streamsPerUserMax < streamsPerAddressMax);
  assert(streamsPerAddressMax < streamsWithoutStaffMax);
  assert(streamsWithoutStaffMax < streamsMax);
  assert(streamPageCharsMax <= streamUnsentBytesMax);
  assert(streamsMax * streamUnsentBytesMax <= 32 * 1024 * 1024);
});
