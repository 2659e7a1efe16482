// The console of services that lack webhooks, metrics or imports, in a real browser.
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

test('the console of a service without metrics and imports', { timeout: 120_000 }, async (t) => {
  const { tab, person } = await openSignedIn(t, { settings: { without: 'metrics,imports' } });

  await t.test('shows what else there is on System, and claims nothing', async () => {
    await person.go('#/system');
    await person.see('Make a backup now');
    await person.see('Webhooks');
    await person.see('Sign-ins, keys and accounts');
    const text = await tab.evaluate<string>('document.body.innerText');
    for (const absent of ['Nothing has to be done', 'There is no backup', 'Failed sign-ins'])
      assert.equal(text.includes(absent), false, absent);
  });

  await t.test('offers no import', async () => {
    for (const [hash, shown] of [
      ['#/customers', 'New customer'],
      ['#/products', 'Add a product'],
    ] as const) {
      await person.go(hash);
      await person.see(shown);
      assert.equal(await tab.evaluate(`document.body.innerText.includes('Import')`), false, hash);
      await person.go(`${hash}/import`);
      await person.see('There is no such page.');
    }
  });
});
