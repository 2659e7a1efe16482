// API keys: creating, sending and deleting them, what they may do, and when they were last used.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scopes } from '../../../src/auth/access.ts';
import { unavailable } from '../../../src/problem.ts';
import { Cleanup } from '../../../src/service/cleanup.ts';
import type { WriteCallback } from '../../../src/storage/connection.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { assertIssues, idsIn, items, newKey, newOrder, testIssues } from '../../support/resource-support.ts';
import { insideOnly, password, serviceFor, type Person, type TestResponse } from '../../support/service.ts';

const yearMilliseconds = 365 * 86_400_000;
const wanted = { name: 'till 3', scopes: ['orders:read', 'customers:read'] };

describe('an API key', () => {
  let ada: Person;
  const running = sharedService({}, async (service) => {
    ada = await service.person();
  });
  const keyOf = async ({ token }: Person, members = {}): Promise<TestResponse['body']> =>
    newKey(running(), token, members);

  test('creating an API key shows the key only once, with its location and its expiry', async () => {
    const person = await running().person();
    const made = await person.post('/api/keys', wanted);
    assert.equal(made.status, 201);
    const { key, prefix, ...rest } = made.body;
    const { id, createdAt, expiresAt } = rest;
    assert.deepEqual(rest, { id, ...wanted, createdAt, expiresAt, lastUsedAt: null });
    assert.match(key, new RegExp(`^ord_${id}_[A-Za-z0-9_-]{43}$`));
    assert.ok(key.startsWith(prefix) && prefix.length < key.length - 32, prefix);
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), yearMilliseconds);
    assert.equal(made.headers['cache-control'], 'no-store');
    const read = await person.get(made.headers.location ?? '');
    assert.deepEqual([read.body, read.headers.etag], [{ ...rest, prefix }, made.headers.etag]);
    assert.deepEqual((await person.get('/api/keys')).body.data, [{ ...rest, prefix }]);
    for (const later of [null, '2999-12-31T23:59:59.999Z'])
      assert.equal((await keyOf(person, { expiresAt: later })).expiresAt, later);
  });

  const create = (change: object): Promise<TestResponse> => ada.post('/api/keys', { ...wanted, ...change });
  testIssues('creating an API key with', create, [
    [{ expiresAt: '2020-01-01T00:00:00.000Z' }, '#/expiresAt minimum'],
    [{ expiresAt: '2026-03-01T09:30:00.000Z' }, '#/expiresAt minimum'], // one that expires now would be useless
    [{ id: 7, userId: 1 }, '#/id unknown-member', '#/userId unknown-member'],
    [{ scopes: ['orders:read', 'orders:read', 'all'] }, '#/scopes unique-items', '#/scopes/2 enum'],
  ]);

  test('an API key is in the list of its user, which only an administrator sees besides', async () => {
    const owner = await running().person();
    const { id } = await keyOf(owner);
    for (const role of ['user', 'staff', 'admin'] as const) {
      const { get } = await running().person(role);
      assert.deepEqual((await get('/api/keys')).body.data, []);
      assertProblem(await get('/api/keys/4711'), 'not-found');
      const response = await get(`/api/keys?userId=${owner.id}`);
      if (role === 'admin') assert.deepEqual(idsIn(response), [id]);
      else assertProblem(response, 'forbidden');
    }
  });

  test('an API key acts as its user', async () => {
    const [owner, other] = [await running().person(), await running().person()];
    const { get, post, patch } = running().as(await keyOf(owner, { scopes }));
    const made = await newOrder(running(), owner.token);
    const foreign = await newOrder(running(), other.token);
    assert.deepEqual(idsIn(await get('/orders')), [made.id]);
    assertProblem(await get(`/orders/${foreign.id}`), 'forbidden');
    const order = { customerId: made.customerId, currency: 'EUR', items };
    assert.equal((await post('/orders', order)).body.userId, owner.id);
    assertProblem(await patch(`/orders/${made.id}`, { status: 'paid' }), 'forbidden');
  });

  test('an administrator’s API key with all scopes changes no password, address or role, deletes nobody, and creates only users', async () => {
    const [admin, other] = [await running().person('admin'), await running().person()];
    const byKey = running().as(await keyOf(admin, { scopes }));
    for (const { id, email } of [admin, other]) {
      const path = `/api/users/${id}`;
      const { role } = (await byKey.get(path)).body;
      for (const change of [
        { password: 'another good password' },
        { email: `new.${email}` },
        { role: 'staff' },
      ]) {
        assertProblem(await byKey.patch(path, change), 'insufficient-scope');
        assertProblem(await byKey.put(path, { name: 'Ada', email, ...change }), 'insufficient-scope');
      }
      assertProblem(await byKey.delete(path), 'insufficient-scope');
      await running().signIn(email, password);
      // a member with its present value isn't a change
      assert.equal((await byKey.patch(path, { role, name: 'Renamed' })).body.name, 'Renamed');
    }
    const body = { name: 'Eve', email: 'eve@example.com', password };
    for (const role of ['staff', 'admin'])
      assertProblem(await byKey.post('/api/users', { ...body, role }), 'insufficient-scope');
    assert.equal((await byKey.post('/api/users', { ...body, role: 'user' })).status, 201);
  });

  test('an API key is rejected from the next request after its deletion', async () => {
    const [one, two] = [await keyOf(ada), await keyOf(ada)];
    const path = `/api/keys/${one.id}`;
    for (const { key } of [one, two]) assert.equal((await running().get('/orders', { key })).status, 200);
    assert.equal((await ada.delete(path)).status, 204);
    assertProblem(await running().get('/orders', { key: one.key }), 'invalid-token');
    assert.equal((await running().get('/orders', { key: two.key })).status, 200);
    for (const send of [ada.get, ada.delete]) assertProblem(await send(path), 'not-found');
  });
});

test('an API key is rejected from the moment it expires', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { email, token } = await service.person();
  const expiresAt = new Date(service.clock.now + 60_000).toISOString();
  const [soon, usual] = [await newKey(service, token, { expiresAt }), await newKey(service, token)];
  const never = await newKey(service, token, { expiresAt: null });
  service.clock.advance(59_999);
  assert.equal((await service.get('/orders', { key: soon.key })).status, 200);
  service.clock.advance(1);
  assertProblem(await service.get('/orders', { key: soon.key }), 'invalid-token');
  service.clock.advance(yearMilliseconds - 60_001);
  assert.equal((await service.get('/orders', { key: usual.key })).status, 200);
  service.clock.advance(1);
  assertProblem(await service.get('/orders', { key: usual.key }), 'invalid-token');
  assert.equal((await service.get('/orders', { key: never.key })).status, 200);
  const { get } = await service.signIn(email, password);
  assert.equal((await get('/api/keys')).body.data.length, 3, 'still to be seen, and to be deleted');
});

test('an API key shows when it was last used, even if that was right before the service stopped', async (t) => {
  const service = await serviceFor(t);
  const person = await service.person();
  const { id, key, createdAt } = await newKey(service, person.token);
  const unused = await newKey(service, person.token);
  service.clock.advance(60_000);
  await service.get('/orders', { key });
  await service.get('/orders', { key: `${unused.key.slice(0, -1)}-` }); // no use of the right one
  await service.restart();
  const { get } = await service.signIn(person.email, password);
  const { lastUsedAt } = (await get(`/api/keys/${id}`)).body;
  if (service.inside === undefined) assert.ok(lastUsedAt >= createdAt);
  else assert.equal(lastUsedAt, new Date(service.clock.now).toISOString());
  assert.equal((await get(`/api/keys/${unused.id}`)).body.lastUsedAt, null);
  assert.equal((await service.get('/orders', { key })).status, 200);
});

test('a key’s last use is stored by the run after one that failed', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { database } = service.inside ?? assert.fail('the test is skipped otherwise');
  const { token, get } = await service.person();
  const [idle, busy] = [await newKey(service, token), await newKey(service, token)];
  let isFull = true;
  /** Its changes are undone while the disk is full, as those of a group of writes are. */
  const write = <T>(callback: WriteCallback<T>): Promise<T> =>
    database.write<T>((db) => {
      const result = callback(db);
      if (isFull) throw unavailable('Writes are temporarily unavailable.');
      return result;
    });
  const cleanup = new Cleanup({
    database: { write, emptyWalSoon: () => {} },
    isStopping: () => true,
    lastEventFile: { write: () => Promise.resolve() },
    steps: () => [],
  });
  t.after(() => cleanup.close());
  const time = service.clock.now;
  cleanup.recordKeyUse(idle.id, time + 1_000);
  cleanup.recordKeyUse(busy.id, time + 1_000);
  const failed = assert.rejects(cleanup.run(), /temporarily unavailable/);
  cleanup.recordKeyUse(busy.id, time + 2_000); // used again while the write is waiting
  await failed;
  isFull = false;
  const stored = cleanup.run();
  cleanup.recordKeyUse(busy.id, time + 3_000); // and while one is waiting that succeeds
  await stored;
  await cleanup.run();
  const lastUse = async (id: number): Promise<number> =>
    Date.parse((await get(`/api/keys/${id}`)).body.lastUsedAt) - time;
  assert.deepEqual([await lastUse(idle.id), await lastUse(busy.id)], [1_000, 3_000]);
});

test('a user has at most 50 API keys, expired ones included', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const [{ token, post, delete: remove }, other] = [await service.person(), await service.person()];
  const expiresAt = new Date(service.clock.now + 1).toISOString();
  const made = await Promise.all(Array.from({ length: 50 }, () => newKey(service, token, { expiresAt })));
  service.clock.advance(1);
  assertIssues(await post('/api/keys', wanted), 400, ['# max-keys']);
  await newKey(service, other.token);
  assert.equal((await remove(`/api/keys/${made[7].id}`)).status, 204);
  await newKey(service, token);
});
