// Secrets of webhooks, which are stored encrypted with the service's own secrets.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { securityLines } from '../../support/security-line-support.ts';
import { Hooked, hour } from './delivery-support.ts';
import { insideOnly } from '../../support/service.ts';

describe('secrets of the service', insideOnly, () => {
  const older = 'an older secret of thirty-two bytes or more';
  const newer = 'a newer secret of thirty-two bytes or more';

  test('the log has who made a webhook, and who replaced its secret', async (t) => {
    const hook = await Hooked.start(t);
    assert.equal((await hook.call('POST', `${hook.path}/secrets`)).status, 201);
    const webhookId = Number(hook.path.split('/').at(-1));
    for (const name of ['sensitive_create', 'sensitive_update']) {
      const lines = securityLines(hook.service, name);
      assert.deepEqual(
        lines.map((line) => [line['principal'], line['webhookId']]),
        [[`user:${lines[0]?.['userId']}`, webhookId]],
      );
    }
  });

  test('secrets of the service may be replaced while webhooks keep theirs, after a run with both', async (t) => {
    const hook = await Hooked.start(t, { settings: { 'jwt-secrets': older } });
    const { folder } = hook.service;
    const received = async (secrets: string): Promise<boolean> => {
      await hook.service.stop();
      const next = await Hooked.again(t, hook, { folder, settings: { 'jwt-secrets': secrets } });
      await next.service.inside?.app.cleanup.run();
      await next.placeOrders(1);
      const isSigned = next.isSigned(await hook.receiver.next());
      await next.service.stop();
      return isSigned;
    };
    assert.deepEqual([await received(`${newer},${older}`), await received(newer)], [true, true]);
  });

  test('the former secret of a webhook still signs if a secret of the service is replaced in its day', async (t) => {
    const hook = await Hooked.start(t, { settings: { 'jwt-secrets': older } });
    const { folder } = hook.service;
    await hook.service.stop();
    const both = { folder, settings: { 'jwt-secrets': `${newer},${older}` } };
    const during = await Hooked.again(t, hook, both);
    assert.equal((await during.call('POST', `${during.path}/secrets`)).status, 201);
    await during.service.inside?.app.cleanup.run();
    await during.service.stop();
    const next = await Hooked.again(t, hook, { folder, settings: { 'jwt-secrets': newer } });
    await next.placeOrders(1);
    assert.ok(next.isSigned(await hook.receiver.next()));
  });

  test('lost secrets of the service stop webhooks until these have new secrets, and disable none', async (t) => {
    const hook = await Hooked.start(t, { settings: { 'jwt-secrets': older } });
    await hook.service.stop();
    const { folder } = hook.service;
    const next = await Hooked.again(t, hook, { folder, settings: { 'jwt-secrets': newer } });
    await next.placeOrders(1);
    const waiting = await next.until(({ lastErrorCode }) => lastErrorCode === 'no-secret');
    assert.match(waiting.lastError, /^The secret can no longer be read\. Create a new one \(POST/);
    assert.deepEqual([waiting.status, waiting.lastAt, waiting.retryAt], ['enabled', null, null]);
    assert.notEqual(waiting.failingSince, null);
    await next.placeOrders(1);
    next.service.clock.advance(100 * 24 * hour);
    assert.equal((await next.call('GET', next.path)).body.status, 'enabled');
    assert.equal(hook.receiver.count, 0);
    const lines = next.service.logged.filter((line) => line.includes('has no secret to sign with'));
    assert.equal(lines.length, 1, 'it isn’t tried again and again');
    const { body } = await next.call('POST', `${next.path}/secrets`);
    assert.equal(body.previousEndsAt, null);
    const received = await hook.receiver.next();
    assert.equal(String(received.headers['webhook-signature']).split(' ').length, 1);
    received.answer(204);
    (await hook.receiver.next()).answer(204);
    const { failingSince, lastErrorCode } = await next.settled();
    assert.deepEqual([failingSince, lastErrorCode], [null, null]);
  });

  test('a webhook continues once lost secrets of the service are back', async (t) => {
    const hook = await Hooked.start(t, { settings: { 'jwt-secrets': older } });
    await hook.service.stop();
    const { folder } = hook.service;
    const without = await Hooked.again(t, hook, { folder, settings: { 'jwt-secrets': newer } });
    await without.placeOrders(1);
    await without.until(({ lastErrorCode }) => lastErrorCode === 'no-secret');
    await without.service.stop();
    await Hooked.again(t, hook, { folder, settings: { 'jwt-secrets': older } });
    assert.ok(hook.isSigned(await hook.receiver.next()));
  });
});
