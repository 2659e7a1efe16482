// Deliveries: what is sent, in which order, from where, and what a pause, a replay or a restart does.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { insideOnly } from '../../support/service.ts';
import { Hooked, fail, hour } from './delivery-support.ts';
import { isSignedWith, Receiver, type Received } from './receiver.ts';

/** Takes the next requests, and returns their events. */
async function take(receiver: Receiver, count: number): Promise<string[]> {
  const subjects: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const received = await receiver.next();
    subjects.push(received.event.subject);
    received.answer(204);
  }
  return subjects;
}

describe('a webhook', insideOnly, () => {
  test('a webhook gets an event as the feed shows it, signed', async (t) => {
    const hook = await Hooked.start(t);
    const [subject] = await hook.placeOrders(1);
    const received = await hook.receiver.next();
    const { data } = (await hook.call('GET', '/events?type=order.created')).body;
    assert.deepEqual(received.event, data[0]);
    assert.equal(received.event.subject, subject);
    assert.equal(received.path, '/hook');
    const { headers } = received;
    assert.equal(headers['content-type'], 'application/json');
    assert.match(String(headers['user-agent']), /^orderly\/\d/);
    assert.match(String(headers['webhook-id']), new RegExp(`^evt_[0-9a-f]{16}_${data[0].id}$`));
    assert.equal(headers['webhook-timestamp'], String(hook.service.clock.now / 1000));
    assert.ok(isSignedWith(received, hook.secret));
    assert.ok(!isSignedWith({ ...received, text: `${received.text} ` }, hook.secret));
  });

  test('a webhook gets its types of events in order, one request at a time', async (t) => {
    const hook = await Hooked.start(t);
    const placed = await hook.placeOrders(30);
    const got: string[] = [];
    for (let index = 0; index < placed.length; index += 1) {
      const received = await hook.receiver.next();
      await hook.call('GET', '/orders'); // a second request would have time to arrive
      assert.equal(hook.receiver.count, index + 1);
      got.push(received.event.subject);
      received.answer(200, {}, 'thank you');
    }
    assert.deepEqual(got, placed);
  });

  test('a webhook skips other types of events, and shows its position', async (t) => {
    const hook = await Hooked.start(t, {}, { types: ['customer.deleted'] });
    await hook.placeOrders(3);
    const shown = await hook.settled();
    assert.deepEqual([shown.lastStatus, shown.lastAt, hook.receiver.count], [null, null, 0]);
  });

  test('a webhook shows its last response and its time, a second later', async (t) => {
    const hook = await Hooked.start(t);
    await hook.placeOrders(1);
    const received = await hook.receiver.next();
    const sentAt = new Date(hook.service.clock.now).toISOString();
    received.answer(202);
    const shown = await hook.until(({ lastStatus }) => lastStatus !== null);
    assert.deepEqual([shown.lastStatus, shown.lastAt, shown.failingSince], [202, sentAt, null]);
    assert.equal(shown.position, received.event.id);
  });

  test('a webhook misses nothing in a pause', async (t) => {
    const hook = await Hooked.start(t);
    await hook.patch({ status: 'paused' });
    const placed = await hook.placeOrders(3);
    hook.service.clock.advance(2 * hour);
    await hook.placeOrders(1);
    assert.equal(hook.receiver.count, 0);
    await hook.patch({ status: 'enabled' });
    assert.deepEqual((await take(hook.receiver, 4)).slice(0, 3), placed);
  });

  test('a webhook sends nothing once it was paused or deleted, and aborts what it was sending', async (t) => {
    const hook = await Hooked.start(t);
    await hook.placeOrders(2);
    const received = await hook.receiver.next();
    const closed = new Promise((resolve) => received.response.on('close', resolve));
    await hook.patch({ status: 'paused' });
    await closed;
    await hook.patch({ status: 'enabled' });
    const again = await hook.receiver.next();
    assert.equal(again.headers['webhook-id'], received.headers['webhook-id']);
    const ended = new Promise((resolve) => again.response.on('close', resolve));
    await hook.call('DELETE', hook.path);
    await ended;
    await hook.placeOrders(1);
    assert.equal(hook.receiver.count, 2);
  });

  test('a webhook replays from an earlier position, and skips to a later one', async (t) => {
    const hook = await Hooked.start(t);
    const { position } = (await hook.call('GET', hook.path)).body;
    const placed = await hook.placeOrders(3);
    assert.deepEqual(await take(hook.receiver, 3), placed);
    await hook.settled();
    await hook.patch({ position });
    assert.deepEqual(await take(hook.receiver, 3), placed);
    await hook.settled();
    await hook.patch({ status: 'paused' });
    await hook.placeOrders(2);
    await hook.patch({ status: 'enabled', position: await hook.latest() });
    const [last] = await hook.placeOrders(1);
    assert.deepEqual(await take(hook.receiver, 1), [last]);
  });

  test('a webhook continues at another URL immediately', async (t) => {
    const hook = await Hooked.start(t);
    const other = await Receiver.start(t);
    const [subject] = await hook.placeOrders(1);
    await hook.receiver.next();
    await hook.patch({ url: other.url() });
    assert.deepEqual(await take(other, 1), [subject]);
  });

  test('a webhook signs with two secrets for a day after a rotation, then with the new one', async (t) => {
    const hook = await Hooked.start(t);
    const { secret } = (await hook.call('POST', `${hook.path}/secrets`)).body;
    const rotatedAt = hook.service.clock.now;
    const signedBy = (received: Received): boolean[] => {
      received.answer(204);
      return [hook.secret, secret].map((each) => isSignedWith(received, each));
    };
    await hook.placeOrders(1);
    assert.deepEqual(signedBy(await hook.receiver.next()), [true, true]);
    await hook.settled();
    hook.service.clock.now = rotatedAt + 24 * hour - 1;
    await hook.placeOrders(1);
    assert.deepEqual(signedBy(await hook.receiver.next()), [true, true]);
    await hook.settled();
    hook.service.clock.now = rotatedAt + 24 * hour;
    await hook.placeOrders(1);
    assert.deepEqual(signedBy(await hook.receiver.next()), [false, true]);
  });

  test('a webhook continues after a restart with the event that was not delivered, under the same id', async (t) => {
    const hook = await Hooked.start(t);
    const placed = await hook.placeOrders(2);
    assert.deepEqual(await take(hook.receiver, 1), placed.slice(0, 1));
    const received = await hook.receiver.next(); // the restart doesn't wait for its answer
    await hook.service.restart();
    const again = await hook.receiver.next();
    assert.equal(again.headers['webhook-id'], received.headers['webhook-id']);
    again.answer(204);
    assert.deepEqual(await hook.placeOrders(1), await take(hook.receiver, 1));
    assert.equal(hook.receiver.count, 4);
  });

  test('a webhook does not delay another one', async (t) => {
    const hook = await Hooked.start(t);
    const other = await Receiver.start(t);
    await hook.call('POST', '/webhooks', { url: other.url(), types: ['order.created'] });
    const placed = await hook.placeOrders(3);
    await hook.receiver.next(); // never answered
    assert.deepEqual(await take(other, 3), placed);
    assert.equal(hook.receiver.count, 1);
  });

  test('a webhook receives the events of other webhooks', async (t) => {
    const hook = await Hooked.start(t, {}, { types: ['webhook.created', 'webhook.deleted'] });
    const { id } = (
      await hook.call('POST', '/webhooks', { url: hook.receiver.url(), types: ['user.deleted'] })
    ).body;
    await hook.call('DELETE', `/webhooks/${id}`);
    assert.deepEqual(await take(hook.receiver, 2), [`/webhooks/${id}`, `/webhooks/${id}`]);
  });
});

test('a receiver that is down for a day gets everything after it, in order', insideOnly, async (t) => {
  const hook = await Hooked.start(t);
  const placed = await hook.placeOrders(1);
  const { clock } = hook.service;
  const end = clock.now + 24 * hour;
  for (;;) {
    const received = await hook.receiver.next();
    if (clock.now >= end) {
      received.answer(204);
      break;
    }
    received.answer(503);
    const delay = await hook.retryDelay();
    placed.push(...(await hook.placeOrders(2)));
    clock.advance(delay);
  }
  const got = await take(hook.receiver, placed.length - 1);
  assert.deepEqual([placed[0], ...got], placed);
  const { failingSince } = await hook.settled();
  assert.equal(failingSince, null);
});

test('a delivery is saved before the next one is sent', insideOnly, async (t) => {
  const hook = await Hooked.start(t);
  await hook.placeOrders(3);
  let before = 0;
  for (let count = 0; count < 3; count += 1) {
    const { event, answer } = await hook.receiver.next();
    const { position } = (await hook.call('GET', hook.path)).body;
    assert.ok(position >= before && position < event.id, `${before} ${position} ${event.id}`);
    before = event.id;
    answer(204);
  }
});

test('metrics show deliveries by outcome, and how far behind each webhook is', insideOnly, async (t) => {
  const hook = await Hooked.start(t);
  await hook.placeOrders(2);
  (await hook.receiver.next()).answer(204);
  await fail(hook, 500);
  const { text } = await hook.service.get('/metrics');
  assert.match(text, /^orderly_webhook_deliveries_total\{outcome="delivered"\} 1$/m);
  assert.match(text, /^orderly_webhook_deliveries_total\{outcome="rejected"\} 1$/m);
  assert.match(text, new RegExp(`^orderly_webhook_events_behind\\{webhook="${hook.id}"\\} 2$`, 'm'));
});
