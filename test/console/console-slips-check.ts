// Slips of the hand in the console, in a real browser, while answers are late and another client is at work:
// no key and no click reaches another customer or another order than the one that was meant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin } from '../service.ts';
import { openShop } from './console-shop.ts';

test('the customer of a new order', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  for (const name of ['Anna Müller', 'Anna Schmidt'])
    await service.post('/customers', { token, body: { name } });
  await person.signIn(service.url, admin);
  await tab.evaluate(holdRequests);
  const field = `document.querySelector('[data-pointer="/customerId"]')`;
  const name = (): Promise<string> => tab.evaluate(`${field}.value`);
  const isOpen = `!document.querySelector('[role=listbox]').hidden`;
  const option = (text: string): string =>
    `[...document.querySelectorAll('[role=option]')].find((each) => each.innerText.includes('${text}'))`;
  const isNobody = async (): Promise<void> => {
    await tab.until(`held.length === 0`);
    await tab.evaluate('new Promise((done) => setTimeout(done, 150))');
    assert.equal(await tab.evaluate('document.querySelectorAll("[aria-invalid]").length'), 0);
    assert.equal(await tab.evaluate('location.hash'), '#/new');
  };
  const begin = async (): Promise<void> => {
    await tab.evaluate('holdOnly(null)');
    await person.go('#/new');
    await person.press('Start over');
    await tab.until(`document.activeElement === ${field} && ${field}.value === ''`);
  };
  const typeAnna = async (): Promise<void> => {
    await begin();
    await tab.type('anna');
    await tab.until(`${isOpen} && ${option('Schmidt')}`);
    await tab.evaluate(`holdOnly('/customers?')`);
  };

  await t.test('is never one of a list that is older than what was typed', async () => {
    await typeAnna();
    await tab.type(' mül');
    await tab.press('Enter');
    assert.equal(await name(), 'anna mül');
    await tab.until('held.length === 1');
    await tab.evaluate('letGo()');
    await tab.until(`${field}.value === 'Anna Müller'`);
    await isNobody();
    assert.equal(await tab.evaluate(isOpen), false);
  });

  await t.test('is chosen by Enter once the look-up has answered, and the form is not sent', async () => {
    await begin();
    await tab.evaluate(`holdOnly('/customers?')`);
    await tab.type('anna sch');
    await tab.press('Enter');
    await tab.until('held.length === 1');
    assert.equal(await tab.evaluate('document.querySelectorAll("[aria-invalid]").length'), 0);
    await tab.evaluate('letGo()');
    await tab.until(`${field}.value === 'Anna Schmidt'`);
    await isNobody();
  });

  await t.test('is nobody of that list for a click either', async () => {
    await typeAnna();
    const at = await tab.evaluate<object>(`{
      const { x, y } = ${option('Schmidt')}.getBoundingClientRect();
      ({ x: x + 9, y: y + 9, button: 'left', clickCount: 1 });
    }`);
    await tab.type(' mül');
    await tab.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
    assert.equal(await name(), 'anna mül');
  });

  await t.test('is not replaced by the answer to an earlier question', async () => {
    await begin();
    await tab.evaluate(`holdOnly('/customers/1')`);
    await person.go('#/orders');
    await tab.evaluate(`location.hash = '#/new?customer=1'`);
    await tab.until('held.length === 1');
    await tab.type('anna sch');
    await tab.until(`${isOpen} && ${option('Schmidt')}`);
    await tab.press('Enter');
    await tab.until(`${field}.value === 'Anna Schmidt'`);
    await tab.evaluate('letGo()');
    await tab.evaluate('new Promise((done) => setTimeout(done, 300))');
    assert.equal(await name(), 'Anna Schmidt');
  });

  await t.test('is chosen by Tab where the list is open, and else the page says that nobody is', async () => {
    await begin();
    await tab.type('anna sch');
    await tab.until(`${isOpen} && ${option('Schmidt')}`);
    await tab.press('Tab');
    assert.equal(await name(), 'Anna Schmidt');
    assert.equal(await tab.evaluate(`document.activeElement === ${field}`), false);
    await begin();
    await tab.evaluate(`holdOnly('/customers?')`);
    await tab.type('anna');
    await tab.press('Tab');
    await person.see('Choose a customer from the list, or enter a new one.');
    await tab.evaluate('letGo()');
    await tab.evaluate('new Promise((done) => setTimeout(done, 300))');
    assert.deepEqual([await name(), await tab.evaluate(isOpen)], ['anna', false]);
  });

  assert.deepEqual(tab.complaints, []);
});

test('Enter in the form of an order', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  await person.signIn(service.url, admin);
  const placed = async (): Promise<number> =>
    (await service.get('/orders?total=true&limit=1', { token })).body.total;
  const isAt = (pointer: string): string => `document.activeElement.dataset.pointer === '${pointer}'`;
  const before = await placed();
  const ctrlEnter = async (): Promise<void> => {
    const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, modifiers: 2 };
    await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key });
    await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
  };
  await person.go('#/new?customer=1');
  await tab.until(`document.querySelector('[data-pointer="/customerId"]').value === 'Grace Hopper'`);
  await tab.until(`document.querySelector('#articles option')`);

  await t.test('goes from the chosen customer to the first item, and from line to line', async () => {
    await tab.press('Enter');
    await tab.until(isAt('/items/0/name'));
    await tab.type('Sugar');
    await tab.press('Enter');
    await tab.until(isAt('/items/0/unitPrice'));
    await tab.type('1,29');
    await tab.press('Enter');
    await tab.until(isAt('/items/1/name'));
    await tab.type('Teapot'); // its price is known
    await tab.press('Enter');
    await tab.until(isAt('/items/2/name'));
    await tab.press('Enter');
    assert.equal(await tab.evaluate(isAt('/items/2/name')), true);
    await person.enter('Quantity', '2');
    await tab.press('Enter');
    await tab.until(isAt('/items/1/name'));
    await person.enter('City', 'Bremen');
    await tab.press('Enter');
    assert.equal(await tab.evaluate(isAt('/shippingAddress/city')), false);
    await person.settle();
    assert.equal(await tab.evaluate('location.hash'), '#/new?customer=1');
    assert.equal(await placed(), before);
  });

  await t.test('places it with Ctrl alone, without the line that is empty', async () => {
    await tab.until(`document.querySelectorAll('.line').length === 3`);
    await ctrlEnter();
    await tab.until('location.hash.startsWith("#/orders/")');
    assert.equal(await placed(), before + 1);
    const { body } = await service.get('/orders?limit=1&sort=-id', { token });
    const [{ items, shippingAddress }] = body.data;
    assert.deepEqual(
      items.map(({ name, quantity, unitPrice }: Record<string, unknown>) => [name, quantity, unitPrice]),
      [
        ['Sugar', 2, 129],
        ['Teapot', 1, 3900],
      ],
    );
    assert.equal(shippingAddress.city, 'Bremen');
  });

  await t.test('says at the right line what is wrong there', async () => {
    await person.go('#/new?customer=1');
    await tab.until(`document.querySelector('[data-pointer="/customerId"]')?.value === 'Grace Hopper'`);
    await person.press('Add item');
    await tab.until(isAt('/items/1/name'));
    await tab.type('Salt'); // below a line that is empty
    await ctrlEnter();
    await person.see('Price must be an amount such as');
    assert.equal(
      await tab.evaluate('document.querySelectorAll(".line")[1].contains(document.activeElement)'),
      true,
    );
    await person.press('Start over');
  });

  await t.test('saves no changed order either, except with Ctrl', async () => {
    await person.go('#/orders/1/change');
    await person.enter('Quantity', '7');
    await tab.press('Enter');
    await person.settle();
    assert.equal(await tab.evaluate('location.hash'), '#/orders/1/change');
    await ctrlEnter();
    await tab.until('location.hash === "#/orders/1"');
    assert.equal((await service.get('/orders/1', { token })).body.items[0].quantity, 7);
  });

  assert.deepEqual(tab.complaints, []);
});

/** Requests whose path begins with that of `holdOnly` wait for `letGo`. */
const holdRequests = `{
  const send = fetch;
  let [prefix, gate] = [null, Promise.withResolvers()];
  window.held = [];
  window.holdOnly = (path) => {
    prefix = path;
    letGo();
  };
  window.letGo = () => {
    gate.resolve();
    gate = Promise.withResolvers();
    held.length = 0;
  };
  window.fetch = async (path, options) => {
    if (prefix === null || !path.startsWith(prefix)) return send(path, options);
    held.push(path);
    await gate.promise;
    return send(path, options);
  };
}`;
