// Deliveries that fail: when they are retried, what ends them, and how receivers can’t interfere.
import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { assertIssues } from '../../support/resource-support.ts';
import { insideOnly } from '../../support/service.ts';
import { hooked, hour, minute, second } from './delivery-support.ts';
import { Receiver } from './receiver.ts';

const delays = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];

describe('a delivery that fails', insideOnly, () => {
  test('a failed delivery is retried nine times over three days, each up to a tenth later, then no more', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(2);
    const { clock } = hook.service;
    const ids = new Set<unknown>();
    const failingSince = new Date(clock.now).toISOString();
    for (const [index, delay] of delays.entries()) {
      const { headers, answer } = await hook.receiver.next();
      ids.add(headers['webhook-id']);
      assert.equal(headers['webhook-timestamp'], String(Math.floor(clock.now / 1000)));
      answer(500);
      const wait = await hook.retryDelay();
      assert.ok(wait >= delay && wait <= delay * 1.1, `${index}: ${wait}`);
      clock.advance(wait - 1);
      assert.equal(hook.receiver.count, index + 1);
      clock.advance(1);
    }
    (await hook.receiver.next()).answer(500);
    const reason = await hook.disabledReason();
    assert.match(reason, /^Event \d+ could not be delivered in 10 attempts: status 500\.$/);
    const shown = await hook.shown();
    assert.deepEqual([shown.lastStatus, shown.failingSince], [500, failingSince]);
    clock.advance(48 * hour);
    assert.equal(hook.receiver.count, 10);
    assert.match(hook.service.logged.join('\n'), /a webhook is disabled/);
    await hook.patch({ status: 'enabled' });
    ids.add((await hook.receiver.next()).headers['webhook-id']);
    assert.equal(ids.size, 1);
  });

  test('a delivery that fails continues its retries after a restart', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(1);
    const { clock } = hook.service;
    clock.advance(await hook.fail(500));
    const wait = await hook.fail(500);
    clock.advance(minute);
    await hook.service.restart();
    clock.advance(wait - minute - 1);
    assert.equal(hook.receiver.count, 2);
    clock.advance(1);
    assert.ok((await hook.fail(500)) >= 30 * minute);
  });

  test('a failed delivery shows its cause and next attempt; enabling its webhook retries at once, without an event', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(1);
    const wait = await hook.fail(500);
    const failing = await hook.until(({ lastError }) => lastError !== null);
    assert.deepEqual([failing.lastErrorCode, failing.lastError], ['status', 'status 500']);
    assert.equal(Date.parse(failing.retryAt), Date.parse(failing.lastAt) + wait);
    const latest = await hook.latest();
    await hook.patch({ status: 'enabled' });
    (await hook.receiver.next()).answer(204);
    const shown = await hook.until(({ failingSince }) => failingSince === null);
    assert.deepEqual([shown.lastErrorCode, shown.lastError, shown.retryAt], [null, null, null]);
    assert.equal(await hook.latest(), latest);
  });

  test('a failed delivery whose retry hangs is sent again at once when its webhook is enabled, which changes nothing else', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(1);
    hook.service.clock.advance(await hook.fail(500));
    const { response, headers } = await hook.receiver.next();
    const closed = once(response, 'close');
    await hook.patch({ status: 'enabled' });
    await closed;
    assert.equal((await hook.receiver.next()).headers['webhook-id'], headers['webhook-id']);
  });

  test('a failed delivery that was still being answered when its webhook was changed doesn’t count', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(1);
    const { response } = await hook.receiver.next();
    response.writeHead(500, { 'content-length': '10' }).flushHeaders();
    for (let turn = 0; turn < 2; turn += 1) await hook.call('GET', '/orders'); // meanwhile the head arrives
    await hook.patch({ url: `${hook.receiver.url()}s` });
    const { path, answer } = await hook.receiver.next();
    answer(204);
    assert.equal(path, '/hooks');
    await hook.settled();
  });

  test('a delivery that failed while the clock was years ahead is retried once the clock is right', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(1);
    await hook.fail(500);
    hook.service.clock.now -= 365 * 24 * hour;
    await hook.placeOrders(1);
    await hook.receiver.take(1);
  });

  test('a delivery that fails with any status is retried, and follows no redirect', async (t) => {
    const hook = await hooked(t);
    const target = await Receiver.start(t);
    await hook.placeOrders(1);
    for (const status of [301, 302, 304, 307, 308, 400, 401, 404, 429, 503]) {
      await hook.fail(status, { location: target.url() });
      await hook.until(({ lastStatus, retryAt }) => lastStatus === status && retryAt !== null);
      await hook.patch({ status: 'enabled' }); // which retries it at once
    }
    await hook.receiver.take(1);
    assert.equal(target.connections, 0);
  });

  test('a delivery that fails with 410 disables the webhook immediately', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(1);
    (await hook.receiver.next()).answer(410);
    assert.equal(await hook.disabledReason(), 'The receiver responded 410 Gone.');
    assert.equal((await hook.shown()).lastStatus, 410);
  });

  test('a delivery that fails waits for Retry-After, but not less than usual nor more than a day', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(1);
    for (const [field, delay] of [
      ['120', 2 * minute],
      ['1', 5 * second],
      ['999999999', 24 * hour],
      ['Sun, 01 Mar 2026 09:40:00 GMT', 10 * minute],
      ['Sun, 01 Mar 2026 09:00:00 GMT', 5 * second],
      ['Sun, 01 Mar 2099 09:00:00 GMT', 24 * hour],
      ['-1', 5 * second],
      ['soon', 5 * second],
      ['1e3', 5 * second],
    ] as const) {
      (await hook.receiver.next()).answer(503, { 'retry-after': field });
      const wait = await Promise.race([hook.retryDelay(), hook.service.clock.timer(delay, delay * 1.1)]);
      assert.ok(wait >= delay && wait <= delay * 1.1, `${field}: ${wait}`);
      await hook.patch({ status: 'enabled' }); // which retries it at once
    }
  });

  test('a delivery that fails without a response in 15 seconds is aborted and retried', async (t) => {
    const hook = await hooked(t);
    await hook.placeOrders(1);
    const { response } = await hook.receiver.next();
    const closed = once(response, 'close');
    hook.service.clock.advance(15 * second - 1);
    assert.ok(!response.destroyed);
    hook.service.clock.advance(1);
    await closed;
    const wait = await hook.retryDelay();
    assert.equal((await hook.until(({ lastError }) => lastError !== null)).lastErrorCode, 'timeout');
    hook.service.clock.advance(wait);
    await hook.receiver.take(1);
    assert.match(hook.service.logged.join('\n'), /no response in 15 seconds/);
  });
});

describe('a receiver', insideOnly, () => {
  test('a receiver whose response never ends has accepted the event, and its connection is closed', async (t) => {
    const hook = await hooked(t);
    const placed = await hook.placeOrders(2);
    const { response, event } = await hook.receiver.next();
    const closed = once(response, 'close');
    response.writeHead(200);
    while (!response.destroyed && response.write(Buffer.alloc(8 * 1024)));
    response.on('drain', () => response.write(Buffer.alloc(8 * 1024)));
    await closed;
    assert.deepEqual([event.subject, ...(await hook.receiver.take(1))], placed);
  });

  test('a receiver that sends only a head has accepted the event after 15 seconds', async (t) => {
    const hook = await hooked(t);
    const [, later] = await hook.placeOrders(2);
    const { response } = await hook.receiver.next();
    response.writeHead(200, { 'content-length': '10' }).flushHeaders();
    for (let turn = 0; turn < 2; turn += 1) await hook.call('GET', '/orders'); // meanwhile the head arrives
    hook.service.clock.advance(15 * second);
    assert.equal((await hook.receiver.next()).event.subject, later);
  });

  test('a receiver that sends endless interim responses is aborted before the 15 seconds are over', async (t) => {
    let sent = 0;
    const url = await answering(t, function more(socket) {
      sent += 1;
      if (socket.writable) socket.write('HTTP/1.1 102 Processing\r\n\r\n', () => more(socket));
    });
    const hook = await hooked(t, {}, { url });
    await hook.placeOrders(1);
    await hook.retryDelay();
    assert.ok(sent > 10);
    assert.match(hook.service.logged.join('\n'), /too many interim responses/);
  });

  const garbage: readonly (readonly [what: string, text: string, code?: string])[] = [
    ['nothing', '', 'connection-closed'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['a head of 100 KB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['another protocol', 'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', 'connection-closed'],
    ['interim responses alone', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)],
    ['the status 999', 'HTTP/1.1 999 Beyond\r\nContent-Length: 0\r\n\r\n'],
    ['the status 099', 'HTTP/1.1 099 Below\r\nContent-Length: 0\r\n\r\n'],
    ['a NUL in a field', 'HTTP/1.1 200 OK\r\nX: \0\r\n\r\n'],
  ];
  for (const [what, text, code = 'other'] of garbage)
    test(`a receiver that sends ${what} has not accepted the event`, async (t) => {
      const url = await answering(t, (socket) => socket.end(text));
      const hook = await hooked(t, {}, { url });
      await hook.placeOrders(1);
      await hook.retryDelay();
      const { lastStatus, lastErrorCode } = await hook.until(({ failingSince }) => failingSince !== null);
      assert.deepEqual([lastStatus, lastErrorCode], [null, code]);
    });
});

describe('a webhook', insideOnly, () => {
  const settings = { 'events-days': '1' };

  test('a webhook is disabled if events after its position were removed for their age', async (t) => {
    const hook = await hooked(t, { settings });
    await hook.placeOrders(1);
    await hook.fail(503, { 'retry-after': '86400' });
    hook.service.clock.now += 24 * hour + 1; // before the retry
    await hook.service.person();
    await hook.service.inside?.cleanup.run();
    hook.service.clock.advance(3 * hour);
    const reason = await hook.disabledReason();
    assert.match(reason, /^Events after \d+ have expired and were removed\. Set position to resume\.$/);
    assertIssues(await hook.call('PATCH', hook.path, { status: 'enabled' }), 400, ['#/position minimum']);
    await hook.patch({ status: 'enabled', position: await hook.latest() });
    await hook.placeOrders(1);
    await hook.receiver.take(1);
  });

  test('a webhook continues if only events up to its position were removed for their age', async (t) => {
    const hook = await hooked(t, { settings });
    await hook.placeOrders(1);
    await hook.receiver.take(1);
    await hook.settled();
    hook.service.clock.now += 2 * 24 * hour;
    await hook.patch({ status: 'paused' }); // its event is the oldest that stays
    await hook.service.inside?.cleanup.run();
    await hook.patch({ status: 'enabled' });
    await hook.placeOrders(1);
    await hook.receiver.take(1);
  });
});

/** The URL of a server that handles every connection by a function. */
async function answering(t: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on a port
}
