// Secrets of webhooks, which are stored encrypted with the service's own secrets.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { securityLines } from '../../support/security-line-support.ts';
import { insideOnly } from '../../support/service.ts';
import { hooked, hookedAgain, hour, type Hooked } from './delivery-support.ts';
import { isSignedWith } from './receiver.ts';

describe('secrets of the service', insideOnly, () => {
  const older = 'an older secret of thirty-two bytes or more';
  const newer = 'a newer secret of thirty-two bytes or more';
  const withOlder = { settings: { 'jwt-secrets': older } };
  /** Whether the next delivery is signed with the first secret of the webhook. */
  async function isSigned(hook: Hooked): Promise<boolean> {
    await hook.placeOrders(1);
    return isSignedWith(await hook.receiver.next(), hook.secret);
  }

  test('the log has who made a webhook, and who replaced its secret', async (t) => {
    const hook = await hooked(t);
    assert.equal((await hook.call('POST', `${hook.path}/secrets`)).status, 201);
    for (const name of ['sensitive_create', 'sensitive_update']) {
      const [line, ...others] = securityLines(hook.service, name);
      assert.partialDeepStrictEqual(line, { principal: `user:${line?.['userId']}`, webhookId: hook.id });
      assert.deepEqual(others, []);
    }
  });

  test('secrets of the service may be replaced while webhooks keep theirs, after a run with both', async (t) => {
    const hook = await hooked(t, withOlder);
    const during = await hookedAgain(t, hook, `${newer},${older}`);
    await during.service.inside?.cleanup.run();
    assert.ok(await isSigned(during));
    assert.ok(await isSigned(await hookedAgain(t, during, newer)));
  });

  test('the former secret of a webhook still signs if a secret of the service is replaced in its day', async (t) => {
    const hook = await hooked(t, withOlder);
    const during = await hookedAgain(t, hook, `${newer},${older}`);
    assert.equal((await during.call('POST', `${during.path}/secrets`)).status, 201);
    await during.service.inside?.cleanup.run();
    assert.ok(await isSigned(await hookedAgain(t, during, newer)));
  });

  test('lost secrets of the service stop webhooks until these have new secrets, and disable none', async (t) => {
    const hook = await hookedAgain(t, await hooked(t, withOlder), newer);
    await hook.placeOrders(1);
    const waiting = await hook.until(({ lastErrorCode }) => lastErrorCode === 'no-secret');
    assert.match(waiting.lastError, /^The secret can no longer be read\. Create a new one \(POST/);
    assert.deepEqual([waiting.status, waiting.lastAt, waiting.retryAt], ['enabled', null, null]);
    assert.notEqual(waiting.failingSince, null);
    await hook.placeOrders(1);
    hook.service.clock.advance(100 * 24 * hour);
    assert.equal((await hook.shown()).status, 'enabled');
    assert.equal(hook.receiver.count, 0);
    const lines = hook.service.logged.filter((line) => line.includes('has no secret to sign with'));
    assert.equal(lines.length, 1, 'it isn’t tried again and again');
    const { body } = await hook.call('POST', `${hook.path}/secrets`);
    assert.equal(body.previousEndsAt, null);
    const { headers, answer } = await hook.receiver.next();
    assert.equal(String(headers['webhook-signature']).split(' ').length, 1);
    answer(204);
    await hook.receiver.take(1);
    const { failingSince, lastErrorCode } = await hook.settled();
    assert.deepEqual([failingSince, lastErrorCode], [null, null]);
  });

  test('a webhook continues once lost secrets of the service are back', async (t) => {
    const without = await hookedAgain(t, await hooked(t, withOlder), newer);
    await without.placeOrders(1);
    await without.until(({ lastErrorCode }) => lastErrorCode === 'no-secret');
    assert.ok(await isSigned(await hookedAgain(t, without, older)));
  });
});
