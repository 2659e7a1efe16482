// Failed deliveries that an administrator repeats: immediately, but not as often as they request it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Hooked, fail, needsInside, second } from './delivery-support.ts';

async function pauseAndEnable(hook: Hooked): Promise<void> {
  await hook.patch({ status: 'paused' });
  await hook.patch({ status: 'enabled' });
}

async function lengthenUrl(hook: Hooked): Promise<void> {
  const { url } = (await hook.call('GET', hook.path)).body;
  await hook.patch({ url: `${url}x` });
}

/** Requests that administrators can repeat, each of which causes an attempt immediately. */
const repeatable: readonly (readonly [what: string, change: (hook: Hooked) => Promise<unknown>])[] = [
  ['enables it', (hook) => hook.patch({ status: 'enabled' })],
  ['pauses and enables it', pauseAndEnable],
  ['changes its URL', lengthenUrl],
  ['replaces its secret', (hook) => hook.call('POST', `${hook.path}/secrets`)],
];

describe('a delivery that fails', needsInside, () => {
  for (const [what, change] of repeatable)
    test(`is repeated once in 5 seconds, however often an administrator ${what}`, async (t) => {
      const hook = await Hooked.start(t);
      await hook.placeOrders(1);
      await fail(hook, 500);
      await change(hook);
      await fail(hook, 500);
      for (let time = 0; time < 3; time += 1) await change(hook);
      assert.equal(hook.receiver.count, 2);
      hook.service.clock.advance(5 * second - 1);
      assert.equal(hook.receiver.count, 2);
      hook.service.clock.advance(1);
      (await hook.receiver.next()).answer(204);
      await hook.placeOrders(1);
      (await hook.receiver.next()).answer(500);
      await hook.retryDelay();
      await change(hook);
      (await hook.receiver.next()).answer(204);
    });

  test('is not repeated by pausing a delivery that is still being sent', async (t) => {
    const hook = await Hooked.start(t);
    await hook.placeOrders(1);
    await hook.receiver.next();
    await pauseAndEnable(hook);
    await hook.receiver.next();
    for (let time = 0; time < 3; time += 1) await pauseAndEnable(hook);
    assert.equal(hook.receiver.count, 2);
    hook.service.clock.advance(5 * second);
    (await hook.receiver.next()).answer(204);
    await hook.settled();
  });
});
