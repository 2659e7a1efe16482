// Webhooks as a resource: creating, reading, changing and deleting them, and their secrets at rest.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventTypes } from '../../../src/features/events/event.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { insideOnly, serviceFor, type Person } from '../../support/service.ts';
import { assertIssues, newOrder, newWebhook, rootToken } from '../../support/resource-support.ts';

const url = 'https://hooks.example/orders';

describe('a webhook', () => {
  let token = '';
  const running = sharedService({}, async (service) => {
    token = await rootToken(service);
  });
  async function latestEvent(): Promise<number> {
    const { next } = (await running().get('/events?from=latest', { token })).body;
    await newOrder(running(), token);
    return (await running().get(next, { token })).body.data[0].id - 1;
  }
  async function removeAll(): Promise<void> {
    for (const { id } of (await running().get('/webhooks', { token })).body.data)
      await running().delete(`/webhooks/${id}`, { token });
  }

  test('a webhook shows its secret only once, and begins after the event of its creation', async () => {
    const service = running();
    await removeAll();
    const response = await service.post('/webhooks', { token, body: { url, types: ['order.paid'] } });
    assert.equal(response.status, 201);
    const { secret, ...shown } = response.body;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.equal(response.headers.location, `/webhooks/${shown.id}`);
    const { data } = (await service.get(`/events?type=webhook.created`, { token })).body;
    assert.deepEqual(shown, {
      id: shown.id,
      url,
      types: ['order.paid'],
      status: 'enabled',
      position: data.at(-1).id,
      lastStatus: null,
      lastAt: null,
      failingSince: null,
      lastError: null,
      lastErrorCode: null,
      retryAt: null,
      createdAt: '2026-03-01T09:30:00.000Z',
    });
    const read = await service.get(`/webhooks/${shown.id}`, { token });
    assert.deepEqual([read.body, read.headers.etag], [shown, response.headers.etag]);
    assert.deepEqual((await service.get('/webhooks', { token })).body, { data: [shown], next: null });
  });

  test('a webhook accepts every type of event', async () => {
    const { types } = await newWebhook(running(), token, { types: eventTypes });
    assert.deepEqual(types, eventTypes);
  });

  test('a webhook is not created with a secret, a status or too long a URL', async () => {
    const long = `${url}/${'x'.repeat(2_000)}`;
    const body = { url: long, types: ['order.paid', 'order.paid'], secret: 'whsec_x', status: 'enabled' };
    assertIssues(await running().post('/webhooks', { token, body }), 400, [
      '#/secret unknown-member',
      '#/status unknown-member',
      '#/types unique-items',
      '#/url max-length',
    ]);
  });

  test('a webhook is paused, moved, redirected to another URL and enabled by PATCH', async () => {
    const service = running();
    const { id, position, secret: _secret, ...made } = await newWebhook(service, token);
    const changes = [
      { status: 'paused' },
      { position: position - 1 },
      { url: 'https://other.example/', types: ['order.created'] },
      { status: 'enabled' },
    ];
    let expected = { id, position, ...made };
    for (const body of changes) {
      const { status, body: changed } = await service.patch(`/webhooks/${id}`, { token, body });
      expected = { ...expected, ...body };
      assert.deepEqual([status, changed], [200, expected]);
    }
  });

  test('a webhook stays unchanged by what GET showed, and by the same URL in another form', async () => {
    const service = running();
    const { secret: _secret, ...shown } = await newWebhook(service, token);
    const before = await service.get(`/webhooks/${shown.id}`, { token });
    for (const body of [shown, {}, { url: url.replace('https', 'HTTPS') }]) {
      const { status, headers } = await service.patch(`/webhooks/${shown.id}`, { token, body });
      assert.deepEqual([status, headers.etag], [200, before.headers.etag]);
    }
  });

  test('a webhook may be moved to the latest event, and not beyond', async () => {
    const { id } = await newWebhook(running(), token);
    await latestEvent();
    const path = `/webhooks/${id}`;
    const { data } = (await running().get('/events?limit=200', { token })).body;
    const latest = data.at(-1).id;
    const beyond = await running().patch(path, { token, body: { position: latest + 1 } });
    assertIssues(beyond, 400, ['#/position maximum']);
    assert.equal((await running().patch(path, { token, body: { position: latest } })).status, 200);
  });

  test('a webhook has a new ETag after each change, even one that restores it, and If-Match names no other', async () => {
    const { id } = await newWebhook(running(), token);
    const path = `/webhooks/${id}`;
    const tag = async (): Promise<string> => String((await running().get(path, { token })).headers.etag);
    const tags = [await tag()];
    const sent = (etag = '', body: object = {}) => ({ token, headers: { 'if-match': etag }, body });
    // a paused one has no progress, which changes the ETag, too
    for (const body of [{ status: 'paused' }, { url: `${url}2` }, { url }, { url: `${url}2` }]) {
      assert.equal((await running().patch(path, sent(tags.at(-1), body))).status, 200);
      tags.push(await tag());
    }
    assert.equal((await running().post(`${path}/secrets`, { token })).status, 201);
    tags.push(await tag());
    assert.equal(new Set(tags).size, 6);
    assertProblem(await running().patch(path, sent(tags[0])), 'precondition-failed');
    const headers = { 'if-match': String(tags[0]) };
    assertProblem(await running().delete(path, { token, headers }), 'precondition-failed');
  });

  test('a webhook is 404 once it is deleted', async () => {
    const { id } = await newWebhook(running(), token);
    assert.equal((await running().delete(`/webhooks/${id}`, { token })).status, 204);
    for (const path of [`/webhooks/${id}`, '/webhooks/0', '/webhooks/x'])
      assertProblem(await running().get(path, { token, isUndescribed: true }), 'not-found');
    assertProblem(await running().post(`/webhooks/${id}/secrets`, { token }), 'not-found');
  });

  test('a webhook is one of twenty at most', async () => {
    await removeAll();
    for (let count = 0; count < 20; count += 1) await newWebhook(running(), token);
    const body = { url, types: ['order.paid'] };
    assertIssues(await running().post('/webhooks', { token, body }), 400, ['# max-webhooks']);
    const { data } = (await running().get('/webhooks?limit=1', { token })).body;
    await running().delete(`/webhooks/${data[0].id}`, { token });
    await newWebhook(running(), token);
    await removeAll();
  });

  test('a webhook has another secret after each rotation, shown only once', async () => {
    const { id, secret } = await newWebhook(running(), token);
    const rotated = await running().post(`/webhooks/${id}/secrets`, { token });
    assert.deepEqual([rotated.status, rotated.headers.location], [201, `/webhooks/${id}`]);
    assert.equal(rotated.headers['cache-control'], 'no-store');
    assert.notEqual(rotated.body.secret, secret);
    assert.equal(rotated.body.previousEndsAt, '2026-03-02T09:30:00.000Z');
    assert.ok(!(await running().get(`/webhooks/${id}`, { token })).text.includes('whsec_'));
  });
});

test('events of webhooks are shown to administrators only, and contain no URL', async (t) => {
  const service = await serviceFor(t);
  const staff: Person = await service.person('staff');
  const token = await rootToken(service);
  const { id } = await newWebhook(service, token);
  await service.patch(`/webhooks/${id}`, {
    token,
    body: { url: 'https://eve.example/?key=1', status: 'paused' },
  });
  const { data } = (await service.get('/events?type=webhook.changed', { token })).body;
  assert.deepEqual(
    data.map(({ subject, changes }: { subject: string; changes: object }) => ({ subject, changes })),
    [{ subject: `/webhooks/${id}`, changes: { url: null, status: ['enabled', 'paused'] } }],
  );
  const types = '/events?type=webhook.created,webhook.changed';
  assert.deepEqual((await service.get(types, { token: staff.token })).body.data, []);
});

test('no file holds a secret of a webhook', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const token = await rootToken(service);
  const { id, secret } = await newWebhook(service, token);
  const { body } = await service.post(`/webhooks/${id}/secrets`, { token });
  for (const text of [secret, body.secret]) {
    const bytes = Buffer.from(text.slice(6), 'base64');
    for (const name of readdirSync(service.folder)) {
      const file = readFileSync(join(service.folder, name));
      assert.ok(!file.includes(bytes) && !file.includes(text.slice(6)), name);
    }
    assert.ok(!service.logged.join('').includes(text.slice(6)));
  }
});

test('a sign-in of more than 10 minutes ago is too old for any change of webhooks', insideOnly, async (t) => {
  const service = await serviceFor(t);
  let token = await rootToken(service);
  const path = `/webhooks/${(await newWebhook(service, token)).id}`;
  for (const [method, target, body] of [
    ['POST', '/webhooks', { url, types: ['order.paid'] }],
    ['PATCH', path, { status: 'paused' }],
    ['POST', `${path}/secrets`],
    ['DELETE', path],
  ] as const) {
    service.clock.advance(601_000);
    assertProblem(await service.call(method, target, { token, body }), 'step-up-required');
    token = await rootToken(service);
    const { status, text } = await service.call(method, target, { token, body });
    assert.ok(status < 300, text);
  }
});
