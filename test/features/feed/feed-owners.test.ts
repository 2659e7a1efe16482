// The feed when owners change: who gets events about a new owner, and about a deleted one.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serviceFor, type TestService } from '../../support/service.ts';
import { csv } from '../../support/export-support.ts';
import { newCustomer, newOrder, rootToken } from '../../support/resource-support.ts';
import { openStream } from './stream-support.ts';

describe('a reader of the feed who then reads the objects', { concurrency: true }, () => {
  test('staff learn that an owner was deleted, and nothing else of accounts', async (t) => {
    const service = await serviceFor(t);
    const root = await rootToken(service);
    const [owner, other] = [await service.person(), await service.person()];
    const { token } = await service.person('staff');
    const { id } = await newOrder(service, owner.token);
    const follow = await follower(service, token);
    const strange = await follower(service, other.token);
    const stream = await openStream(service, { token });
    await service.patch(`/api/users/${owner.id}`, { token: root, body: { name: 'Renamed' } });
    await service.delete(`/api/users/${owner.id}`, { token: root });
    const [event, ...more] = await follow();
    assert.deepEqual(more, []);
    assert.deepEqual(
      [event?.type, event?.subject, event?.changes],
      ['user.deleted', `/api/users/${owner.id}`, {}],
    );
    assert.deepEqual((await stream.event()).data, event);
    assert.match(
      (await service.get('/events?type=user.deleted', { token, headers: csv })).text,
      /user\.deleted/,
    );
    assert.equal((await service.get(`/orders/${id}`, { token })).body.userId, null);
    assert.deepEqual(await strange(), []);
    stream.close();
  });

  test('the former owner of a customer learns of the new owner, as the new owner does', async (t) => {
    const service = await serviceFor(t);
    const staff = await service.person('staff');
    const [former, next, other] = [await service.person(), await service.person(), await service.person()];
    const { id } = await newCustomer(service, former.token);
    const follow = await Promise.all([former, next, other].map(({ token }) => follower(service, token)));
    const stream = await openStream(service, { token: former.token });
    const path = `/customers/${id}`;
    for (const body of [{ userId: next.id }, { name: 'Only for its owner' }])
      assert.equal((await service.patch(path, { token: staff.token, body })).status, 200);
    const seen = await Promise.all(follow.map(async (read) => (await read()).map(({ changes }) => changes)));
    assert.deepEqual(seen, [[{ userId: null }], [{ userId: null }, { name: null }], []]);
    assert.deepEqual((await stream.event()).data.changes, { userId: null });
    assert.equal((await service.get(path, { token: former.token })).status, 403);
    stream.close();
  });
});

type Seen = { readonly type: string; readonly subject: string; readonly changes: object };

/** Reads the events after this call. */
async function follower(service: TestService, token: string): Promise<() => Promise<Seen[]>> {
  const { next } = (await service.get('/events?from=latest', { token })).body;
  return async () => (await service.get(next, { token })).body.data;
}
