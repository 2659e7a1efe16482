// What people type in the console, in a real browser: long words, names from right to left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin } from '../support/service.ts';
import { openShop } from './console-shop.ts';

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

  await t.test('of a currency are printed with its figures', async () => {
    await person.go('#/day');
    await tab.send('Emulation.setEmulatedMedia', { media: 'print' });
    const breaks = `[...document.querySelectorAll('.day table')].map((each) => getComputedStyle(each).breakInside)`;
    assert.deepEqual(await tab.evaluate(breaks), ['avoid', 'avoid']);
    await tab.send('Emulation.setEmulatedMedia', { media: '' });
  });
});
