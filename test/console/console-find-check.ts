// Finding things in the console, in a real browser: one search over all, keys, filters, sorting, counts, and a
// customer's page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMilliseconds } from '../../src/base/durations.ts';
import { admin, password } from '../support/service.ts';
import { openShop } from './console-shop.ts';

const rows = `[...document.querySelectorAll('main tbody tr')]`;
const ids = `${rows}.map((row) => row.querySelector('a').textContent)`;
const options = `[...document.querySelectorAll('dialog [role="option"]')].map((each) => each.innerText.replace(/\\s+/g, ' ').trim())`;
const tabTexts = `[...document.querySelectorAll('nav[aria-label="Status"] a')].map((each) => each.textContent)`;

test('finding in the console', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  const add = async (body: object): Promise<number> =>
    (await service.post('/customers', { token, body })).body.id;
  const place = async (body: object): Promise<number> =>
    (await service.post('/orders', { token, body })).body.id;
  const items = [{ name: 'Teapot', quantity: 1, unitPrice: 3_900 }];
  const annas: number[] = [];
  for (const phone of ['+493011111111', '+493022222222', '+493033333333'])
    annas.push(await add({ name: 'Anna Weber', phone, email: 'anna@example.com' }));
  const product = {
    sku: 'POT-1',
    name: 'Cast iron pot',
    unitPrice: 5_900,
    currency: 'EUR',
    barcode: null,
    active: true,
  };
  await service.post('/products', { token, body: product });
  await person.signIn(service.url, admin);

  await t.test('has one search over customers, orders and products, by key and by button', async () => {
    await tab.press('/');
    await tab.until('document.activeElement.closest("dialog")');
    await tab.type('pot');
    await tab.until(`${options}.some((each) => each.startsWith('Cast iron pot POT-1'))`);
    assert.ok(await tab.evaluate(`${options}.some((each) => each.startsWith('#'))`));
    await tab.press('Escape');
    await person.press('Search');
    await tab.type('4');
    await tab.until(`${options}[0]?.startsWith('#4 ')`);
    await tab.press('Enter');
    await tab.until('location.hash === "#/orders/4"');
    await tab.until('document.querySelector("dialog") === null');
  });

  await t.test('shows the phone number where that was searched for', async () => {
    await person.go('#/orders');
    await tab.press('/');
    await tab.type('anna web');
    await tab.until(`${options}.length >= 3`);
    assert.ok(await tab.evaluate(`${options}.every((each) => each.includes('anna@example.com'))`));
    await tab.evaluate('document.activeElement.select()');
    await tab.type('030 2222');
    await tab.until(`${options}[0]?.includes('+49 30 22222222')`);
    await tab.press('Enter');
    await tab.until(`location.hash === "#/customers/${annas[1]}"`);
  });

  await t.test('waits for the answer to what is typed before Enter opens something', async () => {
    await person.go('#/orders');
    await tab.evaluate(slowSearch);
    await tab.press('/');
    await tab.type('lovelace');
    await tab.press('Enter');
    await tab.until('held.length === 3');
    assert.equal(await tab.evaluate('location.hash'), '#/orders');
    await tab.evaluate('release()');
    await tab.until('location.hash === "#/customers/2"');
    await tab.evaluate('restore()');
  });

  await t.test('puts a product into the sale that is shown', async () => {
    await person.go('#/new');
    await tab.until('document.activeElement.role === "combobox"');
    await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'k', code: 'KeyK', modifiers: 2 });
    await tab.until('document.activeElement.closest("dialog")');
    await tab.type('pot');
    await tab.until(`${options}.length > 1 && ${options}[0].startsWith('Cast iron pot POT-1')`);
    await tab.press('Enter');
    await person.seeEntered('/items/0/name', 'Cast iron pot');
    assert.equal(await tab.evaluate('location.hash'), '#/new');
    await person.startOver();
  });

  await t.test('has keys for a new order and for their list, which can be turned off', async () => {
    await person.go('#/orders');
    await tab.evaluate('document.activeElement.blur()');
    await tab.press('?');
    await person.see('Keys without Ctrl, on this device');
    await person.check('Keys without Ctrl, on this device');
    await tab.press('Escape');
    await tab.until('!document.querySelector("dialog")');
    await tab.press('n');
    await tab.press('/');
    assert.deepEqual(await tab.evaluate('[location.hash, document.querySelector("dialog")]'), [
      '#/orders',
      null,
    ]);
    await tab.evaluate(`localStorage.removeItem('orderly-single-keys')`);
    await tab.press('Escape'); // or these keys, as fast as a scanner's, would be a scan
    for (const key of ['n', 'т']) {
      for (const type of ['keyDown', 'keyUp'])
        await tab.send('Input.dispatchKeyEvent', { type, key, code: 'KeyN' });
      await tab.until('location.hash === "#/new"');
      await person.go('#/orders');
    }
    await person.search('n/?');
    assert.equal(await tab.evaluate('document.activeElement.value'), 'n/?', 'a field has its letters');
  });

  await t.test('opens the only order or customer that a list has found with Enter', async () => {
    for (const [list, words, hash] of [
      ['customers', 'hermann', '#/customers/3'],
      ['orders', 'container', '#/orders/15'],
    ] as const) {
      await person.go(`#/${list}`);
      await person.search(words);
      await tab.press('Enter');
      await tab.until(`location.hash === "${hash}"`);
    }
    await person.go('#/customers');
    await person.search('weber');
    await tab.press('Enter');
    await person.settle();
    assert.equal(await tab.evaluate('location.hash'), '#/customers?q=weber', 'three of them');
  });

  await t.test('counts the orders of each status, and again after changes', async () => {
    await person.go('#/orders');
    await tab.until(`${tabTexts}[1] === 'Open 5'`);
    assert.deepEqual(await tab.evaluate(tabTexts), [
      'All 15',
      'Open 5',
      'Paid 2',
      'Shipped / ready 2',
      'Delivered / handed over 2',
      'Cancelled 2',
      'Refunded 2',
    ]);
    await service.patch('/orders/1', { token, body: { status: 'paid' } });
    await tab.until(`${tabTexts}[1] === 'Open 4' && ${tabTexts}[2] === 'Paid 3'`);
  });

  await t.test('filters orders by day, customer and currency, together with status and search', async () => {
    await tab.open('about:blank'); // three days ago the console's own token would not be good yet
    service.clock.now = Date.now() - 3 * dayMilliseconds;
    const then = await service.signIn(admin.email, admin.password); // a later token would not be good then
    const order = { customerId: annas[0], currency: 'CHF', items };
    const old: number = (await service.post('/orders', { token: then.token, body: order })).body.id;
    service.clock.now = Date.now();
    const recent = await place({ customerId: annas[0], currency: 'CHF', items });
    await place({ customerId: annas[1], currency: 'CHF', items });
    await tab.open(`${service.url}/console#/orders`);
    await person.go(`#/orders?customer=${annas[0]}`);
    await tab.until(`${ids}.join() === '#${recent},#${old}'`);
    await tab.until(`${tabTexts}[0] === 'All 2'`);
    await choose('sort', 'createdAt');
    await tab.until(`${ids}.join() === '#${old},#${recent}'`);
    const day = new Date(Date.now() - 3 * dayMilliseconds).toLocaleDateString('sv');
    await choose('until', day);
    await tab.until(`${ids}.join() === '#${old}'`);
    await tab.open('about:blank');
    await tab.open(`${service.url}/console#/orders?until=${day}&customer=${annas[0]}`);
    await person.see('Filter and sort (2)');
    await tab.until(`${ids}.join() === '#${old}'`);
    await tab.until('document.querySelector("[data-key=customer]").selectedOptions[0].text === "Anna Weber"');
    await person.press('Cancelled');
    await person.see('No order has all that the filter asks for.');
    await person.press('Clear');
    await person.settle();
    await person.press('Filter and sort');
    await choose('currency', 'CHF');
    await tab.until(`${rows}.length === 3 && ${tabTexts}[1] === 'Open 3'`);
    await person.search('teapot');
    await tab.until('location.hash.includes("q=teapot") && location.hash.includes("currency=CHF")');
    await person.settle();
    assert.equal(await tab.evaluate(`${rows}.length`), 3);

    function choose(key: string, value: string): Promise<unknown> {
      return tab.evaluate(`{
        const control = document.querySelector('main [data-key=${key}]');
        control.value = '${value}';
        control.dispatchEvent(new Event('change'));
      }`);
    }
  });

  await t.test('sorts customers by name', async () => {
    await person.go('#/customers');
    await person.press('By name');
    await tab.until('location.hash === "#/customers?sort=name"');
    await person.settle();
    assert.equal(await tab.evaluate(`${ids}[0]`), 'Ada Lovelace');
  });

  await t.test('shows how many orders a customer has, and their sums by currency', async () => {
    const id = await add({ name: 'Marie Curie' });
    for (let count = 0; count < 24; count += 1)
      await place({ customerId: id, currency: count % 3 === 0 ? 'USD' : 'EUR', items });
    const cancelled = await place({ customerId: id, currency: 'EUR', items });
    await service.patch(`/orders/${cancelled}`, { token, body: { status: 'cancelled' } });
    await person.go(`#/customers/${id}`);
    await person.see('25, 1 of them cancelled or refunded');
    await person.see('€624.00');
    await person.see('$312.00');
    await person.press('Search and filter their orders');
    await tab.until(`${rows}.length === 25`);
  });

  await t.test('shows the customer’s note and how to reach them, also on the page of an order', async () => {
    await person.go('#/customers/2');
    await person.press('Change');
    await person.enter('Note', 'Comes on Fridays.');
    await person.press('Save');
    await person.see('Comes on Fridays.');
    assert.equal((await service.get('/customers/2', { token })).body.note, 'Comes on Fridays.');
    await person.go('#/orders/2');
    await person.see('Comes on Fridays.');
    for (const href of ['tel:+494411234', 'mailto:customer@example.com'])
      assert.ok(await tab.evaluate(`document.querySelector('.card [href="${href}"]') !== null`), href);
    const slip = await tab.evaluate<string>(`document.querySelector('.sheet').textContent`);
    assert.ok(!slip.includes('Fridays'), 'it is for the shop');
  });

  await t.test('finds for users what is theirs', async () => {
    const user = await service.person('user', 'Owner');
    await service.post('/customers', { token: user.token, body: { name: 'Own customer' } });
    await person.press('Sign out');
    await person.signIn(service.url, { email: user.email, password });
    await tab.press('/');
    await tab.type('customer');
    await tab.until(`/^Own customer Customer \\d+$/.test(${options}.join())`);
    await tab.press('Escape');
    await tab.until(`${tabTexts}[1] === 'Open 0'`);
    await service.post('/customers', { token: user.token, body: { name: 'Anna', phone: '+493033333333' } });
    await person.go('#/new');
    await person.enter('Customer', '03033');
    await tab.until(`document.querySelector('main [role="listbox"]')?.innerText.includes('+49 30 33333333')`);
  });
});

/** Holds the answers of searches back until the page calls `release`. */
const slowSearch = `{
  const send = fetch;
  window.held = [];
  window.fetch = async (path, options) => {
    const response = await send(path, options);
    if (String(path).includes('q=lovelace')) await new Promise((go) => held.push(go));
    return response;
  };
  window.release = () => held.forEach((go) => go());
  window.restore = () => { window.fetch = send; };
}`;
