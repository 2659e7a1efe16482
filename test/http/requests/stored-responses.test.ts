// Responses stored for Idempotency-Key: how long, who gets them again, and which parts reach the disk.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createPasswordHasher } from '../../../src/auth/password.ts';
import { assertProblem, assertStatus, proxiedFrom, sharedService } from '../../support/http-support.ts';
import { isReplay, newCustomer, newOrder, rootToken, withKey } from '../../support/resource-support.ts';
import { insideOnly, password, serviceFor, type TestResponse } from '../../support/service.ts';
import { sendHalf } from '../../support/withdrawn-support.ts';

const dayMilliseconds = 24 * 3600 * 1000;

test('a response is stored for 24 hours, and not a millisecond longer', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { cleanup, database } = service.inside ?? assert.fail('it is skipped otherwise');
  const { email, password: secret } = await service.person();
  const send = async (): Promise<TestResponse> => {
    const { token } = await service.signIn(email, secret);
    return service.post('/customers', { token, headers: withKey('a-day'), body: { name: 'Ada' } });
  };
  const storedRows = async (): Promise<unknown> => {
    await cleanup.run();
    return database.read.get('SELECT count(*) FROM storedResponses')?.[0];
  };
  const first = await send();
  service.clock.advance(dayMilliseconds - 1);
  assert.equal((await send()).text, first.text);
  assert.equal(await storedRows(), 1);
  service.clock.advance(1);
  const second = await send();
  assert.deepEqual([second.status, isReplay(second), second.body.id === first.body.id], [201, false, false]);
  assert.equal((await send()).text, second.text);
  service.clock.advance(dayMilliseconds);
  assert.equal(await storedRows(), 0);
});

describe('a stored response is replayed only to a caller who may still read it:', () => {
  const service = sharedService();
  const headers = withKey('shown-once');
  /** Sends the request, and once more for its replay; returns how to send it again. */
  async function sendTwice(line: string, body: object, token?: string) {
    const [method = '', path = ''] = line.split(' ');
    const send = (): Promise<TestResponse> => service().call(method, path, { token, body, headers });
    const first = await send();
    assert.ok(first.status < 300, first.text);
    assert.ok(isReplay(await send()));
    return { send, id: first.body.id };
  }
  const change = async (path: string, body: object): Promise<void> =>
    assertStatus(service().patch(path, { token: await rootToken(service()), body }), 200);
  const account = (name: string): object => ({ name, email: `${name}@example.com`, password });

  test('the stored response of an account is not replayed to an administrator who is only staff now', async () => {
    const { id, token } = await service().person('admin');
    const { send } = await sendTwice('POST /api/users', account('grace'), token);
    await change(`/api/users/${id}`, { role: 'staff' });
    assertProblem(await send(), 'forbidden');
  });

  test('the stored response of a sign-up goes with the account', async () => {
    const { send, id } = await sendTwice('POST /api/users', account('gone'));
    const { token } = await service().signIn('gone@example.com', password);
    await assertStatus(service().delete(`/api/users/${id}`, { token }), 204);
    const again = await send();
    assert.deepEqual([again.status, isReplay(again), again.body.id === id], [201, false, false]);
  });

  test('the stored response of a customer is not replayed once another user owns the customer', async () => {
    const [owner, heir] = [await service().person(), await service().person()];
    const { send, id } = await sendTwice('POST /customers', { name: 'Grace' }, owner.token);
    await change(`/customers/${id}`, { userId: heir.id });
    assertProblem(await send(), 'forbidden');
    await change(`/customers/${id}`, { userId: owner.id });
    assert.ok(isReplay(await send()));
    await assertStatus(service().delete(`/customers/${id}`, { token: owner.token }), 204);
    assert.ok(isReplay(await send())); // it is about nobody else's
  });

  test('the stored response of a change by staff is not replayed to a caller who is no longer staff, even once the body has arrived', async () => {
    const [owner, staff] = [await service().person(), await service().person('staff')];
    const { id } = await newOrder(service(), owner.token);
    const body = { status: 'paid' };
    const { send } = await sendTwice(`PATCH /orders/${id}`, body, staff.token);
    const fields = `Authorization: Bearer ${staff.token}\r\nIdempotency-Key: shown-once\r\n`;
    const head = `PATCH /orders/${id} HTTP/1.1\r\n${fields}`;
    const { sendRest } = await sendHalf(service(), { head, body: JSON.stringify(body) });
    await change(`/api/users/${staff.id}`, { role: 'user' });
    assertProblem(await sendRest(), 'forbidden');
    assertProblem(await send(), 'forbidden');
  });

  test('a sign-up of another user is replayed, though its caller may not read that user', async () => {
    const { token } = await service().person();
    const { id } = await sendTwice('POST /api/users', account('eve'), token);
    assertProblem(await service().get(`/api/users/${id}`, { token }), 'forbidden');
  });
});

test('a secret that is replaced breaks neither repeated requests nor cursors', async (t) => {
  const [old, young] = ['o'.repeat(32), 'y'.repeat(32)];
  let folder: string | undefined;
  const start = async (secrets: string) => {
    const settings = { 'public-url': 'https://orders.example.com', 'jwt-secrets': secrets };
    const service = await serviceFor(t, { settings, ...(folder === undefined ? {} : { folder }) });
    folder = service.folder;
    return service;
  };
  const first = await start(old);
  const { token } = await first.person();
  const sent = { token, body: { name: 'Grace' }, headers: withKey('rotated') };
  const made = await first.post('/customers', sent);
  for (let index = 0; index < 2; index += 1) await newCustomer(first, token);
  const { next } = (await first.get('/customers?limit=1', { token })).body;
  await first.stop();
  const second = await start(`${young},${old}`);
  const again = await second.post('/customers', sent);
  assert.deepEqual([isReplay(again), again.text], [true, made.text]);
  const other = await second.post('/customers', { ...sent, body: { name: 'Ada' } });
  assertProblem(other, 'idempotency-key-reused');
  assert.equal((await second.get(next, { token })).body.data.length, 1);
  const root = await rootToken(second);
  await second.stop();
  const third = await start(young);
  await assertStatus(third.get(next, { token: root }), 200, 'a cursor needs no secret');
});

test('without a credential, addresses are the principals', async (t) => {
  const service = await serviceFor(t, { settings: { 'trusted-proxy': '127.0.0.1' } });
  const body = { name: 'Ada', email: 'ada@example.com', password };
  const send = (address: string): Promise<TestResponse> =>
    service.post('/api/users', { headers: { ...withKey('sign-up'), ...proxiedFrom(address) }, body });
  const first = await send('203.0.113.1');
  assert.equal(first.status, 201);
  assert.equal((await send('203.0.113.1')).text, first.text);
  assertProblem(await send('203.0.113.2'), 'email-taken');
});

test('a request that failed with 500 isn’t stored', insideOnly, async (t) => {
  const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } });
  t.after(() => hasher.close());
  let failures = 0;
  const hash = (secret: string): Promise<string> =>
    secret !== password || (failures += 1) > 1 ? hasher.hash(secret) : Promise.reject(new Error('broken'));
  const service = await serviceFor(t, { hasher: { ...hasher, hash } });
  const body = { name: 'Ada', email: 'ada@example.com', password };
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
  await assertStatus(service.post('/api/users', { headers: withKey('a-secret-key'), body }), 201);
  const digests = ['sha1', 'sha256', 'sha512', 'md5'].flatMap((algorithm) =>
    [body, secret].map((text) => createHash(algorithm).update(text).digest()),
  );
  const written = (['hex', 'base64', 'base64url'] as const).flatMap((encoding) =>
    digests.map((digest) => digest.toString(encoding)),
  );
  const traces = [...digests, ...written, secret, Buffer.from(secret).toString('base64').slice(0, 20)];
  for (const isStopped of [false, true]) {
    if (isStopped) await service.stop();
    const names = readdirSync(service.folder).filter((name) => name.startsWith('orderly.db'));
    const files = names.map((name) => readFileSync(join(service.folder, name)));
    assert.ok(files.join().includes('ada@example.com'), 'the user is there');
    for (const trace of traces) assert.ok(files.every((bytes) => !bytes.includes(trace)));
    assert.ok(!service.logged.join('\n').includes(secret));
  }
});
