// Deliveries: what is sent, in which order, from where, and what a pause, a replay or a restart does.
import { sampleOf } from '../../support/http-support.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { insideOnly } from '../../support/service.ts';
import { hooked, hour } from './delivery-support.ts';
import { isSignedWith, Receiver } from './receiver.ts';

describe('a webhook', insideOnly, () => {
  test('a webhook gets an event as the feed shows it, signed', async (t) => {
    const hook = await hooked(t);
    const [subject] = await hook.placeOrders(1);
    const received = await hook.receiver.next();
    const { data } = (await hook.call('GET', '/events?type=order.created')).body;
    assert.deepEqual(received.event, data[0]);
    assert.deepEqual([received.event.subject, received.path], [subject, '/hook']);
    const { headers } = received;
    assert.equal(headers['content-type'], 'application/json');
    assert.match(String(headers['user-agent']), /^orderly\/\d/);
    assert.match(String(headers['webhook-id']), new RegExp(`^evt_[0-9a-f]{16}_${data[0].id}$`));
    assert.equal(headers['webhook-timestamp'], String(hook.service.clock.now / 1000));
    assert.ok(isSignedWith(received, hook.secret));
    assert.ok(!isSignedWith({ ...received, text: `${received.text} ` }, hook.secret));
  });

  test('a webhook gets its types of events in order, one at a time, each saved before the next', async (t) => {
    const hook = await hooked(t);
    const placed = await hook.placeOrders(10);
    const got: string[] = [];
    let before = 0;
    while (got.length < placed.length) {
      const { event, answer } = await hook.receiver.next();
      const { position } = await hook.shown(); // a second request would have time to arrive
      assert.ok(position >= before && position < event.id, `${before} ${position} ${event.id}`);
      before = event.id;
      got.push(event.subject);
      assert.equal(hook.receiver.count, got.length);
      answer(200, {}, 'thank you');
    }
    assert.deepEqual(got, placed);
  });

  test('a webhook skips other types of events, and shows its position', async (t) => {
    const hook = await hooked(t, {}, { types: ['customer.deleted'] });
    await hook.placeOrders(3);
    const { lastStatus, lastAt } = await hook.settled();
    assert.deepEqual([lastStatus, lastAt, hook.receiver.count], [null, null, 0]);
  });

  test('a webhook shows its last response and its time, a second later', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(1);
    const { event, answer } = await hook.receiver.next();
    const sentAt = new Date(hook.service.clock.now).toISOString();
    answer(202);
    const shown = await hook.until(({ lastStatus }) => lastStatus !== null);
    const { lastAt, failingSince, position } = shown;
    assert.deepEqual([shown.lastStatus, lastAt, failingSince, position], [202, sentAt, null, event.id]);
  });

  test('a webhook misses nothing in a pause', async (t) => {
    const hook = await hooked(t);
    await hook.patch({ status: 'paused' });
    const placed = await hook.placeOrders(3);
    hook.service.clock.advance(2 * hour);
    placed.push(...(await hook.placeOrders(1)));
    assert.equal(hook.receiver.count, 0);
    await hook.patch({ status: 'enabled' });
    assert.deepEqual(await hook.receiver.take(4), placed);
  });

  test('a webhook sends nothing once it was paused or deleted, and aborts what it was sending', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(2);
    const received = await hook.receiver.next();
    const closed = once(received.response, 'close');
    await hook.patch({ status: 'paused' });
    await closed;
    await hook.patch({ status: 'enabled' });
    const again = await hook.receiver.next();
    assert.equal(again.headers['webhook-id'], received.headers['webhook-id']);
    const ended = once(again.response, 'close');
    await hook.call('DELETE', hook.path);
    await ended;
    await hook.placeOrders(1);
    assert.equal(hook.receiver.count, 2);
  });

  test('a webhook replays from an earlier position, skips to a later one, and continues at another URL', async (t) => {
    const hook = await hooked(t);
    const { position } = await hook.shown();
    const placed = await hook.placeOrders(3);
    assert.deepEqual(await hook.receiver.take(3), placed);
    await hook.settled();
    await hook.patch({ position });
    assert.deepEqual(await hook.receiver.take(3), placed);
    await hook.settled();
    await hook.patch({ status: 'paused' });
    await hook.placeOrders(2);
    await hook.patch({ status: 'enabled', position: await hook.latest() });
    const last = await hook.placeOrders(1);
    await hook.receiver.next();
    const other = await Receiver.start(t);
    await hook.patch({ url: other.url() });
    assert.deepEqual(await other.take(1), last);
  });

  test('a webhook signs with two secrets for a day after a rotation, then with the new one', async (t) => {
    const hook = await hooked(t);
    const { secret } = (await hook.call('POST', `${hook.path}/secrets`)).body;
    const rotatedAt = hook.service.clock.now;
    for (const [later, isSignedWithOld] of [
      [0, true],
      [24 * hour - 1, true],
      [24 * hour, false],
    ] as const) {
      hook.service.clock.now = rotatedAt + later;
      await hook.placeOrders(1);
      const received = await hook.receiver.next();
      received.answer(204);
      const signed = [hook.secret, secret].map((each) => isSignedWith(received, each));
      assert.deepEqual(signed, [isSignedWithOld, true]);
      await hook.settled();
    }
  });

  test('a webhook continues after a restart with the event that was not delivered, under the same id', async (t) => {
    const hook = await hooked(t);
    const placed = await hook.placeOrders(2);
    assert.deepEqual(await hook.receiver.take(1), placed.slice(0, 1));
    const received = await hook.receiver.next(); // the restart doesn't wait for its answer
    await hook.service.restart();
    const again = await hook.receiver.next();
    assert.equal(again.headers['webhook-id'], received.headers['webhook-id']);
    again.answer(204);
    assert.deepEqual(await hook.placeOrders(1), await hook.receiver.take(1));
    assert.equal(hook.receiver.count, 4);
  });

  test('a webhook does not delay another one, which receives the events of webhooks, too', async (t) => {
    const hook = await hooked(t);
    const other = await Receiver.start(t);
    const types = ['order.created', 'webhook.created', 'webhook.deleted'];
    await hook.call('POST', '/webhooks', { url: other.url(), types });
    const placed = await hook.placeOrders(3);
    await hook.receiver.next(); // never answered
    assert.deepEqual(await other.take(3), placed);
    await hook.call('DELETE', hook.path);
    const third = (await hook.call('POST', '/webhooks', { url: other.url(), types: ['user.deleted'] })).body;
    assert.deepEqual(await other.take(2), [hook.path, `/webhooks/${third.id}`]);
    assert.equal(hook.receiver.count, 1);
  });

  test('a receiver that is down for a day gets everything after it, in order', async (t) => {
    const hook = await hooked(t);
    const placed = await hook.placeOrders(1);
    const { clock } = hook.service;
    for (const end = clock.now + 24 * hour; clock.now < end;) {
      const delay = await hook.fail(503);
      placed.push(...(await hook.placeOrders(2)));
      clock.advance(delay);
    }
    assert.deepEqual(await hook.receiver.take(placed.length), placed);
    assert.equal((await hook.settled()).failingSince, null);
  });

  test('a webhook is in the metrics: deliveries by outcome, and how far behind it is', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(2);
    await hook.receiver.take(1);
    await hook.fail(500);
    for (const [sample, value] of [
      ['orderly_webhook_deliveries_total{outcome="delivered"}', 1],
      ['orderly_webhook_deliveries_total{outcome="rejected"}', 1],
      [`orderly_webhook_events_behind{webhook="${hook.id}"}`, 2],
    ] as const)
      assert.equal(await sampleOf(hook.service, sample), value);
  });
});
