// GET /events?sort=-id: the latest events as a list, and the names of those who made the changes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, issuesOf, sharedService } from '../../support/http-support.ts';
import { newCustomer, newKey, newOrder, rootService, valuesIn } from '../../support/resource-support.ts';
import { insideOnly, type Person } from '../../support/service.ts';

const target = '/events?sort=-id';

describe('the latest events', () => {
  let ada: Person, staff: Person, root: Person, path: string;
  const service = sharedService({}, async (started) => {
    [ada, staff] = [await started.person('user', 'Ada'), await started.person('staff', 'Till')];
    path = `/orders/${(await newOrder(started, ada.token)).id}`;
    await staff.patch(path, { status: 'paid' });
    root = await started.root();
  });

  test('the latest events are those of the feed, the newest first, of all types or some', async () => {
    for (const { get } of [ada, staff, root]) {
      const data = (await get('/events')).body.data.toReversed();
      assert.deepEqual((await get(target)).body, { data, next: null });
    }
    const some = await staff.get(`${target}&type=order.created,order.paid`);
    assert.deepEqual(valuesIn(some, 'type', 'subject'), [
      ['order.paid', path],
      ['order.created', path],
    ]);
  });

  test('the latest events are read page by page to the oldest one, whatever is added meanwhile', async () => {
    const { data } = (await root.get(target)).body;
    const seen: unknown[] = [];
    for (let next = `${target}&limit=2`; next !== null;) {
      const { body } = await root.get(next);
      assert.ok(body.data.length <= 2);
      seen.push(...body.data);
      next = body.next;
      await newCustomer(service(), root.token);
    }
    assert.deepEqual(seen, data);
  });

  test('the feed names everybody to staff, and a user only to themselves, in either order', async () => {
    const query = 'type=order.created,order.paid&include=actorName';
    for (const begin of [`${target}&`, '/events?'])
      for (const [{ get }, names] of [
        [staff, ['Ada', 'Till']],
        [ada, ['Ada', null]],
      ] as const)
        assert.deepEqual(valuesIn(await get(begin + query), 'actorName').toSorted(), names);
    const { key } = await newKey(service(), staff.token, { scopes: ['events:read'] });
    assertProblem(await service().as({ key }).get('/events?include=actorName'), 'insufficient-scope');
    const { body } = await root.get('/events?include=actorName&limit=1');
    assert.ok(valuesIn(await root.get(body.next), 'actorName')[0] !== undefined, 'on the next page, too');
  });

  test('a cursor of the feed is none of the latest events, nor the other way round', async () => {
    const cursorAt = async (at: string): Promise<string> =>
      /cursor=([^&]+)/.exec((await root.get(at)).body.next)?.[1] ?? assert.fail('it has a cursor');
    const [ofFeed, ofLatest] = [await cursorAt('/events?limit=1'), await cursorAt(`${target}&limit=1`)];
    for (const at of [
      `${target}&cursor=${ofFeed}`,
      `/events?cursor=${ofLatest}`,
      `${target}&type=order.paid&cursor=${ofLatest}`,
    ])
      assertProblem(await root.get(at), 'invalid-cursor');
  });

  for (const [query, accept, issue] of [
    ['sort=id', 'application/json', 'sort enum'],
    ['sort=-id&from=latest', 'application/json', 'sort conflict'],
    ['sort=-id', 'text/event-stream', 'sort conflict'],
    ['include=actorName', 'text/event-stream', 'include conflict'],
    ['sort=-id', 'text/csv', 'sort conflict'],
    ['include=actorName', 'application/x-ndjson', 'include conflict'],
  ] as const)
    test(`the latest events and names are of pages: ?${query} is invalid with ${accept}`, async () => {
      const response = await root.get(`/events?${query}`, { accept });
      assert.deepEqual([response.status, issuesOf(response)], [422, [issue]]);
    });
});

test('the latest events end at the oldest that was not removed', insideOnly, async (t) => {
  const { service, root } = await rootService(t);
  await newOrder(service, root.token);
  const { data } = (await root.get(target)).body;
  await service.inside?.database.write((writer) => void writer.run('DELETE FROM events WHERE id <= 2'));
  const { body } = await root.get(`${target}&limit=${data.length - 2}`);
  assert.deepEqual(body, { data: data.slice(0, -2), next: null });
});
