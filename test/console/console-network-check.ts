// The console on a slow network, in a real browser: a round trip takes 400 ms, and 400 kbit arrive in a second.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin } from '../support/service.ts';
import { network } from './console-actions.ts';
import { openShop } from './console-shop.ts';

const millisecondsMax = 3_000;
const slow = { latency: 400, bytesPerSecond: 400_000 / 8 };

test('the console is usable in three seconds on a slow network', { timeout: 120_000 }, async (t) => {
  const { service, tab, person } = await openShop(t);

  await t.test('the sign-in, in a browser that has never seen it', async () => {
    await network(tab, slow);
    await tab.send('Page.navigate', { url: `${service.url}/console` });
    await isFast('document.querySelector("[type=password]")');
  });

  await network(tab, {});
  await person.signIn(service.url, admin);
  for (const view of ['today', 'orders'])
    await t.test(`a reload of ${view}`, async () => {
      await person.go(`#/${view}`);
      await tab.evaluate('window.isOld = true');
      await network(tab, slow);
      await tab.send('Page.reload');
      await isFast('!window.isOld && document.querySelector("main td a")');
      await network(tab, {});
    });

  async function isFast(isUsable: string): Promise<void> {
    await tab.until(isUsable);
    const milliseconds = Math.round(await tab.evaluate('performance.now()'));
    const requests = await tab.evaluate('performance.getEntriesByType("resource").length + 1');
    const result = `${milliseconds} ms, ${requests} requests`;
    t.diagnostic(result);
    assert.ok(milliseconds < millisecondsMax, result);
  }
});
