// Secrets of webhooks, which are stored encrypted with the service's own secrets.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Hooked, disabledReason, needsInside } from './delivery-support.ts';

describe('secrets of the service', needsInside, () => {
  const older = 'an older secret of thirty-two bytes or more';
  const newer = 'a newer secret of thirty-two bytes or more';

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

  test('lost secrets of the service disable webhooks until these have new secrets', async (t) => {
    const hook = await Hooked.start(t, { settings: { 'jwt-secrets': older } });
    await hook.service.stop();
    const { folder } = hook.service;
    const next = await Hooked.again(t, hook, { folder, settings: { 'jwt-secrets': newer } });
    await next.placeOrders(1);
    assert.match(await disabledReason(next), /^The secret can no longer be read\. Create a new one \(POST/);
    assert.equal(hook.receiver.count, 0);
    const { body } = await next.call('POST', `${next.path}/secrets`);
    assert.equal(body.previousEndsAt, null);
    await next.patch({ status: 'enabled' });
    const received = await hook.receiver.next();
    assert.equal(String(received.headers['webhook-signature']).split(' ').length, 1);
  });
});
