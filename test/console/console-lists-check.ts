// Lists and histories of the console, in a real browser: their searches, pages, places and old values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn } from './console-shop.ts';

const items = (unitPrice: number): object[] => [{ name: 'Tea', quantity: 2, unitPrice }];

test('lists of the console', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);

  await t.test('go on with their search in another status', async () => {
    await person.go('#/orders');
    await person.search('lovelace');
    await person.press('Cancelled');
    await person.settle();
    assert.equal(await tab.evaluate('document.querySelector("[type=search]").value'), 'lovelace');
    const rows = 'document.querySelectorAll("main tbody tr").length';
    assert.equal(await tab.evaluate(rows), 1);
    await person.press('All');
    await tab.until(`${rows} === 5`);
  });

  await t.test(
    'have the newest orders of a customer on their page, and all in the list, page by page',
    async () => {
      const { body: customer } = await service.post('/customers', { token, body: { name: 'Lise Meitner' } });
      const ids: number[] = [];
      for (let count = 0; count < 51; count += 1) {
        const body = { customerId: customer.id, currency: 'EUR', items: items(749) };
        ids.push((await service.post('/orders', { token, body })).body.id);
      }
      await person.go(`#/customers/${customer.id}`);
      await person.see('The newest 20 orders');
      const first = `document.querySelector('main [href="#/orders/${ids[0]}"]')`;
      assert.equal(await tab.evaluate(`${first} === null`), true);
      assert.equal(await tab.evaluate('document.body.innerText.includes("Delete …")'), false, 'it must fail');
      await person.press('Search and filter their orders');
      await person.press('Next page');
      await tab.until(`${first} !== null`);
      await person.press('First page');
      await tab.until(`${first} === null`);
    },
  );

  await t.test('are printed without their buttons', async () => {
    await person.go('#/orders');
    await tab.send('Emulation.setEmulatedMedia', { media: 'print' });
    const isShown = `[...document.querySelectorAll('main button')].some((each) => each.checkVisibility())`;
    assert.equal(await tab.evaluate(isShown), false);
    await tab.send('Emulation.setEmulatedMedia', { media: '' });
    assert.equal(await tab.evaluate(isShown), true);
  });

  await t.test('are found again at the place where they were left', async () => {
    await person.go('#/orders');
    await tab.evaluate('scrollTo(0, 700)');
    await tab.until('scrollY === 700');
    const open = `[...document.querySelectorAll('main .row')].at(-5)`;
    await tab.evaluate(`${open}.click()`);
    await tab.until('location.hash.startsWith("#/orders/") && scrollY === 0');
    await person.settle();
    await tab.evaluate('history.back()');
    await tab.until('location.hash === "#/orders" && scrollY === 700');
    await tab.evaluate('history.forward()');
    await tab.until('location.hash.startsWith("#/orders/") && scrollY === 0');
    await person.go('#/orders');
    assert.equal(await tab.evaluate('scrollY'), 0, 'it is a new page');
  });

  await t.test('leave no dialog behind when one goes back', async () => {
    for (const [place, open] of [
      ['#/products', () => person.press('Add a product')],
      ['#/orders', () => tab.press('/')],
    ] as const) {
      await person.go(place);
      await open();
      await tab.until('document.querySelector("dialog[open]")');
      await tab.evaluate('history.back()');
      await tab.until('!document.querySelector("dialog")');
    }
  });

  await t.test('have the current tab in sight on a phone', async () => {
    await tab.screen(390, 'light');
    await person.go('#/orders?status=refunded');
    const current = `document.querySelector('.tabs [aria-current]').getBoundingClientRect()`;
    await tab.until(`${current}.right <= innerWidth && ${current}.left >= 0`);
    await tab.screen(1280, 'light');
  });

  await t.test('offer to delete a customer who has no orders', async () => {
    const { body } = await service.post('/customers', { token, body: { name: 'Nobody' } });
    await person.go(`#/customers/${body.id}`);
    await person.press('Delete …');
    await person.press('Delete');
    await person.see('Nobody was deleted.');
  });
});

test('the history of an order', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);

  await t.test('shows the old and the new items and totals, each in its currency', async () => {
    const body = { customerId: 1, currency: 'USD', items: items(749) };
    const { id } = (await service.post('/orders', { token, body })).body;
    await service.patch(`/orders/${id}`, { token, body: { items: items(1_000) } });
    await service.patch(`/orders/${id}`, { token, body: { currency: 'EUR', items: items(2_039) } });
    await person.go(`#/orders/${id}`);
    await person.see('Currency USD → EUR');
    const values = '[...document.querySelectorAll(".events .values")].map((each) => each.textContent)';
    assert.deepEqual(await tab.evaluate(values), [
      'Currency USD → EUR',
      '− 2 × Tea, $10.00',
      '+ 2 × Tea, €20.39',
      'Total $20.00 → €40.78',
      '− 2 × Tea, $7.49',
      '+ 2 × Tea, $10.00',
      'Total $14.98 → $20.00',
    ]);
  });

  await t.test('has a step that was taken back, with the reason that the console gives', async () => {
    await person.go('#/orders/4');
    await person.press('Back to open');
    await person.see('Order 4 is open again.');
    await person.see('Status paid → open');
    await person.see('It was pressed by mistake.');
    assert.equal((await service.get('/orders/4', { token })).body.status, 'open');
    await person.see('Pay by:');
    assert.equal(await tab.evaluate('document.querySelector("main").innerText.includes("Back to")'), false);
  });

  await t.test('can’t be set back by an owner of an order who is no staff', async () => {
    const owner = await service.person('user', 'Owner');
    const { body: customer } = await service.post('/customers', {
      token: owner.token,
      body: { name: 'Own' },
    });
    const body = { customerId: customer.id, currency: 'EUR', items: items(749) };
    const { id } = (await service.post('/orders', { token: owner.token, body })).body;
    await service.patch(`/orders/${id}`, { token, body: { status: 'paid' } });
    await person.press('Sign out');
    await person.signIn(service.url, { email: owner.email, password: owner.password });
    await person.go(`#/orders/${id}`);
    await person.see('Paid');
    assert.equal(await tab.evaluate('document.body.innerText.includes("Back to")'), false);
  });
});
