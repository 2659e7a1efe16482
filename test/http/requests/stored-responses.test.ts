// Responses stored for Idempotency-Key: how long, who gets them again, and which parts reach the disk.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createPasswordHasher } from '../../../src/auth/password.ts';
import { isReplay, newCustomer, newOrder, rootToken, withKey } from '../../support/resource-support.ts';
import { insideOnly, password, serviceFor, type TestResponse } from '../../support/service.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { sendHalf } from '../../support/withdrawn-support.ts';

const daySeconds = 24 * 3600;

test('a response is stored for 24 hours, and not a millisecond longer', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { inside } = service;
  assert(inside !== undefined, 'it is skipped otherwise');
  const { email, password: secret } = await service.person();
  const send = async (): Promise<TestResponse> => {
    const { token } = await service.signIn(email, secret);
    return service.post('/customers', { token, headers: withKey('a-day'), body: { name: 'Ada' } });
  };
  const storedRows = (): unknown => inside.database.read.get('SELECT count(*) FROM storedResponses')?.[0];
  const first = await send();
  service.clock.advance(daySeconds * 1000 - 1);
  assert.equal((await send()).text, first.text);
  await inside.app.cleanup.run();
  assert.equal(storedRows(), 1);
  service.clock.advance(1);
  const second = await send();
  assert.deepEqual([second.status, isReplay(second), second.body.id === first.body.id], [201, false, false]);
  assert.equal((await send()).text, second.text);
  service.clock.advance(daySeconds * 1000);
  await inside.app.cleanup.run();
  assert.equal(storedRows(), 0);
});

describe('a stored response is replayed only to a caller who may still read it:', () => {
  const service = sharedService();
  const headers = withKey('shown-once');

  test('the stored response of an account is not replayed to an administrator who is only staff now', async () => {
    const [one, two] = [await service().person('admin'), await service().person('admin')];
    const body = { name: 'Grace', email: 'grace-replayed@example.com', password };
    const send = (): Promise<TestResponse> =>
      service().post('/api/users', { token: one.token, body, headers });
    await assertStatus(send(), 201);
    assert.ok(isReplay(await send()));
    await service().patch(`/api/users/${one.id}`, { token: two.token, body: { role: 'staff' } });
    assertProblem(await send(), 'forbidden');
  });

  test('the stored response of a sign-up goes with the account', async () => {
    const body = { name: 'Grace', email: 'grace-deleted@example.com', password };
    const send = (): Promise<TestResponse> => service().post('/api/users', { body, headers });
    const first = await send();
    assert.ok(isReplay(await send()));
    const { id, token } = await service().signIn(body.email, password);
    await assertStatus(service().delete(`/api/users/${id}`, { token }), 204);
    const second = await send();
    assert.deepEqual(
      [second.status, isReplay(second), second.body.id === first.body.id],
      [201, false, false],
    );
  });

  test('the stored response of a customer is not replayed once another user owns the customer', async () => {
    const [owner, heir, staff] = [
      await service().person(),
      await service().person(),
      await service().person('staff'),
    ];
    const send = (): Promise<TestResponse> =>
      service().post('/customers', { token: owner.token, body: { name: 'Grace' }, headers });
    const { id } = (await send()).body;
    assert.ok(isReplay(await send()));
    const body = { userId: heir.id };
    await service().patch(`/customers/${id}`, { token: staff.token, body });
    assertProblem(await service().get(`/customers/${id}`, { token: owner.token }), 'forbidden');
    assertProblem(await send(), 'forbidden');
    await service().patch(`/customers/${id}`, { token: staff.token, body: { userId: owner.id } });
    assert.ok(isReplay(await send()));
    await assertStatus(service().delete(`/customers/${id}`, { token: owner.token }), 204);
    assert.ok(isReplay(await send())); // it is about nobody else's
  });

  test('the stored response of a change by staff is not replayed to a caller who is no longer staff, even once the body has arrived', async () => {
    const [owner, staff] = [await service().person(), await service().person('staff')];
    const order = await newOrder(service(), owner.token);
    const body = { status: 'paid' };
    const send = (): Promise<TestResponse> =>
      service().patch(`/orders/${order.id}`, { token: staff.token, body, headers });
    await send();
    assert.ok(isReplay(await send()));
    const head =
      `PATCH /orders/${order.id} HTTP/1.1\r\nAuthorization: Bearer ${staff.token}\r\n` +
      'Idempotency-Key: shown-once\r\n';
    const { sendRest } = await sendHalf(service(), { head, body: JSON.stringify(body) });
    const token = await rootToken(service());
    await service().patch(`/api/users/${staff.id}`, { token, body: { role: 'user' } });
    assertProblem(await sendRest(), 'forbidden');
    assertProblem(await send(), 'forbidden');
  });

  test('a sign-up of another user is replayed, though its caller may not read that user', async () => {
    const { token } = await service().person();
    const body = { name: 'Eve', email: 'eve.again@example.com', password };
    const send = (): Promise<TestResponse> => service().post('/api/users', { token, body, headers });
    const { id } = (await send()).body;
    assertProblem(await service().get(`/api/users/${id}`, { token }), 'forbidden');
    assert.ok(isReplay(await send()));
  });
});

test('a secret that is replaced breaks neither repeated requests nor cursors', async (t) => {
  const [old, young] = ['o'.repeat(32), 'y'.repeat(32)];
  const settings = { 'public-url': 'https://orders.example.com' };
  const first = await serviceFor(t, { settings: { ...settings, 'jwt-secrets': old } });
  const { token } = await first.person();
  const sent = { token, body: { name: 'Grace' }, headers: withKey('rotated') };
  const made = await first.post('/customers', sent);
  for (let index = 0; index < 2; index += 1) await newCustomer(first, token);
  const { next } = (await first.get('/customers?limit=1', { token })).body;
  await first.stop();
  const { folder } = first;
  const second = await serviceFor(t, { folder, settings: { ...settings, 'jwt-secrets': `${young},${old}` } });
  const again = await second.post('/customers', sent);
  assert.ok(isReplay(again), again.text);
  assert.equal(again.text, made.text);
  const other = await second.post('/customers', { ...sent, body: { name: 'Ada' } });
  assertProblem(other, 'idempotency-key-reused', 422);
  const page = await second.get(next, { token });
  assert.equal(page.body.data.length, 1, page.text);
  const { email, password: secret } = second.admin;
  const { token: root } = await second.signIn(email, secret);
  await second.stop();
  const third = await serviceFor(t, { folder, settings: { ...settings, 'jwt-secrets': young } });
  await assertStatus(third.get(next, { token: root }), 200, 'a cursor needs no secret');
});

test('without a credential, addresses are the principals', async (t) => {
  const service = await serviceFor(t, { settings: { 'trusted-proxy': '127.0.0.1' } });
  const send = (address: string): Promise<TestResponse> =>
    service.post('/api/users', {
      headers: { ...withKey('sign-up'), 'x-forwarded-proto': 'https', 'x-forwarded-for': address },
      body: { name: 'Ada', email: 'ada@example.com', password },
    });
  const first = await send('203.0.113.1');
  assert.equal(first.status, 201);
  assert.equal((await send('203.0.113.1')).text, first.text);
  assertProblem(await send('203.0.113.2'), 'email-taken');
});

test('a request that failed with 500 isn’t stored', insideOnly, async (t) => {
  const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } });
  t.after(() => hasher.close());
  let failures = 0;
  const failing = {
    ...hasher,
    hash: (secret: string) =>
      secret === 'fails the first time' && (failures += 1) === 1
        ? Promise.reject(new Error('broken'))
        : hasher.hash(secret),
  };
  const service = await serviceFor(t, { hasher: failing });
  const body = { name: 'Ada', email: 'ada@example.com', password: 'fails the first time' };
  const send = (): Promise<TestResponse> => service.post('/api/users', { headers: withKey('fails'), body });
  assertProblem(await send(), 'internal-error');
  const second = await send();
  assert.deepEqual([second.status, isReplay(second)], [201, false]);
  assert.ok(isReplay(await send()));
});

test('neither a password nor a plain digest of the body that held it reaches the disk', async (t) => {
  const service = await serviceFor(t);
  const secret = 'Xyzzy-hunter2-plugh';
  const body = JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: secret });
  const response = await service.post('/api/users', { headers: withKey('a-secret-key'), body });
  assert.equal(response.status, 201, response.text);
  const digests = ['sha1', 'sha256', 'sha512', 'md5'].flatMap((algorithm) =>
    [body, secret].map((text) => createHash(algorithm).update(text).digest()),
  );
  const written = (['hex', 'base64', 'base64url'] as const).flatMap((encoding) =>
    digests.map((digest) => digest.toString(encoding)),
  );
  const traces = [...digests, ...written, secret, Buffer.from(secret).toString('base64').slice(0, 20)];
  const check = (): void => {
    const files = readdirSync(service.folder)
      .filter((name) => name.startsWith('orderly.db'))
      .map((name) => readFileSync(join(service.folder, name)));
    assert.ok(files.join().includes('ada@example.com'), 'the user is there');
    for (const trace of traces) assert.ok(files.every((bytes) => !bytes.includes(trace)));
    assert.ok(!service.logged.join('\n').includes(secret));
  };
  check();
  await service.stop();
  check();
});
