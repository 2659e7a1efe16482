// New orders that are not placed yet, in a real browser: kept over a reload and a crash, for their user alone, and
// placed once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin } from '../support/service.ts';
import { Person } from './console-actions.ts';
import { openShop } from './console-shop.ts';

const stillHere = 'What you had entered is still here.';
const kept = `Object.keys(localStorage).filter((name) => name.startsWith('orderly-draft-'))`;
const valueOf = (pointer: string): string => `document.querySelector('[data-pointer="${pointer}"]')?.value`;
const isNew = `${valueOf('/items/0/name')} === '' && document.activeElement.role === 'combobox'`;

test('orders that are not placed yet', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  await service.post('/products', {
    token,
    body: { sku: 'POT', name: 'Teapot', unitPrice: 3900, currency: 'EUR' },
  });
  await person.signIn(service.url, admin);
  const readToken = async (): Promise<string> => (await service.signIn(admin.email, admin.password)).token;
  const placed = async (): Promise<number> =>
    (await service.get('/orders?total=true&limit=1', { token: await readToken() })).body.total;
  /** No question of the browser may come up: it would hold the page. */
  async function reload(): Promise<void> {
    await tab.evaluate('window.isOld = true');
    await tab.send('Page.reload');
    await tab.until('!window.isOld && document.querySelector(".frame")');
  }
  async function begin(): Promise<void> {
    await person.go('#/new');
    await person.startOver();
    await tab.until(isNew);
  }

  await t.test('survive a reload with all that was entered, and the browser does not ask', async () => {
    await begin();
    await person.chooseCustomer('grace');
    await person.enter('Item', 'Gift wrap');
    await person.enter('Price', '1,5');
    await person.press('Add item');
    await tab.type('Ribbon');
    await person.enter('City', 'Bremen');
    await person.enter('Note', 'Ring twice.');
    await reload();
    await person.see(stillHere);
    await tab.until(`${valueOf('/customerId')} === 'Grace Hopper'`);
    const values = ['/items/0/name', '/items/0/unitPrice', '/items/1/name', '/shippingAddress/city', '/note'];
    assert.deepEqual(await tab.evaluate(`[${values.map(valueOf)}]`), [
      'Gift wrap',
      '1,5',
      'Ribbon',
      'Bremen',
      'Ring twice.',
    ]);
    await person.press('Remove item 2');
    const before = await placed();
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    assert.equal(await placed(), before + 1);
    const { data } = (await service.get('/orders?limit=1', { token: await readToken() })).body;
    assert.deepEqual(
      [data[0].customerId, data[0].shippingAddress.city, data[0].note],
      [1, 'Bremen', 'Ring twice.'],
    );
    assert.deepEqual(await tab.evaluate(kept), [], 'it is placed');
    await person.go('#/new');
    await tab.until(isNew);
  });

  await t.test('keep a new customer, and a code whose answer was still to come', async () => {
    await begin();
    await tab.evaluate(`{
      const send = fetch;
      window.fetch = (path, options) =>
        String(path).startsWith('/products') ? new Promise(() => undefined) : send(path, options);
    }`);
    await tab.scan('pot');
    await reload();
    await person.see(stillHere);
    await tab.until(`${valueOf('/items/0/name')} === 'Teapot'`);
    await begin();
    await person.enter('Customer', 'Lise Meitner');
    await person.press('New customer “Lise Meitner”');
    await person.enter('E-mail', 'lise@example.com');
    await reload();
    await person.see(stillHere);
    await person.see('A new customer');
    assert.deepEqual(await tab.evaluate(`[${['/customerId', '/customer/email'].map(valueOf)}]`), [
      'Lise Meitner',
      'lise@example.com',
    ]);
  });

  await t.test('are placed once, even if the page was loaded again before the answer', async () => {
    await begin();
    await person.enter('Customer', 'Emmy Noether');
    await person.enter('Item', 'Gift wrap');
    await person.enter('Price', '1,5');
    await person.check('Picked up');
    const before = await placed();
    await tab.evaluate(`{
      const send = fetch;
      window.fetch = async (path, options) => {
        const response = await send(path, options);
        if (path !== '/orders') return response;
        window.isAnswered = true;
        return new Promise(() => undefined);
      };
    }`);
    await person.press('Place order');
    await tab.until('window.isAnswered');
    await reload();
    await person.see('It was sent, and may have been placed: see Orders first.');
    await tab.evaluate('document.querySelector(".notice a").click()');
    await tab.until('location.hash === "#/orders"');
    await tab.evaluate('history.back()');
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    assert.equal(await placed(), before + 1);
    const found = (await service.get('/customers?q=Noether', { token: await readToken() })).body.data;
    assert.equal(found.length, 1);
  });

  await t.test('are not in the way of a second tab, which has its own', async () => {
    await begin();
    await person.enter('Item', 'Of the first tab');
    const second = await tab.another();
    const other = new Person(second, 'mouse');
    await second.screen(1280, 'light');
    await second.open(`${service.url}/console#/new`);
    await second.until(isNew);
    await other.enter('Item', 'Of the second tab');
    await reload();
    await person.see(stillHere);
    assert.equal(await tab.evaluate(valueOf('/items/0/name')), 'Of the first tab');
    await second.send('Page.close');
    await begin();
    await reload();
    await tab.until(`${valueOf('/items/0/name')} === 'Of the second tab'`);
    await begin();
    assert.deepEqual(await tab.evaluate(kept), [], 'they were given up');
  });

  await t.test('of a customer’s page are not those of another customer', async () => {
    await person.go('#/new?customer=1');
    await person.enter('Item', 'For Grace');
    await reload();
    await tab.until(`${valueOf('/items/0/name')} === 'For Grace'`);
    await person.go('#/new?customer=2');
    await tab.until(`${valueOf('/customerId')} === 'Ada Lovelace'`);
    assert.equal(await tab.evaluate(valueOf('/items/0/name')), '');
    await person.go('#/new?customer=1');
    await begin();
  });

  await t.test('are not shown to somebody else who signs in, and wait for their own user', async () => {
    const till = await service.person('staff', 'Second till');
    await begin();
    await person.enter('Item', 'Of the administrator');
    await service.delete('/api/sessions', { token: await readToken() });
    await person.see('You have been signed out.');
    await person.enter('E-mail', till.email);
    await person.enter('Password', till.password);
    await person.press('Sign in');
    await tab.until('document.querySelector(".account")?.textContent.includes("Second till")');
    await person.go('#/new');
    await tab.until(isNew);
    await person.press('Sign out');
    await person.see('Password');
    await person.signIn(service.url, admin);
    await person.go('#/new');
    await person.see(stillHere);
    assert.equal(await tab.evaluate(valueOf('/items/0/name')), 'Of the administrator');
  });

  await t.test('end with their user’s session if the user signs out, who is asked first', async () => {
    for (const [hash, press] of [
      ['#/account', 'Sign out everywhere'],
      ['#/new', 'Sign out'],
    ] as const) {
      await person.go(hash);
      await person.press(press);
      await person.see('2 new orders that are not placed yet will be lost.');
      await person.press('Stay');
    }
    assert.equal(await tab.evaluate(valueOf('/items/0/name')), 'Of the administrator');
    await person.press('Sign out');
    await tab.until('document.querySelector("dialog[open]")');
    await person.press('Sign out');
    await person.see('Password');
    assert.deepEqual(await tab.evaluate(kept), []);
    await person.signIn(service.url, admin);
    await person.go('#/new');
    await tab.until(isNew);
  });

  await t.test('go after thirty days', async () => {
    await begin();
    await person.enter('Item', 'Old');
    await tab.evaluate(`{
      const [name] = ${kept};
      const draft = JSON.parse(localStorage.getItem(name));
      localStorage.setItem(name, JSON.stringify({ ...draft, savedAt: Date.now() - 31 * 86_400_000 }));
    }`);
    await reload();
    await tab.until(isNew);
    assert.deepEqual(await tab.evaluate(kept), []);
  });
});
