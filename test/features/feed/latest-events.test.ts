// GET /events?sort=-id: the latest events as a list, and the names of those who made the changes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, issuesOf, sharedService } from '../../support/http-support.ts';
import { insideOnly, serviceFor, type Person, type TestService } from '../../support/service.ts';
import { newCustomer, newKey, newOrder, rootService, rootToken } from '../../support/resource-support.ts';

type Fixture = {
  readonly ada: Person;
  readonly staff: Person;
  readonly root: string;
  readonly order: number;
};
type Shown = { readonly id: number; readonly subject: string; readonly actorName?: string | null };

const target = '/events?sort=-id';

describe('the latest events', () => {
  let fixture: Fixture;
  const service = sharedService({}, async (started) => {
    const [ada, staff] = [await started.person('user', 'Ada'), await started.person('staff', 'Till')];
    const order = (await newOrder(started, ada.token)).id;
    await started.patch(`/orders/${order}`, { token: staff.token, body: { status: 'paid' } });
    fixture = { ada, staff, root: await rootToken(started), order };
  });

  test('the latest events are those of the feed, the newest first', async () => {
    const { ada, staff, root } = fixture;
    for (const token of [ada.token, staff.token, root]) {
      const { body } = await service().get('/events', { token });
      const latest = await service().get(target, { token });
      assert.deepEqual(latest.body, { data: body.data.toReversed(), next: null });
    }
  });

  test('the latest events are read page by page to the oldest one, whatever is added meanwhile', async () => {
    const { root: token } = fixture;
    const { data } = (await service().get(target, { token })).body;
    const pages: Shown[][] = [];
    let next = `${target}&limit=2`;
    while (next !== null) {
      const { body } = await service().get(next, { token });
      pages.push(body.data);
      next = body.next;
      await newCustomer(service(), token);
    }
    assert.deepEqual(pages.flat(), data);
    assert.ok(pages.every(({ length }) => length <= 2));
  });

  test('the latest events may be those of some types', async () => {
    const { staff, order } = fixture;
    const { body } = await service().get(`${target}&type=order.created,order.paid`, { token: staff.token });
    assert.deepEqual(
      body.data.map(({ type, subject }: Record<string, unknown>) => [type, subject]),
      [
        ['order.paid', `/orders/${order}`],
        ['order.created', `/orders/${order}`],
      ],
    );
  });

  for (const path of [target, '/events'])
    test(`${path} names everybody to staff, and a user only to themselves`, async () => {
      const namesFor = async ({ token }: Person): Promise<(string | null | undefined)[]> => {
        const query = 'type=order.created,order.paid&include=actorName';
        const { body } = await service().get(`${path}${path === target ? '&' : '?'}${query}`, { token });
        return body.data.map(({ actorName }: Shown) => actorName).sort();
      };
      assert.deepEqual(await namesFor(fixture.staff), ['Ada', 'Till']);
      assert.deepEqual(await namesFor(fixture.ada), ['Ada', null]);
    });

  test('the feed keeps the names on its next page', async () => {
    const { root: token } = fixture;
    const { body } = await service().get('/events?include=actorName&limit=1', { token });
    assert.match(body.next, /include=actorName/);
    const after = await service().get(body.next, { token });
    assert.ok(after.body.data[0].actorName !== undefined);
  });

  test('the names of the feed need an API key with the scope for users', async () => {
    const { token } = fixture.staff;
    const { key } = await newKey(service(), token, { scopes: ['events:read'] });
    assertProblem(await service().get('/events?include=actorName', { key }), 'insufficient-scope');
  });

  test('a cursor of the feed is none of the latest events, nor the other way round', async () => {
    const { root: token } = fixture;
    const cursorAt = async (path: string): Promise<string> => {
      const { next } = (await service().get(path, { token })).body;
      return new URL(next, 'http://a').searchParams.get('cursor') ?? assert.fail('it has a cursor');
    };
    const ofFeed = await cursorAt('/events?limit=1');
    const ofLatest = await cursorAt(`${target}&limit=1`);
    assertProblem(await service().get(`${target}&cursor=${ofFeed}`, { token }), 'invalid-cursor');
    assertProblem(await service().get(`/events?cursor=${ofLatest}`, { token }), 'invalid-cursor');
    const otherTypes = `${target}&type=order.paid&cursor=${ofLatest}`;
    assertProblem(await service().get(otherTypes, { token }), 'invalid-cursor');
  });

  const rejected = [
    { query: 'sort=id', issue: 'sort enum' },
    { query: 'sort=-id&from=latest', issue: 'sort conflict' },
    { query: 'sort=-id', accept: 'text/event-stream', issue: 'sort conflict' },
    { query: 'include=actorName', accept: 'text/event-stream', issue: 'include conflict' },
    { query: 'sort=-id', accept: 'text/csv', issue: 'sort conflict' },
    { query: 'include=actorName', accept: 'application/x-ndjson', issue: 'include conflict' },
  ];
  for (const { query, accept = 'application/json', issue } of rejected)
    test(`/events?${query} as ${accept} is rejected`, async () => {
      const response = await service().get(`/events?${query}`, {
        token: fixture.root,
        headers: { accept },
      });
      assert.equal(response.status, 422);
      assert.deepEqual(issuesOf(response), [issue]);
    });
});

test('the latest events end at the oldest that was not removed', insideOnly, async (t) => {
  const { service, token } = await rootService(t);
  await newOrder(service, token);
  const { data } = (await service.get(target, { token })).body;
  await service.inside?.database.write((writer) => void writer.run('DELETE FROM events WHERE id <= 2'));
  const { body } = await service.get(`${target}&limit=${data.length - 2}`, { token });
  assert.deepEqual(body, { data: data.slice(0, -2), next: null });
});

test('a page of the latest events examines 1,000 events, and continues', async (t) => {
  const service = await serviceFor(t);
  const [ada, root] = [await service.person(), await rootToken(service)];
  const { id } = await newCustomer(service, ada.token);
  for (let round = 0; round < 10; round += 1) await manyCustomers(service, root);
  const path = `${target}&type=customer.created`;
  const empty = (await service.get(path, { token: ada.token })).body;
  assert.deepEqual(empty.data, []);
  const { data, next } = (await service.get(empty.next, { token: ada.token })).body;
  assert.deepEqual(
    data.map(({ subject }: Shown) => subject),
    [`/customers/${id}`],
  );
  assert.equal(next, null);
});

async function manyCustomers(service: TestService, token: string): Promise<void> {
  await Promise.all(Array.from({ length: 100 }, () => newCustomer(service, token)));
}
