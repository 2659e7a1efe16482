// The feed: a reader misses nothing, and sees what is theirs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { feedBounds, readFeed } from '../../../src/features/events/feed-store.ts';
import { insideOnly, serviceFor, type TestResponse } from '../../support/service.ts';
import { newCustomer, newOrder, rootService, rootToken } from '../../support/resource-support.ts';

type Event = TestResponse['body'];

test('the feed gives a reader who stores next all events once, in order', async (t) => {
  const { service, token } = await rootService(t);
  const seen: Event[] = [];
  let next = '/events?from=oldest&limit=3';
  const follow = async (): Promise<void> => {
    for (;;) {
      const { body } = await service.get(next, { token });
      next = body.next;
      if (body.data.length === 0) return;
      seen.push(...body.data);
    }
  };
  await follow();
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([newOrder(service, token), newCustomer(service, token)]);
    await follow();
  }
  const ids = seen.map(({ id }) => id);
  assert.deepEqual(
    ids,
    ids.map((_, index) => index + 1),
  );
  assert.equal(seen.filter(({ type }) => type === 'order.created').length, 5);
  assert.equal(seen.filter(({ type }) => type === 'customer.created').length, 10);
});

test('the feed shows a user what is theirs, staff all orders and customers, administrators all', async (t) => {
  const service = await serviceFor(t);
  const [ada, bob, staff] = await Promise.all([service.person(), service.person(), service.person('staff')]);
  await newCustomer(service, ada.token);
  await newCustomer(service, bob.token);
  const subjects = async (token: string): Promise<string[]> =>
    (await service.get('/events?type=customer.created', { token })).body.data.map(
      ({ subject }: Event) => subject,
    );
  assert.deepEqual(await subjects(ada.token), ['/customers/1']);
  assert.deepEqual(await subjects(bob.token), ['/customers/2']);
  assert.deepEqual(await subjects(staff.token), ['/customers/1', '/customers/2']);
  const accounts = async (token: string): Promise<number[]> =>
    (await service.get('/events?type=user.created', { token })).body.data.map(({ actor }: Event) =>
      Number(actor?.userId),
    );
  assert.deepEqual(await accounts(ada.token), [ada.id]);
  assert.deepEqual(await accounts(staff.token), [1]);
  assert.equal((await accounts(await rootToken(service))).length, 4);
});

test('the feed moves on past events that the caller may not see', async (t) => {
  const service = await serviceFor(t);
  const [ada, root] = [await service.person(), await rootToken(service)];
  const { body } = await service.get('/events?from=latest', { token: ada.token });
  for (let count = 0; count < 3; count += 1) await newCustomer(service, root);
  const empty = await service.get(body.next, { token: ada.token });
  assert.deepEqual(empty.body.data, []);
  assert.notEqual(empty.body.next, body.next);
  const { id } = await newCustomer(service, ada.token);
  const { data } = (await service.get(empty.body.next, { token: ada.token })).body;
  assert.equal(data[0].subject, `/customers/${id}`);
});

for (const [order, query, step] of [
  ['oldest first', 'type=order.changed', 1],
  ['newest first', 'sort=-id&type=order.changed', -1],
] as const)
  test(`the feed, ${order}, ends a page at about 1 MiB, and continues`, async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    const { id } = await newOrder(service, token);
    for (let count = 0; count < 150; count += 1) {
      const item = { name: `${count} `.padEnd(200, '€'), quantity: 1, unitPrice: 1 };
      await service.patch(`/orders/${id}`, { token, body: { items: Array(7).fill(item) } });
    }
    const first = await service.get(`/events?${query}&limit=200`, { token });
    assert.ok(Buffer.byteLength(first.text) < 1.1 * 2 ** 20);
    const second = await service.get(first.body.next, { token });
    const ids = [...first.body.data, ...second.body.data].map((event: Event) => event.id);
    assert.ok(first.body.data.length < ids.length);
    assert.deepEqual(
      ids,
      Array.from({ length: 150 }, (_, index) => Number(ids[0]) + index * step),
    );
  });

test('the feed has an event that is longer than a page by itself', insideOnly, async (t) => {
  const service = await serviceFor(t);
  await newCustomer(service, await rootToken(service));
  const { read } = (service.inside ?? assert.fail('it is inside')).database;
  const { latest } = feedBounds(read);
  const page = { latest, access: 'all', types: undefined, rows: 10, charsMax: 1 } as const;
  for (let after = 0; after < latest; after += 1) {
    const { events, end } = readFeed(read, { ...page, after });
    assert.deepEqual([events.map(({ id }) => id), end], [[after + 1], after + 1]);
  }
});

test('the feed is read without the long events that follow those that fit', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  const { id } = await newOrder(service, token);
  const item = { name: '€'.repeat(200), quantity: 1, unitPrice: 1 };
  for (const count of [5, 6, 5, 6, 5, 1])
    await service.patch(`/orders/${id}`, { token, body: { items: Array(count).fill(item) } });
  const db = service.inside?.database.read ?? assert.fail('it runs in this process');
  const { latest } = feedBounds(db);
  const read = (after: number) =>
    readFeed(db, { after, latest, access: 'all', types: ['order.changed'], rows: 3, charsMax: 5_000 });
  const pages = [];
  for (let after = 0; after < latest; after = pages.at(-1)?.end ?? latest) pages.push(read(after));
  assert.deepEqual(
    pages.map(({ events }) => events.length),
    [2, 1, 1, 2],
  );
  assert.equal(pages.at(-1)?.end, latest);
});

test('the feed examines 1,000 events for a page, and continues', async (t) => {
  const service = await serviceFor(t);
  const [ada, root] = [await service.person(), await rootToken(service)];
  const { body } = await service.get('/events?from=latest', { token: ada.token });
  const position = (next: string): string => new URL(next, service.url).searchParams.get('cursor') ?? '';
  for (let round = 0; round < 10; round += 1)
    await Promise.all(Array.from({ length: 100 }, () => newCustomer(service, root)));
  const { id } = await newCustomer(service, ada.token);
  const empty = await service.get(body.next, { token: ada.token });
  assert.deepEqual(empty.body.data, []);
  const ofRoot = await service.get(`/events?cursor=${position(empty.body.next)}`, { token: root });
  assert.equal(ofRoot.body.data[0].subject, `/customers/${id}`);
  const { data } = (await service.get(empty.body.next, { token: ada.token })).body;
  assert.equal(data[0].subject, `/customers/${id}`);
});

test('a cursor of the feed may be used with other types, but not with from', async (t) => {
  const { service, token } = await rootService(t);
  const { next } = (await service.get('/events?from=latest&type=order.created', { token })).body;
  const cursor = new URL(next, 'http://a').searchParams.get('cursor');
  const { id } = await newCustomer(service, token);
  const { body } = await service.get(`/events?type=customer.created&cursor=${cursor}`, { token });
  assert.equal(body.data[0].subject, `/customers/${id}`);
  const both = await service.get(`/events?from=oldest&cursor=${cursor}`, { token });
  assertProblem(both, 'validation-failed');
  assertProblem(await service.get('/events?cursor=foreign', { token }), 'invalid-cursor');
});
