// The feed as a stream (server-sent events): what it sends, from where, to whom, and how it resumes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { insideOnly, type Person } from '../../support/service.ts';
import { assertIssues, newCustomer, newKey, newOrder, rootService } from '../../support/resource-support.ts';
import { addEvents, openStream, sse } from './stream-support.ts';

test('a stream sends each event as it happens, as the feed shows it, with the cursor after it', async (t) => {
  const { service, root, token } = await rootService(t);
  const stream = await openStream(service, { token });
  assert.equal(stream.status, 200);
  const { id } = await newCustomer(service, token);
  const { id: cursor, event, data } = await stream.event();
  assert.deepEqual([event, data.subject], ['customer.created', `/customers/${id}`]);
  assert.deepEqual(data, (await root.get('/events?limit=200')).body.data.at(-1));
  const order = await newOrder(service, token);
  const after = await root.get(`/events?cursor=${cursor}`);
  assert.equal(after.body.data.at(-1).subject, `/orders/${order.id}`);
});

test('a stream of the feed has a head that proxies let through unbuffered, and begins with how long to wait', async (t) => {
  const { service, token } = await rootService(t);
  const { headers, message, block } = await openStream(service, { token });
  assert.partialDeepStrictEqual(headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  assert.match(headers['vary'] ?? '', /Accept/);
  assert.equal(headers['etag'], undefined);
  assert.deepEqual(await once(message, 'data'), ['retry: 3000\n']);
  const { id } = await newCustomer(service, token);
  const { retry, data } = await block();
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
  const { service, root, token } = await rootService(t);
  const stream = await openStream(service, { token }, '/events?type=order.created,order.paid');
  const { id } = await newOrder(service, token);
  for (const body of [{ note: 'Ring twice.' }, { status: 'paid' }]) await root.patch(`/orders/${id}`, body);
  for (const type of ['order.created', 'order.paid']) assert.equal((await stream.event()).event, type);
});

test('a stream shows users what is theirs, staff orders and customers, administrators all', async (t) => {
  const { service, token } = await rootService(t);
  const [ada, bob, staff] = [await service.person(), await service.person(), await service.person('staff')];
  const ofRoot = await openStream(service, { token });
  const ofStaff = await openStream(service, { token: staff.token });
  const ofAda = await openStream(service, { token: ada.token });
  await newKey(service, bob.token);
  await newCustomer(service, bob.token);
  await newCustomer(service, ada.token);
  assert.deepEqual(await ofRoot.subjects(3), ['/api/keys/1', '/customers/1', '/customers/2']);
  assert.deepEqual(await ofStaff.subjects(2), ['/customers/1', '/customers/2']);
  assert.deepEqual(await ofAda.subjects(1), ['/customers/2']);
});

test('a stream of the feed counts once against the rate', async (t) => {
  const { service, root, token } = await rootService(t, { settings: { 'rate-default': '600/60' } });
  const { headers } = await openStream(service, { token });
  assert.equal(headers['ratelimit'], '"default";r=599;t=1');
  await newCustomer(service, token);
  assert.equal((await root.get('/events')).headers['ratelimit'], '"default";r=597;t=1');
});

describe('a stream begins', () => {
  let root: Person;
  /** Those before each of two customers. */
  const cursors: string[] = [];
  const running = sharedService({}, async (service) => {
    root = await service.root();
    for (let count = 0; count < 2; count += 1) {
      const { next } = (await root.get('/events?from=latest')).body;
      cursors.push(new URL(next, service.url).searchParams.get('cursor') ?? '');
      await newCustomer(service, root.token);
    }
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
      const filled = (text: string): string => text.replaceAll(/\$(\d)/g, (_, at) => cursors[at - 1] ?? '');
      const headers = lastEventId === undefined ? {} : { 'last-event-id': filled(lastEventId) };
      const path = `/events?type=customer.created&${filled(query)}`;
      const stream = await openStream(running(), { token: root.token, headers }, path);
      const { id } = await newCustomer(running(), root.token);
      assert.deepEqual(await stream.subjects(1), [begin === next ? `/customers/${id}` : begin]);
      stream.close();
    });

  test('a stream begins not with an invalid cursor, or with cursor and from', async () => {
    for (const name of ['cursor', 'lastEventId'])
      assertProblem(await root.get(`/events?${name}=foreign`, sse), 'invalid-cursor');
    assertProblem(await root.get('/events', { ...sse, 'last-event-id': 'foreign' }), 'invalid-cursor');
    assertIssues(await root.get('/events?lastEventId=foreign'), 422, ['lastEventId conflict']);
    const { next: path } = (await root.get('/events')).body;
    assertProblem(await root.get(`${path}&from=latest`, sse), 'validation-failed');
  });

  test('a stream begins only where Accept asks for it, and not with HEAD', async () => {
    const any = await root.get('/events', { accept: '*/*' });
    assert.equal(any.headers['content-type'], 'application/json');
    const { status, headers, text } = await running().call('HEAD', '/events', {
      token: root.token,
      headers: sse,
    });
    assert.deepEqual([status, headers['content-type'], text], [200, 'text/event-stream', '']);
  });

  test('a stream begins far behind, and catches up', insideOnly, async (t) => {
    const { service, token } = await rootService(t);
    await addEvents(service, 700);
    const stream = await openStream(
      service,
      { token },
      '/events?from=oldest&type=order.changed,customer.created',
    );
    await stream.subjects(700);
    const { id } = await newCustomer(service, token);
    assert.deepEqual(await stream.subjects(1), [`/customers/${id}`]);
  });
});
