// API keys: creating, sending and deleting them, and what they may do.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scopes } from '../../../src/auth/access.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { insideOnly, password, serviceFor } from '../../support/service.ts';
import { assertIssues, idsIn, items, newKey, newOrder } from '../../support/resource-support.ts';
import { assertRejected } from './key-support.ts';

const yearMilliseconds = 365 * 86_400_000;

describe('creating an API key', () => {
  const running = sharedService();

  test('creating an API key shows the key only once, with its location and its expiry', async () => {
    const service = running();
    const { token } = await service.person();
    const made = await service.post('/api/keys', {
      token,
      body: { name: 'till 3', scopes: ['orders:read', 'customers:read'] },
    });
    assert.equal(made.status, 201);
    const { key, ...rest } = made.body;
    assert.deepEqual(Object.keys(rest), [
      'id',
      'name',
      'scopes',
      'createdAt',
      'expiresAt',
      'lastUsedAt',
      'prefix',
    ]);
    assert.match(key, new RegExp(`^ord_${rest.id}_[A-Za-z0-9_-]{43}$`));
    assert.ok(key.startsWith(rest.prefix) && rest.prefix.length < key.length - 32, rest.prefix);
    assert.equal(Date.parse(rest.expiresAt) - Date.parse(rest.createdAt), yearMilliseconds);
    assert.deepEqual([rest.lastUsedAt, rest.scopes], [null, ['orders:read', 'customers:read']]);
    assert.equal(made.headers['cache-control'], 'no-store');
    const read = await service.get(made.headers.location ?? '', { token });
    assert.deepEqual(read.body, rest);
    assert.equal(read.headers.etag, made.headers.etag);
    assert.deepEqual((await service.get('/api/keys', { token })).body.data, [rest]);
  });

  test('creating an API key accepts null for no expiry, and any future time', async () => {
    const service = running();
    const { token } = await service.person();
    for (const expiresAt of [null, '2999-12-31T23:59:59.999Z'])
      assert.equal((await newKey(service, token, { expiresAt })).expiresAt, expiresAt);
  });

  test('creating an API key with a past expiry, unknown scopes or members is rejected', async () => {
    const service = running();
    const { token } = await service.person();
    const body = { name: 'till', scopes: ['orders:read'] };
    const past = { ...body, expiresAt: '2020-01-01T00:00:00.000Z' };
    assertIssues(await service.post('/api/keys', { token, body: past }), 400, ['#/expiresAt minimum']);
    const twice = { ...body, scopes: ['orders:read', 'orders:read', 'everything'], id: 7, userId: 1 };
    assertIssues(await service.post('/api/keys', { token, body: twice }), 400, [
      '#/id unknown-member',
      '#/scopes unique-items',
      '#/scopes/2 enum',
      '#/userId unknown-member',
    ]);
  });
});

describe('an API key', () => {
  const running = sharedService();

  test('an API key is in the list of its user, which only an administrator sees besides', async () => {
    const service = running();
    const owner = await service.person();
    const { id } = await newKey(service, owner.token);
    const path = `/api/keys?userId=${owner.id}`;
    for (const role of ['user', 'staff', 'admin'] as const) {
      const { token } = await service.person(role);
      assert.deepEqual((await service.get('/api/keys', { token })).body.data, []);
      assertProblem(await service.get('/api/keys/4711', { token }), 'not-found');
      const response = await service.get(path, { token });
      if (role === 'admin') assert.deepEqual(idsIn(response), [id]);
      else assertProblem(response, 'forbidden');
    }
  });

  test('an API key acts as its user', async () => {
    const service = running();
    const [owner, other] = [await service.person(), await service.person()];
    const { key } = await newKey(service, owner.token, { scopes });
    const made = await newOrder(service, owner.token);
    const foreign = await newOrder(service, other.token);
    assert.deepEqual(idsIn(await service.get('/orders', { key })), [made.id]);
    assertProblem(await service.get(`/orders/${foreign.id}`, { key }), 'forbidden');
    const own = await service.post('/orders', {
      key,
      body: { customerId: made.customerId, currency: 'EUR', items },
    });
    assert.equal(own.body.userId, owner.id);
    assertProblem(await service.patch(`/orders/${made.id}`, { key, body: { status: 'paid' } }), 'forbidden');
  });

  test('an administrator’s API key with all scopes changes no password, address or role, and deletes nobody', async () => {
    const service = running();
    const [admin, other] = [await service.person('admin'), await service.person()];
    const { key } = await newKey(service, admin.token, { scopes });
    for (const { id, email } of [admin, other]) {
      const path = `/api/users/${id}`;
      const { role } = (await service.get(path, { key })).body;
      for (const change of [
        { password: 'another good password' },
        { email: `new.${email}` },
        { role: 'staff' },
      ]) {
        assertProblem(await service.patch(path, { key, body: change }), 'insufficient-scope');
        const body = { name: 'Ada', email, ...change };
        assertProblem(await service.put(path, { key, body }), 'insufficient-scope');
      }
      assertProblem(await service.delete(path, { key }), 'insufficient-scope');
      await service.signIn(email, password);
      // a member with its present value isn't a change
      const renamed = await service.patch(path, { key, body: { role, name: 'Renamed' } });
      assert.equal(renamed.body.name, 'Renamed');
    }
  });

  test('an administrator’s API key with all scopes creates only users with the role user', async () => {
    const service = running();
    const { key } = await newKey(service, (await service.person('admin')).token, { scopes });
    const body = { name: 'Eve', email: 'eve@example.com', password };
    for (const role of ['staff', 'admin'])
      assertProblem(await service.post('/api/users', { key, body: { ...body, role } }), 'insufficient-scope');
    assert.equal((await service.post('/api/users', { key, body: { ...body, role: 'user' } })).status, 201);
  });

  test('an API key is rejected from the next request after its deletion', async () => {
    const service = running();
    const { token } = await service.person();
    const [one, two] = [await newKey(service, token), await newKey(service, token)];
    for (const { key } of [one, two]) assert.equal((await service.get('/orders', { key })).status, 200);
    assert.equal((await service.delete(`/api/keys/${one.id}`, { token })).status, 204);
    assertRejected(await service.get('/orders', { key: one.key }));
    assert.equal((await service.get('/orders', { key: two.key })).status, 200);
    assertProblem(await service.get(`/api/keys/${one.id}`, { token }), 'not-found');
    assertProblem(await service.delete(`/api/keys/${one.id}`, { token }), 'not-found');
  });

  test('an API key is rejected from the moment it expires', insideOnly, async (t) => {
    const service = await serviceFor(t);
    const { email, token } = await service.person();
    const soon = await newKey(service, token, {
      expiresAt: new Date(service.clock.now + 60_000).toISOString(),
    });
    const [usual, never] = [await newKey(service, token), await newKey(service, token, { expiresAt: null })];
    service.clock.advance(59_999);
    assert.equal((await service.get('/orders', { key: soon.key })).status, 200);
    service.clock.advance(1);
    assertRejected(await service.get('/orders', { key: soon.key }));
    service.clock.advance(yearMilliseconds - 60_001);
    assert.equal((await service.get('/orders', { key: usual.key })).status, 200);
    service.clock.advance(1);
    assertRejected(await service.get('/orders', { key: usual.key }));
    assert.equal((await service.get('/orders', { key: never.key })).status, 200);
    const again = await service.signIn(email, password);
    // still to be seen, and to be deleted
    assert.equal((await service.get('/api/keys', { token: again.token })).body.data.length, 3);
  });

  test('an API key shows when it was last used, even if that was right before the service stopped', async (t) => {
    const service = await serviceFor(t);
    const person = await service.person();
    const { id, key, createdAt } = await newKey(service, person.token);
    const unused = await newKey(service, person.token);
    service.clock.advance(60_000);
    await service.get('/orders', { key });
    // A wrong key is no use of the right one.
    await service.get('/orders', { key: `${unused.key.slice(0, -1)}-` });
    await service.restart();
    const { token } = await service.signIn(person.email, password);
    const { lastUsedAt } = (await service.get(`/api/keys/${id}`, { token })).body;
    if (service.inside === undefined) assert.ok(lastUsedAt >= createdAt);
    else assert.equal(lastUsedAt, new Date(service.clock.now).toISOString());
    assert.equal((await service.get(`/api/keys/${unused.id}`, { token })).body.lastUsedAt, null);
    assert.equal((await service.get('/orders', { key })).status, 200);
  });
});

test('a user has at most 50 API keys, expired ones included', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const [{ token }, other] = [await service.person(), await service.person()];
  const expiresAt = new Date(service.clock.now + 1).toISOString();
  const made = await Promise.all(
    Array.from({ length: 50 }, () => newKey(service, token, { scopes: ['events:read'], expiresAt })),
  );
  service.clock.advance(1);
  const body = { name: 'one more', scopes: ['orders:read'] };
  assertIssues(await service.post('/api/keys', { token, body }), 400, ['# max-keys']);
  await newKey(service, other.token);
  assert.equal((await service.delete(`/api/keys/${made[7].id}`, { token })).status, 204);
  const now = new Date(service.clock.now).toISOString();
  assertIssues(await service.post('/api/keys', { token, body: { ...body, expiresAt: now } }), 400, [
    '#/expiresAt minimum', // one that expires now would be useless
  ]);
  await newKey(service, token);
});
