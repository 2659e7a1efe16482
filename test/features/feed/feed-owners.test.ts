// The feed when owners change: who gets events about a new owner, and about a deleted one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../support/service.ts';
import { csv } from '../../support/export-support.ts';
import { newCustomer, newOrder, rootService, valuesIn } from '../../support/resource-support.ts';
import { openStream } from './stream-support.ts';

/** Returns the path of the feed's next page, after what has happened until now. */
async function latest({ get }: Person): Promise<string> {
  return (await get('/events?from=latest')).body.next;
}

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

test('the former owner of a customer learns of the new owner, as the new owner does', async (t) => {
  const { service, root } = await rootService(t);
  const people = [await service.person(), await service.person(), await service.person()];
  const [former, heir] = people;
  const path = `/customers/${(await newCustomer(service, former?.token ?? '')).id}`;
  const next = await Promise.all(people.map(latest));
  const stream = await openStream(service, { token: former?.token });
  for (const body of [{ userId: heir?.id }, { name: 'Only for its owner' }])
    assert.equal((await root.patch(path, body)).status, 200);
  const seen = await Promise.all(
    people.map(async ({ get }, index) => valuesIn(await get(next[index] ?? ''), 'changes')),
  );
  assert.deepEqual(seen, [[{ userId: null }], [{ userId: null }, { name: null }], []]);
  assert.deepEqual((await stream.event()).data.changes, { userId: null });
  assert.equal((await former?.get(path))?.status, 403);
});
