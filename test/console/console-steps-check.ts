// The steps of orders, in a real browser: by their payment, at once, taken back, of one order and of many, while others
// are at work; no key and no click reaches another order than the one that was meant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { holdRequests, middleOf, type Place, rowOf } from './console-actions.ts';
import { openSignedIn } from './console-shop.ts';

const bar = `document.querySelector('.selection')`;
const selected = `[...document.querySelectorAll('tbody .select :checked')].map(({ value }) => value).join()`;
const selectAll = `document.querySelector('[data-key="select-all"]').click()`;
const shippingAddress = { line1: 'Hauptstraße 5', postalCode: '26129', city: 'Oldenburg', country: 'DE' };
const sheets = `[...document.querySelectorAll('.sheet')].map((each) => each.textContent)`;

test('the step of an order', { timeout: 300_000 }, async (t) => {
  const { office, tab, person, orders } = await openSignedIn(t);
  await tab.evaluate(holdRequests);
  const moveTo = async ({ x, y }: Place): Promise<void> => {
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  };
  /** What a click at this place would press. */
  const pressableAt = ({ x, y }: Place): Promise<string | null> =>
    tab.evaluate(`(({ ariaLabel, textContent } = {}) => ariaLabel ?? textContent ?? null)(
      document.elementFromPoint(${x}, ${y}).closest('button:enabled') ?? undefined)`);
  const restOn = async (element: string): Promise<Place> => {
    await tab.until(element);
    const at = await middleOf(tab, element);
    await moveTo(at);
    return at;
  };
  const place = async (members: object = {}): Promise<number> => (await orders.place(members)).id;
  const paid = { status: 'paid', payment: 'card', shippingAddress };
  const statusOf = async (id: number): Promise<unknown> => (await orders.read(id))['status'];

  for (const hash of ['#/orders', '#/today'])
    await t.test(`stays under a resting pointer while others place orders: ${hash}`, async () => {
      const { data } = (await office.get('/orders?status=open')).body;
      for (const { id } of data) await orders.change(id, { status: 'paid' }); // Today shows the six oldest
      const id = await place();
      await person.leave();
      await person.go(hash);
      const at = await restOn(`${rowOf(id)}?.querySelector('button')`);
      const newest = await place();
      await person.see('1 new – show');
      assert.equal(await pressableAt(at), `Mark as paid …: order ${id}`);
      assert.equal(await tab.evaluate(rowOf(newest)), null);
      await person.press('1 new – show');
      await tab.until(rowOf(newest));
    });

  await t.test('is made at once, by the payment, and is taken back beside it by another one', async () => {
    const id = await place();
    await person.leave();
    await person.go('#/orders?status=open');
    await person.press(`Mark as paid …: order ${id}`);
    await person.see(`Order ${id}: how were €7.49 paid?`);
    await person.press('Paid: Cash');
    await tab.until(`/Paid[\\n\\t]/.test(${rowOf(id)}.innerText)`);
    const { status, payment } = await orders.read(id);
    assert.deepEqual([status, payment], ['paid', 'cash']);
    await person.see(`Order ${id} is paid.`);
    await person.press(`Take back: order ${id}`);
    await person.see(`Order ${id} is open again.`);
    await tab.until(`${rowOf(id)}.innerText.includes('Open')`);
    const events = (await office.get(`/orders/${id}/events`)).body.data;
    assert.deepEqual([events[0].type, events[0].reason], ['order.corrected', 'It was pressed by mistake.']);
    await person.go(`#/orders/${id}`);
    await person.see('Status paid → open');
    await person.see('It was pressed by mistake.');
    await person.miss('Back to');
  });

  await t.test('is no conflict where the same one was made meanwhile', async () => {
    const id = await place();
    await person.go('#/orders?status=open');
    await person.press(`Mark as paid …: order ${id}`);
    await orders.change(id, { status: 'paid', payment: 'cash' });
    await person.press('Paid: Cash');
    await person.see(`Order ${id} is paid.`);
    await person.miss('was not marked');
  });

  await t.test('is shown by its own answer, in the turn of its notice', async () => {
    await tab.evaluate(`{
      const send = fetch;
      window.fetch = (path, options) => {
        const answer = send(path, options);
        if (window.isStep && options?.method === 'PATCH') holdOnly('/');
        return answer;
      };
    }`);
    for (const hash of ['#/orders', '#/orders/', '#/today']) {
      const { data } = (await office.get('/orders?status=open')).body;
      for (const { id } of data) await orders.change(id, { status: 'cancelled' }); // Today shows the six oldest
      const id = await place();
      const isOnPage = hash === '#/orders/';
      await person.go(isOnPage ? `#/orders/${id}` : hash);
      await tab.evaluate('window.isStep = true');
      if (!isOnPage) await person.press(`Mark as paid …: order ${id}`);
      await person.press('Paid: Transfer');
      await person.see(`Order ${id} is paid.`);
      const shown = isOnPage ? `document.querySelector('main')` : rowOf(id);
      const text = await tab.evaluate<string>(`${shown}.innerText`);
      if (hash !== '#/today') assert.match(text, /Paid/); // which says the next step alone
      assert.match(text, /Mark as ready/);
      await tab.evaluate('window.isStep = false; holdOnly(null)');
      await person.settle();
    }
  });

  await t.test('is not followed by the next one, nor undone: two clicks make one step', async () => {
    const id = await place(paid);
    for (const hash of ['#/orders', `#/orders/${id}`]) {
      await person.leave();
      await person.go(hash);
      const inList = `${rowOf(id)}?.querySelector('.action:last-child button')`;
      const at = await restOn(hash === '#/orders' ? inList : `document.querySelector('.tools .primary')`);
      await person.clickAt(at);
      await wait(300);
      await person.clickAt(at);
      await person.see(`Order ${id} is shipped.`);
      await wait(500);
      assert.equal(await statusOf(id), 'shipped');
      const back = `document.querySelector('main [data-key="back-${id}"]')`;
      await tab.until(back);
      assert.doesNotMatch(String(await pressableAt(at)), /^(Take back|Back to)/, 'it is beside the button');
      await tab.evaluate(`${back}.click()`);
      await person.see(`Order ${id} is paid again.`);
    }
  });

  await t.test('can be taken back for some seconds in its row, and always on its page', async () => {
    const id = await place(paid);
    await person.go('#/orders');
    await person.press(`Mark as shipped: order ${id}`);
    const back = `${rowOf(id)}.querySelector('[data-key="back-${id}"]')`;
    await tab.until(back);
    await wait(9_500);
    await tab.until(`${back} === null`);
    await person.go(`#/orders/${id}`);
    await person.press('Back to paid');
    await person.see(`Order ${id} is paid again.`);
  });

  await t.test('names on its page where it leads back to: a sale has made several at once', async () => {
    const id = await place({ status: 'delivered', payment: 'cash', shippingAddress });
    await person.go(`#/orders/${id}`);
    await person.press('Back to shipped');
    await person.see(`Order ${id} is shipped again.`);
    await person.see('Back to paid');
  });

  await t.test('is no delivery where it was handed over, which is said, and taken back as such', async () => {
    const id = await place({ status: 'delivered', payment: 'cash' });
    await person.go('#/orders');
    await tab.until(`/Handed over/.test(${rowOf(id)}.innerText)`);
    await person.go(`#/orders/${id}`);
    await person.see('Handed over');
    for (const other of ['Delivered', 'Shipped', 'Ships to']) await person.miss(other);
    await person.press('Not handed over yet');
    await person.see(`Order ${id} is ready again.`);
    await person.press('Undo');
    await person.see(`Order ${id} is handed over.`);
    const sent = await place({ status: 'paid', shippingAddress });
    await orders.change(sent, { status: 'shipped' });
    await person.go(`#/orders/${sent}`);
    await person.press('Mark as delivered');
    await person.see('Back to shipped');
  });

  await t.test(
    'is a delivery where the address was erased: nobody knows that it was handed over',
    async () => {
      const { id: customerId } = (await office.post('/customers', { name: 'Ida' })).body;
      const id = await place({ customerId, status: 'delivered', shippingAddress });
      assert.equal((await office.put(`/customers/${customerId}/erasure`)).status, 204);
      for (const hash of [`#/orders?customer=${customerId}`, `#/customers/${customerId}`, `#/orders/${id}`]) {
        await person.go(hash);
        await person.see('Delivered');
        await person.miss('Handed over');
      }
      await person.miss('Pickup');
      await person.press('Back to shipped');
      await person.see(`Order ${id} is shipped again.`);
      await person.press('Undo');
      await person.see(`Order ${id} is delivered.`);
    },
  );

  await t.test('of an order that is picked up hands it over, and can be taken back', async () => {
    const id = await place({ status: 'paid' });
    await person.go(`#/orders/${id}`);
    await person.see('Ready');
    await person.press('Mark as ready');
    await person.see(`Order ${id} is ready.`);
    await wait(800); // sooner it would be a second press
    await person.press('Mark as handed over');
    await person.see(`Order ${id} is handed over.`);
    await person.press('Take back');
    await person.see(`Order ${id} is ready again.`);
  });

  await t.test('that was taken back by mistake is made again, with its payment', async () => {
    const id = await place({ status: 'paid', payment: 'cash' });
    await person.go(`#/orders/${id}`);
    await person.press('Back to open');
    await person.see(`Order ${id} is open again.`);
    await person.press('Undo');
    await person.see(`Order ${id} is paid.`);
    const { status, payment } = await orders.read(id);
    assert.deepEqual([status, payment], ['paid', 'cash']);
    const names = `[...document.querySelectorAll('.next button')].map((each) => each.innerText)`;
    await tab.until(`${names}.join() === 'Mark as ready,Refund …,Back to open'`);
  });

  for (const isLate of [false, true])
    await t.test(
      `says how it was paid meanwhile, ${isLate ? 'at the same moment' : 'before that was seen'}`,
      async () => {
        await person.go('#/customers');
        const id = await place();
        await person.go('#/orders');
        await tab.until(rowOf(id));
        await tab.evaluate(`holdOnly('${isLate ? `/orders/${id}` : '/orders'}')`);
        const pay = async (): Promise<void> => {
          await person.press(`Mark as paid …: order ${id}`);
          await person.press('Paid: Card');
        };
        if (isLate) {
          await pay();
          await tab.until('held.length === 1'); // its version is read
          await tab.evaluate('letGo()');
          await tab.until('held.length === 1'); // the step itself
        }
        await orders.change(id, { status: 'paid', payment: 'cash' });
        if (!isLate) await pay();
        await tab.evaluate('holdOnly(null)');
        await person.see(
          `Order ${id} was not marked as paid. Somebody has changed it meanwhile. It is paid now. Payment: Cash.`,
        );
        assert.equal((await orders.read(id))['payment'], 'cash');
        await person.press('Dismiss');
      },
    );

  await t.test('that can’t be taken back asks, and says what somebody has changed meanwhile', async () => {
    const id = await place();
    await person.go(`#/orders/${id}`);
    await person.press('Cancel order …');
    await tab.until('document.querySelector("dialog[open]")');
    const names = await tab.evaluate<string>('document.querySelector("dialog .buttons").innerText');
    assert.deepEqual(names.split(/\s*\n/), ['Cancel the order', 'Keep it']);
    await orders.change(id, { items: [{ name: 'Tea', quantity: 1, unitPrice: 900 }] });
    await person.press('Cancel the order');
    await person.see('Somebody has changed it meanwhile. It is €9.00 now, not €7.49.');
    await person.press('Keep it');
    assert.equal(await statusOf(id), 'open');
  });

  await t.test('that others take back is not shown as reached', async () => {
    const id = await place({ status: 'paid' });
    await person.go(`#/orders/${id}`);
    const here = `document.querySelector('.states .here').textContent`;
    await tab.until(`${here} === 'Paid'`);
    await orders.change(id, { status: 'open', reason: 'The wrong row.' });
    await person.see('The wrong row.');
    assert.equal(await tab.evaluate(here), 'Open');
    await orders.change(id, { status: 'cancelled' });
    await tab.until(`${here} === 'Cancelled'`);
  });

  await t.test('has a payment that is corrected on its page, and found in the list', async () => {
    const id = await place({ status: 'paid', payment: 'transfer' });
    await person.go('#/orders');
    await person.press('Filter and sort');
    await person.choose('[data-key="payment"]', 'transfer');
    await tab.until(
      `[...document.querySelectorAll("main tbody tr")].every((each) => /Transfer/.test(each.innerText))`,
    );
    assert.match(await tab.evaluate<string>('location.hash'), /payment=transfer/);
    for (const width of [390, 820, 1280]) {
      await tab.screen(width, 'light');
      await tab.until(`/Paid\\s+Transfer/.test(${rowOf(id)}.innerText)`);
    }
    await person.go(`#/orders/${id}`);
    await person.press('Change the payment …');
    await person.press('Paid: Cash');
    await person.see('Payment Transfer → Cash');
    await person.press('Change the payment …');
    const present = `[...document.querySelectorAll('dialog [aria-pressed=true]')].map((each) => each.innerText)`;
    await tab.until('document.querySelector("dialog[open]")');
    assert.deepEqual(await tab.evaluate(present), ['Cash']);
    await person.press('Cancel');
    await tab.until('!document.querySelector("dialog")');
    await person.press('Change the payment …');
    await person.press('Paid: Other');
    await person.see('Payment: Other');
    assert.equal((await orders.read(id))['payment'], 'other');
  });

  await t.test('is reached by Tab from top to bottom on a tablet', async () => {
    await tab.screen(820, 'light');
    const tops = await tab.evaluate<number[]>(`[...document.querySelectorAll('.columns :is(a, button)')]
      .map((each) => each.getBoundingClientRect().top)`);
    assert.ok(tops.length > 4);
    assert.deepEqual(
      tops,
      tops.toSorted((a, b) => a - b),
    );
    await tab.screen(1280, 'light');
  });
});

test('many orders at once', { timeout: 300_000 }, async (t) => {
  const { service, tab, person, orders } = await openSignedIn(t);
  const statusesOf = (ids: readonly number[]): Promise<unknown[]> =>
    Promise.all(ids.map(async (id) => (await orders.read(id))['status']));
  const select = (id: number, shiftKey = false): Promise<unknown> =>
    tab.evaluate(
      `${rowOf(id)}.querySelector('input').dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: ${shiftKey} }))`,
    );
  await tab.evaluate('window.print = () => { window.isPrinting = true; }');

  await t.test('are selected by click, in ranges, by key and all together', async () => {
    await person.go('#/orders');
    assert.equal(await tab.evaluate(`${bar}.hidden`), true);
    await select(11);
    await select(8, true);
    assert.equal(await tab.evaluate(selected), '11,10,9,8');
    await select(10);
    await tab.evaluate(`${rowOf(2)}.querySelector('a').focus()`);
    await tab.press('x');
    await tab.until(`${selected} === '11,9,8,2'`);
    await person.see('4 selected');
    await orders.change(5, { note: 'Drawn again.' });
    await person.settle();
    assert.equal(await tab.evaluate(selected), '11,9,8,2');
    await person.press('Clear');
    await tab.until(`${bar}.hidden`);
    await tab.evaluate(selectAll);
    await person.see('15 selected');
    await tab.evaluate(selectAll);
    assert.equal(await tab.evaluate(`${bar}.hidden`), true);
    await select(11);
    await person.search('hopper');
    await tab.until(`${rowOf(11)} === null`);
    await select(7, true); // the range began at a row that is gone
    await person.see('1 selected');
    await person.press('Clear');
  });

  await t.test('are marked together, by their payment, and those that were not are named', async () => {
    await person.go('#/orders?status=open');
    await person.see('#15');
    await tab.evaluate(selectAll);
    await person.see('5 selected');
    await tab.evaluate(holdRequests);
    await tab.evaluate(`holdOnly('/orders/')`);
    await person.press('Mark 5 as paid …');
    await person.see('How were these 5 orders paid?');
    await person.press('Paid: Transfer');
    await orders.change(2, { items: [{ name: 'Tea', quantity: 1, unitPrice: 749 }] });
    await orders.change(8, { status: 'cancelled' });
    await tab.evaluate('holdOnly(null)'); // what was shown is compared only now
    await person.see('3 orders are paid.');
    const isChanged = 'was not marked as paid. Somebody has changed it meanwhile.';
    await person.see(`Order 2 ${isChanged} It is €7.49 now, not €53.98.`);
    await person.see(`Order 8 ${isChanged} It is cancelled now.`);
    const expected = ['paid', 'open', 'cancelled', 'paid', 'paid'];
    assert.deepEqual(await statusesOf([1, 2, 8, 9, 15]), expected);
    assert.equal((await orders.read(15))['payment'], 'transfer');
    await tab.until(`/Paid/.test(${rowOf(1)}.innerText) && /Cancelled/.test(${rowOf(8)}.innerText)`);
    await person.see('5 selected');
    await person.press('Clear');
  });

  await t.test('are taken back together', async () => {
    const ids = [4, 11, 9];
    const payments = ['cash', 'card', 'transfer'];
    for (const [index, id] of ids.entries()) await orders.change(id, { payment: payments[index] });
    await person.go('#/orders?status=paid');
    await wait(700); // a second press would mean the first step
    for (const id of ids) await select(id);
    await person.press('Mark 3 as shipped');
    await person.see('3 orders are shipped.');
    assert.deepEqual(await statusesOf(ids), ['shipped', 'shipped', 'shipped']);
    await person.press('Take back 3');
    await person.see('3 orders were taken back.');
    assert.deepEqual(await statusesOf(ids), ['paid', 'paid', 'paid']);
    await person.press('Undo');
    await person.see('3 orders are shipped.');
    assert.deepEqual(await statusesOf(ids), ['shipped', 'shipped', 'shipped']);
    const kept = await Promise.all(ids.map(async (id) => (await orders.read(id))['payment']));
    assert.deepEqual(kept, payments, 'each has its own payment');
    await person.press('Take back 3');
    await person.see('3 orders were taken back.');
  });

  for (const [button, of] of [
    ['Packing slips', /Order 10[^]*Grace Hopper/],
    ['Confirmations', /Order 10[^]*This is neither a receipt nor an invoice\./],
  ] as const)
    await t.test(`are printed together, but for one that is refunded: ${button}`, async () => {
      await person.go('#/customers');
      await person.go('#/orders');
      for (const id of [3, 10, 13]) await select(id);
      await tab.evaluate('window.isPrinting = false');
      await person.press(button);
      await tab.until('window.isPrinting');
      await person.see('Left out, since cancelled or refunded: 1.');
      const texts = await tab.evaluate<string[]>(sheets);
      assert.equal(texts.length, 2);
      assert.match(texts[0] ?? '', of);
      const pdf = await tab.print([210, 297]);
      assert.equal(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length, 2, 'pages of their own');
      await tab.evaluate('dispatchEvent(new Event("pointerdown"))');
      assert.deepEqual(await tab.evaluate(sheets), []);
      await person.see('3 selected');
    });

  await t.test('have slips that say what is to be paid, and that somebody comes for it', async () => {
    const { id } = await orders.place();
    const { id: sent } = await orders.place({ status: 'paid', shippingAddress });
    await person.go(`#/orders/${id}`);
    assert.match(String(await tab.evaluate(sheets)), /Grace HopperPickup.*To pay: €7\.49/);
    await person.see('Papers name no sender');
    await person.go(`#/orders/${sent}`);
    await person.see(`Order ${sent}`);
    await tab.until(`/Oldenburg/.test(${sheets})`);
    assert.doesNotMatch(String(await tab.evaluate(sheets)), /Pickup|To pay/);
    await person.go('#/customers/1');
    await person.see('Still to pay');
  });

  for (const width of [1280, 820, 390])
    await t.test(`have buttons that nothing covers at ${width}`, async () => {
      await tab.screen(width, 'light');
      await person.go('#/customers');
      await person.go('#/orders');
      await tab.evaluate(selectAll);
      await person.press('Packing slips');
      await person.see('Left out, since');
      const isApart = `(() => {
        const [a, b] = [${bar}, document.querySelector('.notice')].map((each) => each.getBoundingClientRect());
        return a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      })()`;
      assert.equal(await tab.evaluate(isApart), true);
      await tab.screen(1280, 'light');
    });

  await t.test('and their steps are for staff alone', async () => {
    const user = await service.person('user', 'Owner');
    const { body: customer } = await user.post('/customers', { name: 'Own' });
    const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
    const { body } = await user.post('/orders', { customerId: customer.id, currency: 'EUR', items });
    await person.press('Sign out');
    await person.signIn(service.url, user);
    await person.go('#/orders');
    await person.see('Own');
    assert.equal(await tab.evaluate(`document.querySelector('.select')`), null);
    await person.go(`#/orders/${body.id}`);
    await person.see('Cancel order …');
    await person.miss('Pay by:');
    await orders.change(body.id, { status: 'paid' });
    await tab.until(`document.querySelector('.states .here').textContent === 'Paid'`);
    await person.miss('Back to');
  });
});
