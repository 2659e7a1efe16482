// Orders that are selected in their list of the console, in a real browser: marked and printed together, while
// somebody else changes some of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openSignedIn } from './console-shop.ts';

const row = (id: number): string => `document.querySelector('tr:has([href="#/orders/${id}"])')`;
const box = (id: number): string => `${row(id)}.querySelector('input')`;
const bar = `document.querySelector('.selection')`;

test('many orders at once in the console', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);
  const statusAt = async (id: number): Promise<string> =>
    (await service.get(`/orders/${id}`, { token })).body.status;
  const select = (id: number, shiftKey = false): Promise<unknown> =>
    tab.evaluate(
      `${box(id)}.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: ${shiftKey} }))`,
    );
  const selected = `[...document.querySelectorAll('tbody .select :checked')].map((each) => each.ariaLabel).join()`;

  await t.test('are selected by click, in ranges, by key and all together', async () => {
    await person.go('#/orders');
    assert.equal(await tab.evaluate(`${bar}.hidden`), true);
    await select(11);
    await select(8, true);
    assert.equal(
      await tab.evaluate(selected),
      'Select order 11,Select order 10,Select order 9,Select order 8',
    );
    await select(10);
    await tab.evaluate(`${row(2)}.querySelector('a').focus()`);
    await tab.press('x');
    await tab.until(`${selected} === 'Select order 11,Select order 9,Select order 8,Select order 2'`);
    await person.see('4 selected');
    await service.patch('/orders/5', { token, body: { note: 'Drawn again.' } });
    await person.settle();
    assert.equal(
      await tab.evaluate(selected),
      'Select order 11,Select order 9,Select order 8,Select order 2',
    );
    await person.press('Clear');
    await tab.until(`${bar}.hidden`);
    await tab.evaluate(`document.querySelector('[data-key="select-all"]').click()`);
    await person.see('15 selected');
    await tab.evaluate(`document.querySelector('[data-key="select-all"]').click()`);
    assert.equal(await tab.evaluate(`${bar}.hidden`), true);
    await select(11);
    await person.search('hopper');
    await tab.until(`${row(11)} === null`);
    await select(7, true); // the range began at a row that is gone
    await person.see('1 selected');
    await person.press('Clear');
  });

  await t.test('are marked together, by their payment, and those that were not are named', async () => {
    await person.go('#/orders?status=open');
    await person.see('#15');
    await tab.evaluate(`document.querySelector('[data-key="select-all"]').click()`);
    await person.see('5 selected');
    await tab.evaluate(delayReads);
    await person.press('Mark 5 as paid …');
    await person.see('How were these 5 orders paid?');
    await person.press('Paid: Transfer');
    const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
    await service.patch('/orders/2', { token, body: { items } }); // before what was shown is compared
    await service.patch('/orders/8', { token, body: { status: 'cancelled' } });
    await tab.evaluate('release()');
    await person.see('3 orders are paid.');
    await person.see(
      'Order 2 was not marked as paid. Somebody has changed it meanwhile. It is €7.49 now, not €53.98.',
    );
    await person.see(
      'Order 8 was not marked as paid. Somebody has changed it meanwhile. It is cancelled now.',
    );
    for (const [id, status] of [
      [1, 'paid'],
      [2, 'open'],
      [8, 'cancelled'],
      [9, 'paid'],
      [15, 'paid'],
    ] as const)
      assert.equal(await statusAt(id), status, String(id));
    assert.equal((await service.get('/orders/15', { token })).body.payment, 'transfer');
    await tab.until(`${row(1)}.innerText.includes('Paid') && ${row(8)}.innerText.includes('Cancelled')`);
    await person.see('5 selected');
    await tab.evaluate('restore()');
    await person.press('Clear');
  });

  await t.test('are taken back together', async () => {
    await person.go('#/orders?status=paid');
    await wait(700); // a second press would mean the first step
    for (const id of [4, 11, 9]) await select(id);
    await person.press('Mark 3 as shipped');
    await person.see('3 orders are shipped.');
    for (const id of [4, 11, 9]) assert.equal(await statusAt(id), 'shipped');
    await person.press('Take back 3');
    await person.see('3 orders were taken back.');
    for (const id of [4, 11, 9]) assert.equal(await statusAt(id), 'paid');
    await tab.evaluate(`document.querySelectorAll('.notice button').forEach((each) => each.click())`);
  });

  await t.test('are printed together, each slip on pages of its own', async () => {
    await person.go('#/orders');
    for (const id of [3, 10, 13]) await select(id);
    await tab.evaluate('window.print = () => { window.isPrinting = true; }');
    await person.press('Packing slips');
    await tab.until('window.isPrinting');
    await person.see('1 order is left out: it is cancelled or refunded.');
    const slips = `[...document.querySelectorAll('.sheet')].map((each) => each.innerText)`;
    await tab.send('Emulation.setEmulatedMedia', { media: 'print' });
    const texts = await tab.evaluate<string[]>(slips);
    assert.equal(texts.length, 2, 'order 13 is refunded');
    assert.match(texts[0] ?? '', /Order 10[^]*Grace Hopper/);
    const pdf = await tab.print([210, 297]);
    assert.equal(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length, 2);
    await tab.send('Emulation.setEmulatedMedia', { media: '' });
    await tab.evaluate('dispatchEvent(new Event("pointerdown"))');
    assert.equal(await tab.evaluate(`document.querySelector('.sheet')`), null);
    await person.see('3 selected');
  });

  await t.test(
    'have their confirmations printed together, but for those that are no longer ordered',
    async () => {
      await tab.evaluate('window.isPrinting = false');
      await person.press('Confirmations');
      await tab.until('window.isPrinting');
      const titles = `[...document.querySelectorAll('.sheet')].map((each) => each.textContent)`;
      const texts = await tab.evaluate<string[]>(titles);
      assert.equal(texts.length, 2, 'order 13 is refunded');
      for (const text of texts) assert.match(text, /This is neither a receipt nor an invoice\./);
      await tab.evaluate('dispatchEvent(new Event("pointerdown"))');
      assert.equal(await tab.evaluate(`document.querySelector('.sheet')`), null);
    },
  );

  await t.test('are offered to staff alone', async () => {
    const user = await service.person('user', 'Owner');
    const { body: customer } = await service.post('/customers', { token: user.token, body: { name: 'Own' } });
    const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
    await service.post('/orders', {
      token: user.token,
      body: { customerId: customer.id, currency: 'EUR', items },
    });
    await person.press('Sign out');
    await person.signIn(service.url, { email: user.email, password: user.password });
    await person.go('#/orders');
    await person.see('Own');
    assert.equal(await tab.evaluate(`document.querySelector('.select')`), null);
  });
});

/** Holds the reads of single orders back until the page calls `release`. */
const delayReads = `{
  const send = fetch;
  const held = [];
  let isHeld = true;
  window.fetch = async (path, options) => {
    if (isHeld && options?.method === 'GET' && /^.orders.\\d+$/.test(path)) await new Promise((go) => held.push(go));
    return send(path, options);
  };
  window.release = () => { isHeld = false; held.forEach((go) => go()); };
  window.restore = () => { window.fetch = send; };
}`;
