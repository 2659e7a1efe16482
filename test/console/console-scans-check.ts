// Items at the till, in a real browser: scanned, typed, and sold to a customer who gives no name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { cup, cupLine, isSettled, lines, openTill, quickly, slowly, tea } from './console-till.ts';

const mug = { sku: 'MUG', name: 'Mug', unitPrice: 1200, currency: 'USD', barcode: '4099999999999' };
const old = {
  sku: 'OLD',
  name: 'Old cup',
  unitPrice: 100,
  currency: 'EUR',
  barcode: '4000000000000',
  active: false,
};

const focusedLine = `[...document.querySelectorAll('.line')].findIndex((each) => each.contains(document.activeElement))`;
const itemOf = (index: number): string =>
  `document.querySelectorAll('.line')[${index}]?.querySelector('input')`;
test('items at the till', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person, begin, type, newest } = await openTill(t);
  for (const body of [mug, old]) await service.post('/products', { token, body });
  const { body: open } = await service.get('/orders?limit=1', { token });
  await service.patch(`/orders/${open.data[0].id}`, { token, body: { status: 'paid' } }); // that of the container
  const focus = (line: number): Promise<unknown> => tab.evaluate(`${itemOf(line)}.focus()`);
  async function placeByKeys(): Promise<number> {
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, modifiers: 2 };
    await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', ...enter });
    await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
    return 2;
  }

  await t.test('each scan fills a line, and the same one again adds one to it', async () => {
    await begin();
    await focus(0);
    await tab.scan(tea.barcode);
    await tab.scan(cup.sku);
    await tab.scan(tea.barcode);
    await tab.scan('tea-250');
    await tab.until(isSettled);
    assert.deepEqual(await tab.evaluate(lines), [['Green tea, 250 g', 'TEA-250', '3', '7.49'], cupLine]);
    assert.equal(await tab.evaluate(focusedLine), 2);
    await person.see('61.47');
    assert.equal(await tab.evaluate('location.hash'), '#/new', 'no scan places the order');
  });

  await t.test('no scan is lost while the answers are slow, and none takes the focus', async () => {
    await begin();
    await tab.evaluate(slowly);
    await focus(0);
    for (const code of [tea.barcode, cup.barcode, tea.barcode]) await tab.scan(code);
    await tab.type('Ribbon');
    assert.equal(await tab.evaluate('document.activeElement.value'), 'Ribbon');
    await tab.until(isSettled);
    assert.equal(await tab.evaluate('document.activeElement.value'), 'Ribbon');
    assert.deepEqual(await tab.evaluate(lines), [
      ['Green tea, 250 g', 'TEA-250', '2', '7.49'],
      cupLine,
      ['Ribbon', '', '1', ''],
    ]);
    await tab.evaluate(quickly);
  });

  await t.test('what no product has stays, with what to do about it', async () => {
    await begin();
    await focus(0);
    await tab.scan('9999999999999');
    await tab.scan(old.barcode);
    await tab.scan(mug.barcode);
    await tab.until(isSettled);
    await person.see('No product that is sold now has this SKU or barcode: enter its name and price.');
    await person.see('Its price is in USD: enter it in EUR.');
    assert.deepEqual(await tab.evaluate(lines), [
      ['9999999999999', '', '1', ''],
      [old.barcode, '', '1', ''],
      ['Mug', 'MUG', '1', ''],
    ]);
  });

  await t.test('what was sold before is completed by its SKU, too', async () => {
    await begin();
    await focus(0);
    await tab.scan('TEA-40FT');
    await tab.until(isSettled);
    assert.deepEqual(await tab.evaluate(lines), [
      ['Container of green tea, loose', 'TEA-40FT', '1', '987654.99'],
    ]);
  });

  await t.test('a code that was pasted or typed is as good as a scan', async () => {
    await begin();
    await focus(0);
    await tab.evaluate(`{
      const control = document.activeElement;
      const pasted = { inputType: 'insertFromPaste', data: 'CUP-010', bubbles: true };
      control.dispatchEvent(new InputEvent('beforeinput', pasted));
      control.value = 'CUP-010';
      control.dispatchEvent(new InputEvent('input', pasted));
    }`);
    await wait(150);
    await tab.press('Enter');
    await type('tea-250', 'Enter');
    await tab.until(isSettled);
    await tab.until(`(${focusedLine}) === 2`);
    assert.deepEqual(await tab.evaluate(lines), [cupLine, ['Green tea, 250 g', 'TEA-250', '1', '7.49']]);
  });

  await t.test('a known customer and three scanned items take eight keys beside the scans', async () => {
    await begin();
    let keys = await type('grace', 'Enter');
    await tab.until(
      'document.querySelector("[data-pointer=\'/shippingAddress/city\']").value === "Oldenburg"',
    );
    await person.see('Customer 1 · +49 441 1234 · customer@example.com · Oldenburg');
    for (const code of [tea.barcode, cup.barcode, tea.barcode]) await tab.scan(code);
    keys += await placeByKeys();
    await tab.until('location.hash.startsWith("#/orders/")');
    assert.ok(keys <= 8, `${keys} keys`);
    const { customerId, total } = await newest();
    assert.deepEqual([customerId, total], [1, 5398]);
  });

  await t.test('a known customer and two typed items take 28 keys at most', async () => {
    await begin();
    let keys = await type('grace', 'Enter');
    await tab.until(
      'document.querySelector("[data-pointer=\'/shippingAddress/city\']").value === "Oldenburg"',
    );
    keys += await type('cup', 'Enter', 'Red ribbon', 'Enter', '2,50', 'Enter');
    keys += await placeByKeys();
    await tab.until('location.hash.startsWith("#/orders/")');
    assert.ok(keys <= 28, `${keys} keys`);
    assert.equal((await newest())['total'], 4150);
  });

  await t.test('a sale without a name needs no customer and no address', async () => {
    const sell = async (): ReturnType<typeof newest> => {
      await begin();
      const { id } = await newest();
      await tab.scan(cup.barcode);
      await tab.until(`${isSettled} && ${itemOf(0)}?.value === 'Cup'`);
      await tab.press('F4');
      await tab.until(`/Order ${id + 1}\\b/.test(document.querySelector('#notices').innerText)`);
      return newest();
    };
    const { token: guest } = await service.person('user', 'Guest');
    await service.post('/customers', { token: guest, body: { name: 'Walk-in' } }); // who could rename it later
    const first = await sell();
    assert.equal(first['shippingAddress'], null);
    const second = await sell();
    assert.equal(second.customerId, first.customerId, 'there is one such customer');
    const { body: customer } = await service.get(`/customers/${first.customerId}`, { token });
    assert.deepEqual([customer.name, customer.userId], ['Walk-in', first['userId']]);
  });

  await t.test(
    'the total and the button are in sight however long the order is, and hide no field',
    async () => {
      for (const width of [1280, 390]) {
        await tab.screen(width, 'light');
        await begin();
        await focus(0);
        for (let count = 0; count < 12; count += 1) await tab.evaluate(addLine);
        await tab.evaluate('scrollTo(0, 0)');
        assert.deepEqual(await tab.evaluate(isInSight), [true, true]);
        await tab.evaluate(`${itemOf(7)}.focus()`);
        const isBelow = `document.activeElement.getBoundingClientRect().bottom > document.querySelector('.bar').getBoundingClientRect().top`;
        assert.equal(await tab.evaluate(isBelow), false, `${width} pixels`);
      }
      await tab.screen(1280, 'light');
    },
  );
});

const addLine = `[...document.querySelectorAll('button')].find((each) => each.textContent === 'Add item').click()`;
const isInSight = `['.total', '.bar .primary'].map((selector) => {
  const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();
  return document.elementsFromPoint(x + width / 2, y + height / 2)[0]?.closest(selector) !== null;
})`;
