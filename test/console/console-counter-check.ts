// One sale after the other over the counter, in a real browser that nobody has set up, while answers are slow or the
// service is away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { cup, cupLine, isSettled, lines, openTill, tea, teaLine } from './console-till.ts';

const latencyMilliseconds = 400;
const functionKeys = { F2: 113, F4: 115, F8: 119, F9: 120 };

test('sales over the counter', { timeout: 240_000 }, async (t) => {
  const { service, token, tab, person, begin, newest } = await openTill(t);
  await person.go('#/new');
  await tab.send('Network.enable');
  await network({ latency: latencyMilliseconds });

  async function network({ latency = 0, offline = false }): Promise<void> {
    const unlimited = { downloadThroughput: -1, uploadThroughput: -1 };
    await tab.send('Network.emulateNetworkConditions', { offline, latency, ...unlimited });
  }
  async function press(key: keyof typeof functionKeys): Promise<void> {
    const about = { key, code: key, windowsVirtualKeyCode: functionKeys[key] };
    for (const type of ['rawKeyDown', 'keyUp']) await tab.send('Input.dispatchKeyEvent', { type, ...about });
  }
  const isSold = (id: number): string =>
    `/Order ${id}\\b/.test(document.querySelector('#notices').innerText)`;

  for (const pause of [0, 350])
    await t.test(`what is scanned ${pause} ms after a sale was ended is in the next one`, async () => {
      await begin();
      const before = await newest();
      await tab.scan(tea.barcode);
      await tab.until(isSettled);
      await press('F4');
      await wait(pause);
      await tab.scan(cup.barcode);
      await tab.scan(tea.barcode);
      await tab.until(isSold(before.id + 1));
      await tab.until(`${isSettled} && (${lines}).length === 2`);
      assert.deepEqual(await tab.evaluate(lines), [cupLine, teaLine]);
      const sold = await newest();
      assert.equal(sold.id, before.id + 1);
      assert.deepEqual(
        sold.items.map(({ sku }) => sku),
        ['TEA-250'],
      );
    });

  for (const end of ['Enter', 'Tab'] as const)
    await t.test(
      `a slow scan that ends with ${end} is whole, though the form is replaced meanwhile`,
      async () => {
        await begin();
        const before = await newest();
        await tab.scan(tea.barcode);
        await tab.until(isSettled);
        await press('F4');
        await tab.scan(cup.barcode, { milliseconds: 80, end });
        await tab.until(isSold(before.id + 1));
        await tab.until(`${isSettled} && (${lines})[0]?.[1] === 'CUP-010'`);
        assert.deepEqual(await tab.evaluate(lines), [cupLine]);
      },
    );

  await t.test('a slow scan is whole that began before the form was shown for the one before', async () => {
    await begin();
    await person.go('#/orders');
    await tab.scan(tea.barcode, { milliseconds: 80 });
    await tab.scan(cup.barcode, { milliseconds: 80 });
    await tab.until(`${isSettled} && (${lines})[1]?.[1] === 'CUP-010'`);
    assert.deepEqual(await tab.evaluate(lines), [teaLine, cupLine]);
  });

  await t.test('a sale that is ended while the one before is sent is said to be still open', async () => {
    await begin();
    const { id } = await newest();
    await tab.scan(tea.barcode);
    await press('F4');
    await tab.scan(cup.barcode);
    await press('F4');
    await person.see('The order before was still being sent: end this one again.');
    await tab.until(`${isSettled} && (${lines})[0]?.[1] === 'CUP-010'`);
    assert.equal((await newest()).id, id + 1);
    await press('F4');
    await tab.until(isSold(id + 2));
    assert.equal((await newest()).total, 3900);
  });

  await t.test('slow scans one right after the other are all in the sale that is ended at once', async () => {
    await begin();
    const { id } = await newest();
    for (const { barcode } of [tea, cup, tea]) await tab.scan(barcode, { milliseconds: 80 });
    await press('F4');
    await tab.until(isSold(id + 1));
    const { items, total } = await newest();
    assert.deepEqual([items.map(({ sku }) => sku).sort(), total], [['CUP-010', 'TEA-250'], 5398]);
  });

  await t.test('a sale that has no answer is sent as soon as the service is back', async () => {
    await begin();
    const { id } = await newest();
    await tab.scan(tea.barcode);
    await tab.until(isSettled);
    await network({ offline: true });
    await press('F4');
    await tab.scan(cup.barcode);
    await person.see('This order is sent as soon as it is back.');
    await wait(4_000); // however long that takes
    await network({ latency: latencyMilliseconds });
    await tab.until(isSold(id + 1));
    await tab.until(`${isSettled} && (${lines})[0]?.[1] === 'CUP-010'`);
    assert.equal((await newest()).items.length, 1);
  });

  await t.test(
    'a sale of what was scanned while the service was away is sent as soon as it is back',
    async () => {
      await begin();
      const { id } = await newest();
      await network({ offline: true });
      await tab.scan(tea.barcode);
      await tab.scan(cup.barcode);
      await press('F4');
      await person.see('This order is sent as soon as it is back.');
      await network({ latency: latencyMilliseconds });
      await tab.until(isSold(id + 1));
      assert.equal((await newest()).total, tea.unitPrice + cup.unitPrice);
    },
  );

  await t.test('a discount may be typed with its minus', async () => {
    await begin();
    await tab.scan(tea.barcode);
    await tab.until(isSettled);
    for (const typed of ['-10 %', '−0,75', '- 1']) {
      await person.press('Add discount');
      await tab.type(typed);
    }
    await tab.until(`document.querySelector('.total').innerText === '€4.99'`);
    await person.press('Start over');
  });

  await t.test('a sale that has no answer is sent no more once somebody doesn’t want to wait', async () => {
    await begin();
    const { id } = await newest();
    await tab.scan(tea.barcode);
    await tab.until(isSettled);
    await network({ offline: true });
    await press('F4');
    await person.press('Don’t wait');
    await person.see('No answer: it may be placed.');
    await network({ latency: latencyMilliseconds });
    await wait(1_500);
    assert.equal((await newest()).id, id);
    await press('F4');
    await tab.until(isSold(id + 1));
  });

  await t.test('a sale says how much it was, and how it was paid', async () => {
    await begin();
    const { id } = await newest();
    await tab.scan(tea.barcode);
    await press('F2');
    await person.see('Sold: €7.49, Card.');
    const { status, shippingAddress, customerId } = (await service.get(`/orders/${id + 1}`, { token })).body;
    assert.deepEqual([status, shippingAddress], ['delivered', null]);
    assert.equal((await service.get(`/customers/${customerId}`, { token })).body.name, 'Walk-in');
  });

  await t.test('a sale is taken back by a refund, with its items in a new order', async () => {
    await begin();
    const { id } = await newest();
    await tab.scan(tea.barcode);
    await tab.scan(cup.barcode);
    await press('F4');
    await tab.until(isSold(id + 1));
    await tab.scan(cup.barcode); // of the next customer
    await tab.until(`${isSettled} && (${lines}).length === 1`);
    await person.press('Take back');
    await tab.until(`(${lines}).length === 2`);
    await wait(latencyMilliseconds); // the form has been drawn by then, and says nothing else
    await person.see(`Order ${id + 1} is refunded, and what was in it is here again.`);
    assert.deepEqual(await tab.evaluate(lines), [teaLine, cupLine]);
    assert.equal((await service.get(`/orders/${id + 1}`, { token })).body.status, 'refunded');
    await person.press('1 parked');
    await tab.until(`(${lines}).length === 1`);
    assert.deepEqual(await tab.evaluate(lines), [cupLine]);
    await person.startOver();
    await person.press('1 parked');
    await tab.until(`(${lines}).length === 2`);
  });

  for (const width of [1280, 820, 390])
    await t.test(
      `what is said of a sale covers neither the heading nor a field or button, at ${width}`,
      async () => {
        await tab.screen(width, 'light');
        await begin();
        await tab.scan(tea.barcode);
        await press('F4');
        await tab.until('document.querySelector(".notice a")?.checkVisibility()');
        await tab.until(`(${lines}).length === 0`);
        await tab.evaluate('scrollTo(0, 0)');
        const covered = `[...document.querySelectorAll('main h1, main form :is(input, select, button), .side a')]
        .filter((each) => {
          const [a, b] = [each, document.querySelector('.notice')].map((one) => one.getBoundingClientRect());
          return a.width > 0 && a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right;
        }).map((each) => each.outerHTML)`;
        assert.deepEqual(await tab.evaluate(covered), []);
        await tab.screen(1280, 'light');
      },
    );

  await t.test('what has an address isn’t handed over, unless that is said', async () => {
    await begin();
    const isHandedOver = 'document.getElementById("is-handed-over").checked';
    assert.equal(await tab.evaluate(isHandedOver), true);
    await person.chooseCustomer('grace');
    await tab.until(`!${isHandedOver}`);
    await person.check('Picked up');
    assert.equal(await tab.evaluate(isHandedOver), true);
    await person.check('Picked up');
    assert.equal(await tab.evaluate(isHandedOver), false);
    await press('F9');
    assert.equal(await tab.evaluate(isHandedOver), true);
    await begin();
    await person.enter('Customer', 'Emmy Noether');
    await person.press('New customer “Emmy Noether”');
    assert.equal(await tab.evaluate(isHandedOver), true, 'a regular at the counter has none');
    await person.enter('Street and number', 'Hauptstraße 5');
    await tab.until(`!${isHandedOver}`);
  });

  await t.test('what was given up by mistake comes back', async () => {
    await begin();
    await tab.scan(tea.barcode);
    await tab.scan(cup.barcode);
    await tab.until(`${isSettled} && (${lines}).length === 2`);
    await person.press('Start over');
    await tab.until(`(${lines}).length === 0`);
    await person.press('Undo');
    await tab.until(`(${lines}).length === 2`);
    assert.deepEqual(await tab.evaluate(lines), [teaLine, cupLine]);
    const { id } = await newest();
    await press('F4');
    await tab.until(isSold(id + 1));
  });

  await t.test(
    'a code that was scanned while the service was away is looked up once it is back',
    async () => {
      await begin();
      await tab.scan(tea.barcode);
      await tab.until(isSettled);
      await network({ offline: true });
      await tab.scan('4000000000000');
      await person.see('The service can’t be reached.');
      await tab.until(isSettled);
      await tab.scan(cup.barcode, { milliseconds: 80 });
      await network({ latency: latencyMilliseconds });
      await tab.until(`(${lines})[2]?.[1] === 'CUP-010'`);
      await person.see('No product that is sold now has this SKU or barcode: enter its name and price.');
      assert.deepEqual(await tab.evaluate(lines), [teaLine, ['4000000000000', '', '1', ''], cupLine]);
    },
  );

  await t.test('an order that isn’t paid needs a customer, whose name is enough', async () => {
    await begin();
    await tab.scan(tea.barcode);
    await tab.until(isSettled);
    await person.press('Place order');
    await person.see('Choose a customer from the list, or enter the name of a new one.');
    await tab.type('Lise Meitner');
    await person.check('Picked up');
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    await person.see('Lise Meitner');
  });

  await t.test('a scan into the search takes the place of what was typed there', async () => {
    await person.go('#/orders');
    for (const end of ['Enter', 'Tab'] as const) {
      await tab.press('/');
      await tab.until('document.activeElement.closest("dialog") !== null');
      await tab.type('grace');
      await wait(200); // it is a scan of its own
      await tab.scan(tea.barcode, { end });
      assert.equal(await tab.evaluate('document.activeElement.value'), tea.barcode);
      if (end === 'Tab') await person.see('Green tea, 250 g');
      if (end === 'Tab') await tab.press('Enter');
      await tab.until('location.hash === "#/products?q=TEA-250"');
      await person.go('#/orders');
    }
  });
});
