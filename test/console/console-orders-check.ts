// Orders entered in the console, in a real browser: currencies that it does not know.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin, serviceFor } from '../service.ts';
import { openTab } from '../web/browser.ts';
import { Person } from './console-actions.ts';
import { fillShop } from './console-shop.ts';

test('orders entered in the console', { timeout: 120_000 }, async (t) => {
  const service = await serviceFor(t);
  service.clock.now = Date.now(); // the browser’s clock is the real one
  const token = await fillShop(service);
  const tab = await openTab();
  t.after(() => tab.close());
  await tab.screen(1280, 'light');
  const person = new Person(tab, 'mouse');
  await person.signIn(service.url, admin);

  const placed = (): Promise<number> =>
    service.get('/orders?total=true&limit=1', { token }).then(({ body }) => body.total);
  const chosen = '[data-pointer="/currency"]';

  await t.test('may be in any currency that the API takes, which the browser need not know', async () => {
    for (const currency of ['XCG', 'SLE', 'ZWG', 'VED', 'CLF']) {
      const items = [{ name: 'Rum', quantity: 1, unitPrice: 1_234 }];
      const { body } = await service.post('/orders', { token, body: { customerId: 1, currency, items } });
      await person.go('#/new');
      await person.see(`Total ${currency}`);
      assert.equal(await tab.evaluate(`document.querySelector('${chosen}').value`), currency);
      const before = await placed();
      await person.go(`#/new?copy=${body.id}`);
      await tab.until('document.querySelector("[data-pointer=\\"/items/0/name\\"]")?.value === "Rum"');
      await person.press('Place order');
      await tab.until(`location.hash === "#/orders/${body.id + 1}"`);
      assert.equal(await placed(), before + 1);
    }
  });

  assert.deepEqual(tab.complaints, []);
});
