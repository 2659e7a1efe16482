// The console of a service that has no webhooks, in a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn } from './console-shop.ts';

test('the console of a service without webhooks', { timeout: 60_000 }, async (t) => {
  const { tab, person } = await openSignedIn(t, { settings: { without: 'webhooks' } });
  const asked = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('webhooks')).length`;

  await t.test('shows none, and asks for none', async () => {
    await person.go('#/today');
    await person.see('System');
    await person.see('There is no backup');
    assert.equal(await tab.evaluate(`document.body.innerText.includes('Webhooks')`), false);
    await person.go('#/system');
    await person.see('Sign-ins, keys and accounts');
    assert.equal(await tab.evaluate(`document.body.innerText.includes('Webhooks')`), false);
    assert.equal(await tab.evaluate(asked), 0);
  });
});
