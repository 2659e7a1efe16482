// The feed as a stream (server-sent events): what it sends, from where, to whom, and how it resumes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { serviceFor } from '../../support/service.ts';
import {
  assertIssues,
  newCustomer,
  newKey,
  newOrder,
  rootService,
  rootToken,
} from '../../support/resource-support.ts';
import { openStream, type StreamReader } from './stream-support.ts';

async function subjects(stream: StreamReader, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) seen.push((await stream.event()).data.subject);
  return seen;
}

const sse = { accept: 'text/event-stream' };

test('a stream sends each event as it happens, as the feed shows it, with the cursor after it', async (t) => {
  const { service, token } = await rootService(t);
  const stream = await openStream(service, { token });
  assert.equal(stream.status, 200);
  const { id } = await newCustomer(service, token);
  const event = await stream.event();
  assert.equal(event.event, 'customer.created');
  assert.equal(event.data.subject, `/customers/${id}`);
  const before = await service.get('/events?limit=200', { token });
  assert.deepEqual(event.data, before.body.data.at(-1));
  const order = await newOrder(service, token);
  const after = await service.get(`/events?cursor=${event.id}`, { token });
  assert.equal(after.body.data.at(-1).subject, `/orders/${order.id}`);
});

test('a stream of the feed has a head that proxies and browsers let through unbuffered', async (t) => {
  const service = await serviceFor(t);
  const { headers } = await openStream(service, { token: await rootToken(service) });
  assert.equal(headers['content-type'], 'text/event-stream');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-accel-buffering'], 'no');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.match(headers['vary'] ?? '', /Accept/);
  assert.equal(headers['etag'], undefined);
});

test('a stream of the feed begins with how long to wait before resuming, in the block of the first event', async (t) => {
  const { service, token } = await rootService(t);
  const stream = await openStream(service, { token });
  assert.deepEqual(await once(stream.message, 'data'), ['retry: 3000\n']);
  const { id } = await newCustomer(service, token);
  const { retry, data } = await stream.block();
  assert.deepEqual([retry, data.subject], ['3000', `/customers/${id}`]);
});

test('a stream of the feed has all events of many changes once, in order', async (t) => {
  const { service, token } = await rootService(t);
  const stream = await openStream(service, { token });
  for (let round = 0; round < 5; round += 1)
    await Promise.all(Array.from({ length: 20 }, () => newCustomer(service, token)));
  const ids: number[] = [];
  while (ids.length < 100) ids.push((await stream.event()).data.id);
  assert.deepEqual(
    ids,
    ids.map((_, index) => (ids[0] ?? 0) + index),
  );
});

test('a stream of the feed with types has only those', async (t) => {
  const { service, token } = await rootService(t);
  const stream = await openStream(service, { token }, '/events?type=order.created,order.paid');
  const { id } = await newOrder(service, token);
  await service.patch(`/orders/${id}`, { token, body: { note: 'Ring twice.' } });
  await service.patch(`/orders/${id}`, { token, body: { status: 'paid' } });
  assert.deepEqual(
    [(await stream.event()).event, (await stream.event()).event],
    ['order.created', 'order.paid'],
  );
});

test('a stream shows users what is theirs, staff orders and customers, administrators all', async (t) => {
  const service = await serviceFor(t);
  const [ada, bob] = await Promise.all([service.person(), service.person()]);
  const [staff, root] = [await service.person('staff'), await rootToken(service)];
  const streams = await Promise.all(
    [ada.token, staff.token, root].map((token) => openStream(service, { token })),
  );
  const [ofAda, ofStaff, ofRoot] = streams;
  assert.ok(ofAda !== undefined && ofStaff !== undefined && ofRoot !== undefined);
  await newKey(service, bob.token);
  await newCustomer(service, bob.token);
  await newCustomer(service, ada.token);
  assert.deepEqual(await subjects(ofRoot, 3), ['/api/keys/1', '/customers/1', '/customers/2']);
  assert.deepEqual(await subjects(ofStaff, 2), ['/customers/1', '/customers/2']);
  assert.deepEqual(await subjects(ofAda, 1), ['/customers/2']);
});

test('a stream of the feed counts once against the rate', async (t) => {
  const { service, token } = await rootService(t, { settings: { 'rate-default': '600/60' } });
  const { headers } = await openStream(service, { token });
  assert.equal(headers['ratelimit'], '"default";r=599;t=1');
  await newCustomer(service, token);
  const { headers: later } = await service.get('/events', { token });
  assert.equal(later['ratelimit'], '"default";r=597;t=1');
});

describe('a stream begins', () => {
  type Scene = { readonly token: string; readonly cursors: readonly string[] };
  let scene: Scene;
  /** Two customers are made; the cursors are those before each. */
  const running = sharedService({}, async (service) => {
    const token = await rootToken(service);
    const cursors: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const { next } = (await service.get('/events?from=latest', { token })).body;
      cursors.push(new URL(next, service.url).searchParams.get('cursor') ?? '');
      await newCustomer(service, token);
    }
    scene = { token, cursors };
  });

  const [first, second, next] = ['/customers/1', '/customers/2', 'the next event'];
  const rows: readonly (readonly [query: string, lastEventId: string | undefined, begin: string])[] = [
    ['', undefined, next],
    ['', '', next],
    ['from=latest', undefined, next],
    ['from=oldest', undefined, first],
    ['from=oldest', '$2', second],
    ['cursor=$1', undefined, first],
    ['cursor=$1', '$2', second],
    ['lastEventId=', undefined, next],
    ['lastEventId=$1', undefined, first], // which polyfills send
    ['lastEventId=$1', '$2', second],
    ['cursor=$1&lastEventId=$2', undefined, second],
    ['from=oldest&lastEventId=$2', undefined, second],
  ];
  for (const [query, lastEventId, begin] of rows)
    test(`a stream begins with ${begin} for ?${query} and Last-Event-ID: ${lastEventId ?? 'none'}`, async () => {
      const { token, cursors } = scene;
      const [one = '', two = ''] = cursors;
      const filled = (text: string): string => text.replace('$1', one).replace('$2', two);
      const headers = lastEventId === undefined ? {} : { 'last-event-id': filled(lastEventId) };
      const path = `/events?type=customer.created&${filled(query)}`;
      const stream = await openStream(running(), { token, headers }, path);
      const { id } = await newCustomer(running(), token);
      const [subject] = await subjects(stream, 1);
      assert.equal(subject, begin === next ? `/customers/${id}` : begin);
      stream.close();
    });

  test('a stream begins far behind, and catches up', async (t) => {
    const { service, token } = await rootService(t);
    await Promise.all(Array.from({ length: 700 }, () => newCustomer(service, token)));
    const stream = await openStream(service, { token }, '/events?from=oldest&type=customer.created');
    assert.equal((await subjects(stream, 700)).length, 700);
    const { id } = await newCustomer(service, token);
    assert.deepEqual(await subjects(stream, 1), [`/customers/${id}`]);
  });

  test('a stream begins not with an invalid cursor, or with cursor and from', async (t) => {
    const { service, token } = await rootService(t);
    const call = { token, headers: sse };
    for (const name of ['cursor', 'lastEventId'])
      assertProblem(await service.get(`/events?${name}=foreign`, call), 'invalid-cursor');
    assertIssues(await service.get('/events?lastEventId=foreign', { token }), 422, ['lastEventId conflict']);
    const headers = { ...sse, 'last-event-id': 'foreign' };
    assertProblem(await service.get('/events', { token, headers }), 'invalid-cursor');
    const { next } = (await service.get('/events', { token })).body;
    assertProblem(await service.get(`${next}&from=latest`, call), 'validation-failed');
  });

  test('a stream begins only where Accept asks for it', async (t) => {
    const { service, token } = await rootService(t);
    const { headers } = await service.get('/events', { token, headers: { accept: '*/*' } });
    assert.equal(headers['content-type'], 'application/json');
  });

  test('a stream begins not with HEAD, which gets only the head', async (t) => {
    const { service, token } = await rootService(t);
    const head = await service.call('HEAD', '/events', { token, headers: sse });
    assert.equal(head.status, 200);
    assert.equal(head.headers['content-type'], 'text/event-stream');
    assert.equal(head.text, '');
  });
});
