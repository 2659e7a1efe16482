// Webhooks as a resource: creating, reading, changing and deleting them, their secrets at rest, and without them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventTypes } from '../../../src/features/events/event.ts';
import { signedFields } from '../../../src/features/webhooks/signature.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import {
  assertInNoFile,
  assertIssues,
  newCustomer,
  newOrder,
  newWebhook,
  rootService,
  valuesIn,
} from '../../support/resource-support.ts';
import { insideOnly, type Person, type TestResponse } from '../../support/service.ts';

const wanted = { url: 'https://hooks.example/orders', types: ['order.paid'] };

describe('a webhook', () => {
  let root: Person;
  const running = sharedService({}, async (service) => {
    root = await service.root();
  });
  /** A new webhook as it is shown, and its path. */
  async function made(): Promise<{ readonly path: string; readonly shown: TestResponse['body'] }> {
    const { secret: _secret, ...shown } = await newWebhook(running(), root.token);
    return { path: `/webhooks/${shown.id}`, shown };
  }
  async function removeAll(): Promise<void> {
    for (const id of valuesIn(await root.get('/webhooks'), 'id')) await root.delete(`/webhooks/${id}`);
  }

  test('a webhook shows its secret only once, and begins after the event of its creation', async () => {
    await removeAll();
    const { status, headers, body } = await root.post('/webhooks', wanted);
    assert.equal(status, 201);
    const { secret, ...shown } = body;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers.location, `/webhooks/${shown.id}`);
    assert.deepEqual(shown, {
      id: shown.id,
      ...wanted,
      status: 'enabled',
      position: valuesIn(await root.get('/events?type=webhook.created'), 'id').at(-1),
      lastStatus: null,
      lastAt: null,
      failingSince: null,
      lastError: null,
      lastErrorCode: null,
      retryAt: null,
      createdAt: '2026-03-01T09:30:00.000Z',
    });
    const read = await root.get(`/webhooks/${shown.id}`);
    assert.deepEqual([read.body, read.headers.etag], [shown, headers.etag]);
    assert.deepEqual((await root.get('/webhooks')).body, { data: [shown], next: null });
  });

  test('a webhook is one of twenty at most, and accepts every type of event', async () => {
    await removeAll();
    assert.deepEqual((await root.post('/webhooks', { ...wanted, types: eventTypes })).body.types, eventTypes);
    for (let count = 1; count < 20; count += 1) await made();
    assertIssues(await root.post('/webhooks', wanted), 400, ['# max-webhooks']);
    const [id] = valuesIn(await root.get('/webhooks?limit=1'), 'id');
    await root.delete(`/webhooks/${id}`);
    await made();
    await removeAll();
  });

  test('a webhook stays unchanged by what GET showed, and by the same URL in another form', async () => {
    const { path, shown } = await made();
    const before = await root.get(path);
    for (const body of [shown, {}, { url: wanted.url.replace('https', 'HTTPS') }]) {
      const { status, headers } = await root.patch(path, body);
      assert.deepEqual([status, headers.etag], [200, before.headers.etag]);
    }
  });

  test('a webhook may be moved to the latest event, and not beyond', async () => {
    const { path } = await made();
    await newOrder(running(), root.token);
    const [latest] = valuesIn(await root.get('/events?sort=-id&limit=1'), 'id');
    const beyond = await root.patch(path, { position: Number(latest) + 1 });
    assertIssues(beyond, 400, ['#/position maximum']);
    assert.equal((await root.patch(path, { position: latest })).status, 200);
  });

  test('a webhook has a new ETag after each change, even one that restores it, and If-Match names no other', async () => {
    const { path } = await made();
    const { url } = wanted;
    const tag = async (): Promise<string> => String((await root.get(path)).headers.etag);
    const tags = [await tag()];
    // a paused one has no progress, which changes the ETag, too
    for (const body of [{ status: 'paused' }, { url: `${url}2` }, { url }, { url: `${url}2` }]) {
      assert.equal((await root.patch(path, body, { 'if-match': tags.at(-1) ?? '' })).status, 200);
      tags.push(await tag());
    }
    assert.equal((await root.post(`${path}/secrets`)).status, 201);
    tags.push(await tag());
    assert.equal(new Set(tags).size, 6);
    const stale = { 'if-match': tags[0] ?? '' };
    assertProblem(await root.patch(path, {}, stale), 'precondition-failed');
    assertProblem(await root.delete(path, stale), 'precondition-failed');
  });

  test('a webhook has another secret after each rotation, shown only once, and none once it is deleted', async () => {
    const { id, secret } = await newWebhook(running(), root.token);
    const path = `/webhooks/${id}`;
    const { status, headers, body } = await root.post(`${path}/secrets`);
    assert.deepEqual([status, headers.location, headers['cache-control']], [201, path, 'no-store']);
    assert.notEqual(body.secret, secret);
    assert.equal(body.previousEndsAt, '2026-03-02T09:30:00.000Z');
    assert.ok(!(await root.get(path)).text.includes('whsec_'));
    assert.equal((await root.delete(path)).status, 204);
    assertProblem(await root.get(path), 'not-found');
    assertProblem(await root.post(`${path}/secrets`), 'not-found');
  });
});

test('events of webhooks are shown to administrators only, and contain no URL', async (t) => {
  const { service, root, token } = await rootService(t);
  const staff = await service.person('staff');
  const { id } = await newWebhook(service, token);
  await root.patch(`/webhooks/${id}`, { url: 'https://eve.example/?key=1', status: 'paused' });
  const changed = await root.get('/events?type=webhook.changed');
  const changes = { url: null, status: ['enabled', 'paused'] };
  assert.deepEqual(valuesIn(changed, 'subject', 'changes'), [[`/webhooks/${id}`, changes]]);
  const own = await staff.get('/events?type=webhook.created,webhook.changed');
  assert.deepEqual(own.body.data, []);
});

test('no file holds a secret of a webhook', insideOnly, async (t) => {
  const { service, root, token } = await rootService(t);
  const { id, secret } = await newWebhook(service, token);
  const { body } = await root.post(`/webhooks/${id}/secrets`);
  for (const text of [secret.slice(6), body.secret.slice(6)]) {
    assertInNoFile(service.folder, [text, Buffer.from(text, 'base64')]);
    assert.ok(!service.logged.join('').includes(text));
  }
});

test('a sign-in of more than 10 minutes ago is too old for any change of webhooks', insideOnly, async (t) => {
  const { service, token } = await rootService(t);
  const path = `/webhooks/${(await newWebhook(service, token)).id}`;
  let recent = token;
  for (const [method, target, body] of [
    ['POST', '/webhooks', wanted],
    ['PATCH', path, { status: 'paused' }],
    ['POST', `${path}/secrets`],
    ['DELETE', path],
  ] as const) {
    service.clock.advance(601_000);
    assertProblem(await service.call(method, target, { token: recent, body }), 'step-up-required');
    recent = (await service.root()).token;
    const { status, text } = await service.call(method, target, { token: recent, body });
    assert.ok(status < 300, text);
  }
});

test('a service without webhooks shows nothing of them, and keeps their rows', insideOnly, async (t) => {
  const { service, token } = await rootService(t);
  const { url } = await newWebhook(service, token);
  await service.stop();

  const { folder } = service;
  const without = await rootService(t, { folder, settings: { without: 'webhooks,console,history' } });
  const { body } = await without.root.get('/openapi.json');
  assert.deepEqual(body.webhooks, {});
  assert.ok(!JSON.stringify(body.tags).includes('Webhooks'));
  assert.doesNotMatch((await without.root.get('/metrics')).text, /webhook/);
  const { id } = await newCustomer(without.service, without.token);
  await without.service.stop();

  const { root } = await rootService(t, { folder });
  assert.deepEqual(valuesIn(await root.get('/webhooks'), 'url'), [url]);
  assert.deepEqual(valuesIn(await root.get(`/customers/${id}/events`), 'type'), ['customer.created']);
});

// with the test vector of the reference libraries
test('a delivery is signed like by the reference libraries of Standard Webhooks', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  assert.equal(signedFields(message, [secret])['webhook-signature'], signature);
  const both = signedFields(message, [Buffer.from('another secret of 24 bytes'), secret]);
  assert.match(both['webhook-signature'] ?? '', /^v1,[\w+/]{43}= v1,g0hM9SsE/);
});
