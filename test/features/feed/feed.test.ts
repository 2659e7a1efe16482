// The feed: a reader misses nothing, and sees what is theirs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import type { Caller } from '../../../src/auth/access.ts';
import { feedBounds, readFeed } from '../../../src/features/events/feed-store.ts';
import { feedElements } from '../../../src/features/feed/feed-routes.ts';
import { insideOnly, serviceFor, type Person, type TestResponse } from '../../support/service.ts';
import { csv } from '../../support/export-support.ts';
import { idsIn, newCustomer, newOrder, rootService, valuesIn } from '../../support/resource-support.ts';
import { addEvents, openStream } from './stream-support.ts';

const cursorOf = ({ body }: TestResponse): string =>
  new URL(body.next, 'http://a').searchParams.get('cursor') ?? assert.fail('it has a cursor');

/** Returns the path of the feed's next page, after what has happened until now. */
async function latest({ get }: Person): Promise<string> {
  return (await get('/events?from=latest')).body.next;
}

test('the feed gives a reader who stores next all events once, in order', async (t) => {
  const { service, root, token } = await rootService(t);
  const seen: TestResponse['body'][] = [];
  let next = '/events?from=oldest&limit=3';
  for (let round = 0; round <= 5; round += 1) {
    if (round > 0) await Promise.all([newOrder(service, token), newCustomer(service, token)]);
    for (let isOver = false; !isOver;) {
      const { body } = await root.get(next);
      next = body.next;
      seen.push(...body.data);
      isOver = body.data.length === 0;
    }
  }
  const ids = seen.map(({ id }) => id);
  assert.deepEqual(
    ids,
    ids.map((_, index) => index + 1),
  );
  const count = (type: string): number => seen.filter((event) => event.type === type).length;
  assert.deepEqual([count('order.created'), count('customer.created')], [5, 10]);
});

test('the feed shows a user what is theirs, staff all orders and customers, administrators all', async (t) => {
  const { service, root } = await rootService(t);
  const [ada, bob, staff] = [await service.person(), await service.person(), await service.person('staff')];
  for (const { token } of [ada, bob]) await newCustomer(service, token);
  for (const [{ get }, customers, users] of [
    [ada, [1], [ada.id]],
    [bob, [2], [bob.id]],
    [staff, [1, 2], [staff.id]],
    [root, [1, 2], [root.id, ada.id, bob.id, staff.id]],
  ] as const) {
    const subjects = async (type: string) => valuesIn(await get(`/events?type=${type}`), 'subject');
    const paths = customers.map((id) => `/customers/${id}`);
    assert.deepEqual(await subjects('customer.created'), paths);
    assert.deepEqual(
      await subjects('user.created'),
      users.map((id) => `/api/users/${id}`),
    );
  }
});

test('staff learn that an owner was deleted, and nothing else of accounts', async (t) => {
  const { service, root } = await rootService(t);
  const [owner, other, staff] = [
    await service.person(),
    await service.person(),
    await service.person('staff'),
  ];
  const { id } = await newOrder(service, owner.token);
  const [next, others] = [await latest(staff), await latest(other)];
  const stream = await openStream(service, staff);
  await root.patch(`/api/users/${owner.id}`, { name: 'Renamed' });
  await root.delete(`/api/users/${owner.id}`);
  const seen = await staff.get(next);
  const deletion = ['user.deleted', `/api/users/${owner.id}`, {}];
  assert.deepEqual(valuesIn(seen, 'type', 'subject', 'changes'), [deletion]);
  assert.deepEqual((await stream.event()).data, seen.body.data[0]);
  assert.match((await staff.get('/events?type=user.deleted', csv)).text, /user\.deleted/);
  assert.equal((await staff.get(`/orders/${id}`)).body.userId, null);
  assert.deepEqual((await other.get(others)).body.data, []);
});

test('the feed moves on past events that the caller may not see, 1,000 for a page', insideOnly, async (t) => {
  const { service, root } = await rootService(t);
  const ada = await service.person();
  const { next } = (await ada.get('/events?from=latest')).body;
  await addEvents(service, 1_000);
  const { id } = await newCustomer(service, ada.token);
  const empty = await ada.get(next);
  assert.deepEqual(empty.body.data, []);
  const [subject] = valuesIn(await root.get(`/events?cursor=${cursorOf(empty)}`), 'subject');
  assert.equal(subject, `/customers/${id}`);
  assert.deepEqual(valuesIn(await ada.get(empty.body.next), 'subject'), [subject]);

  await addEvents(service, 1_000);
  const none = await ada.get('/events?sort=-id');
  assert.deepEqual(none.body.data, []);
  assert.deepEqual(valuesIn(await ada.get(none.body.next), 'subject'), [subject]);
});

test('the feed, oldest or newest first, ends a page at about 1 MiB, and continues', async (t) => {
  const service = await serviceFor(t);
  const { token, get, patch } = await service.person();
  const { id } = await newOrder(service, token);
  for (let count = 0; count < 150; count += 1) {
    const item = { name: `${count} `.padEnd(200, '€'), quantity: 1, unitPrice: 1 };
    await patch(`/orders/${id}`, { items: Array(7).fill(item) });
  }
  for (const [query, step] of [
    ['type=order.changed', 1],
    ['sort=-id&type=order.changed', -1],
  ] as const) {
    const first = await get(`/events?${query}&limit=200`);
    assert.ok(Buffer.byteLength(first.text) < 1.1 * 2 ** 20);
    const ids = [...idsIn(first), ...idsIn(await get(first.body.next))];
    assert.ok(first.body.data.length < ids.length);
    const [begin = 0] = ids;
    assert.deepEqual(
      ids,
      Array.from({ length: 150 }, (_, index) => begin + index * step),
    );
  }
});

test('a page of the feed ends before a long event, and has it alone', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { token, patch } = await service.person();
  const { id } = await newOrder(service, token);
  const item = { name: '€'.repeat(200), quantity: 1, unitPrice: 1 };
  for (const count of [5, 6, 5, 6, 5, 1]) await patch(`/orders/${id}`, { items: Array(count).fill(item) });
  const { read } = service.inside?.database ?? assert.fail('it is inside');
  const { latest } = feedBounds(read);
  for (const [charsMax, types, lengths] of [
    [5_000, ['order.changed'], [2, 1, 1, 2]],
    [1, undefined, Array<number>(latest).fill(1)],
  ] as const) {
    const found: number[] = [];
    for (let after = 0; after < latest;) {
      const { events, end } = readFeed(read, { after, latest, access: 'all', types, rows: 3, charsMax });
      found.push(events.length);
      after = end;
    }
    assert.deepEqual(found, lengths);
  }
});

test('a cursor of the feed may be used with other types, but not with from', async (t) => {
  const { service, root, token } = await rootService(t);
  const cursor = cursorOf(await root.get('/events?from=latest&type=order.created'));
  const { id } = await newCustomer(service, token);
  const found = await root.get(`/events?type=customer.created&cursor=${cursor}`);
  assert.deepEqual(valuesIn(found, 'subject'), [`/customers/${id}`]);
  assertProblem(await root.get(`/events?from=oldest&cursor=${cursor}`), 'validation-failed');
  assertProblem(await root.get('/events?cursor=foreign'), 'invalid-cursor');
});

test('an export of events that are removed meanwhile fails, and looks not whole', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { database } = service.inside ?? assert.fail('it is inside');
  await addEvents(service, 120);
  const { latest } = feedBounds(database.read);
  const admin = { role: 'admin' } as Caller; // whose other members it doesn't read
  const elements = feedElements(database.read, { types: undefined, after: 0, latest }, admin)(() => admin);
  const steps = elements[Symbol.asyncIterator]();
  assert.equal((await steps.next()).done, false);
  await database.write((writer) => void writer.run('DELETE FROM events WHERE id <= ?', latest - 5));
  await assert.rejects(steps.next(), /events were removed before their export/);
});
