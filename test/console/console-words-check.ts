// What people type in the console, in a real browser: long words, names from right to left, wrong quantities.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { admin } from '../support/service.ts';
import { openShop, openSignedIn } from './console-shop.ts';

const longWord = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetzentwurf';
const arabicName = 'محمد عبد الرحمن بن عبد العزيز آل الشيخ صاحب متجر الشاي';

test('words in the console', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  const create = async (path: string, body: object): Promise<number> =>
    (await service.post(path, { token, body })).body.id;
  const place = (customerId: number, name: string): Promise<number> =>
    create('/orders', { customerId, currency: 'EUR', items: [{ name, quantity: 2, unitPrice: 749 }] });
  const isWithin = (selector: string): Promise<boolean> =>
    tab.evaluate(
      `[...document.querySelectorAll('${selector}')].every((each) =>
        each.scrollWidth <= each.clientWidth && each.getBoundingClientRect().right <= innerWidth)`,
    );
  await person.signIn(service.url, admin);

  await t.test('that are long fit the page of an order on a phone, and its slip on a roll', async () => {
    const customerId = await create('/customers', { name: longWord });
    await tab.screen(360, 'light');
    await person.go(`#/orders/${await place(customerId, longWord)}`);
    await person.see(longWord);
    assert.equal(await isWithin('html, .card'), true);
    await tab.send('Emulation.setEmulatedMedia', { media: 'print' });
    await tab.send('Emulation.setDeviceMetricsOverride', {
      width: 280,
      height: 900,
      deviceScaleFactor: 1,
      mobile: false,
    });
    assert.equal(await isWithin('html, .sheet'), true);
    const display = 'getComputedStyle(document.querySelector(".sheet")).display';
    assert.equal(await tab.evaluate(display), 'block', 'Firefox breaks the rows of a grid in two');
    await tab.send('Emulation.setEmulatedMedia', { media: '' });
    await tab.screen(1280, 'light');
  });

  await t.test(
    'from right to left are cut at their end, and stay apart from what is beside them',
    async () => {
      const customerId = await create('/customers', { name: arabicName });
      const id = await place(customerId, `${arabicName} 250g`);
      const directions = (selector: string): Promise<string[]> =>
        tab.evaluate(
          `[...document.querySelectorAll('${selector}')]
          .filter((each) => /[\\u0600-\\u06ff]/.test(each.textContent))
          .map((each) => getComputedStyle(each).direction)`,
        );
      await person.go('#/orders');
      assert.deepEqual(await directions('td .clip'), ['rtl', 'rtl', 'rtl']);
      await person.go('#/customers');
      assert.deepEqual(await directions('td .clip'), ['rtl']);
      await person.go(`#/orders/${id}`);
      assert.deepEqual(await directions('td bdi, a bdi'), ['rtl', 'rtl', 'rtl']);
      assert.deepEqual(await directions('.sheet address span'), ['rtl']);
    },
  );

  await t.test('that reverse what follows them leave the time of an event as it is', async () => {
    const name = 'Mallory \u05d0.';
    const credentials = { email: 'mallory@example.com', password: 'seven kettles on 9 shelves' };
    await service.post('/api/users', { body: { name, ...credentials } });
    await person.go('#/today');
    await person.see('Mallory');
    const apart = `[...document.querySelectorAll('.when bdi')].map((each) => each.textContent)`;
    assert.ok((await tab.evaluate<string[]>(apart)).includes(name));
  });

  await t.test('that are no quantity are refused, and never another one', async () => {
    await person.go('#/new');
    await person.enter('Item', 'Tea');
    await person.enter('Price', '7,49 €');
    const sums = (): Promise<string> =>
      tab.evaluate(
        'document.querySelector(".line-sum").value + "|" + document.querySelector(".total").value',
      );
    assert.equal(await sums(), '€7.49|€7.49');
    for (const text of ['1,5', '1.5', '0', '-1', '']) {
      await person.enter('Quantity', text);
      if (text === '') await tab.evaluate('document.execCommand("delete")');
      assert.equal(await sums(), '|€0.00', text);
      await tab.press('Tab');
      await person.see('Quantity must be a whole number of 1 or more.');
    }
    await person.enter('Quantity', '3');
    assert.equal(await sums(), '€22.47|€22.47');
    assert.equal(await tab.evaluate('document.querySelectorAll("[aria-invalid]").length'), 0);
    await person.startOver();
  });

  await t.test('of a currency are printed with its figures', async () => {
    await person.go('#/day');
    await tab.send('Emulation.setEmulatedMedia', { media: 'print' });
    const breaks = `[...document.querySelectorAll('.day table')].map((each) => getComputedStyle(each).breakInside)`;
    assert.deepEqual(await tab.evaluate(breaks), ['avoid', 'avoid']);
    await tab.send('Emulation.setEmulatedMedia', { media: '' });
  });
});

test('what was entered in the console', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);
  const value = (pointer: string): Promise<string> =>
    tab.evaluate(`document.querySelector('[data-pointer="${pointer}"]').value`);

  await t.test('as the address of a delivery is not replaced by that of a customer', async () => {
    await service.patch('/customers/2', { token, body: { address: { line1: 'Am Markt 2' } } });
    await person.go('#/new');
    await person.chooseCustomer('grace');
    assert.equal(await value('/shippingAddress/line1'), 'Ammerländer Heerstraße 114');
    await person.chooseCustomer('ada');
    assert.equal(await value('/shippingAddress/line1'), 'Am Markt 2', 'it was not typed');
    await person.enter('Street and number', 'Hafenweg 7');
    await person.chooseCustomer('grace');
    assert.equal(await value('/shippingAddress/line1'), 'Hafenweg 7');
    await person.see('The customer’s own address is another one: Ammerländer Heerstraße 114');
    await person.press('Use theirs');
    assert.equal(await value('/shippingAddress/line1'), 'Ammerländer Heerstraße 114');
    assert.equal(await tab.evaluate('document.body.innerText.includes("Use theirs")'), false);
    await person.startOver();
  });

  await t.test('stays beside what somebody else has saved meanwhile, and can be saved again', async () => {
    await person.go('#/orders/1/change');
    await person.enter('Quantity', '5');
    const theirs = [{ name: 'Coffee', quantity: 3, unitPrice: 1_000 }];
    await service.patch('/orders/1', { token, body: { items: theirs, note: 'Back door.' } });
    await person.press('Save');
    await person.see('Somebody has changed Items and Note meanwhile. Nothing was saved yet.');
    await person.see('Now Items: 3 × Coffee, €10.00');
    await person.see('Now Note: Back door.');
    assert.equal(await value('/items/0/quantity'), '5');
    await wait(1_500); // it has to be read
    await person.press('Save');
    await tab.until('location.hash === "#/orders/1"');
    const { body } = await service.get('/orders/1', { token });
    assert.deepEqual([body.items[0].quantity, body.items.length], [5, 2], 'mine');
    assert.equal(body.note, 'Back door.', 'theirs, which was not changed here');
  });
});
