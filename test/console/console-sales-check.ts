// One sale after the other over the counter, in a real browser that nobody has set up: by few keys, while answers are
// slow or the service is away, parked and taken back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fieldAt, holdRequests, network } from './console-actions.ts';
import { cup, cupLine, cups, isSettled, isSold, lines, openTill, tea, teaLine } from './console-till.ts';

const latency = 400;
const addLine = `[...document.querySelectorAll('button')].find((each) => each.textContent === 'Add item').click()`;
const countTones = `{
  window.tones = 0;
  window.startTone ??= OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function () {
    window.tones += 1;
    window.startTone.call(this);
  };
}`;
const isInSight = `['.total', '.bar .primary', '.bar [type=submit]'].map((selector) => {
  const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();
  return document.elementsFromPoint(x + width / 2, y + height / 2)[0]?.closest(selector) !== null;
})`;

test('sales over the counter', { timeout: 300_000 }, async (t) => {
  const { service, office, tab, person, orders, begin, type, seeItems } = await openTill(t);
  /** Begins a sale of these, and resolves to the id that its order is going to have. */
  async function scanned(...products: readonly (typeof tea)[]): Promise<number> {
    await begin();
    const { id } = await orders.newest();
    for (const { barcode } of products) await tab.scan(barcode);
    await tab.until(isSettled);
    return id + 1;
  }
  const skusOf = async (id: number): Promise<unknown> => (await orders.read(id)).items.map(({ sku }) => sku);

  await t.test('take eight keys beside the scans for a known customer, and 28 by hand', async () => {
    for (const [keysMax, total, enter] of [
      [
        8,
        5398,
        async () => {
          for (const { barcode } of [tea, cup, tea]) await tab.scan(barcode);
          return 0;
        },
      ],
      [28, 4150, () => type('cup', 'Enter', 'Red ribbon', 'Enter', '2,50', 'Enter')],
    ] as const) {
      await begin();
      let keys = await type('grace', 'Enter');
      await person.seeEntered('/shippingAddress/city', 'Oldenburg');
      await person.see('Customer 1 · +49 441 1234 · customer@example.com · Oldenburg');
      keys += await enter();
      await person.ctrlEnter();
      await tab.until('location.hash.startsWith("#/orders/")');
      assert.ok(keys + 2 <= keysMax, `${keys} keys`);
      const order = await orders.newest();
      assert.deepEqual([order.customerId, order.total], [1, total]);
    }
  });

  await person.go('#/new');
  await network(tab, { latency });

  await t.test(
    'without a name are a walk-in customer’s, handed over, and say what was paid how',
    async () => {
      const guest = await service.person('user', 'Guest');
      await guest.post('/customers', { name: 'Walk-in' }); // who could rename it later
      const first = await scanned(tea);
      await tab.press('F2');
      await person.see('Sold: €7.49, Card.');
      const { status, shippingAddress, payment, customerId, userId } = await orders.read(first);
      assert.deepEqual([status, shippingAddress, payment], ['delivered', null, 'card']);
      const { name, userId: ownerId } = (await office.get(`/customers/${customerId}`)).body;
      assert.deepEqual([name, ownerId], ['Walk-in', userId]);
      const second = await scanned(cup);
      await tab.press('F8');
      await tab.until(isSold(second));
      const { customerId: sameId, payment: other } = await orders.read(second);
      assert.deepEqual([sameId, other], [customerId, 'transfer'], 'there is one such customer');
      await office.patch('/shop', { registration: 'closed' });
      await person.reload();
      const third = await scanned(cup);
      await tab.press('F8');
      await tab.until(isSold(third));
      assert.equal((await orders.read(third)).customerId, customerId, 'never that of a guest from before');
      await office.patch('/shop', { registration: 'open' });
      await person.reload();
    },
  );

  await t.test('are a walk-in’s where only digits are in Customer, which are said', async () => {
    for (const [digits, key] of [
      ['4012', 'F2'],
      ['40063813', 'F4'],
    ] as const) {
      const id = await scanned(tea);
      await person.enter('Customer', digits);
      await tab.press(key);
      await person.see(`Sold without a customer: “${digits}” was not chosen.`);
      const { customerId, status } = await orders.read(id);
      assert.equal((await office.get(`/customers/${customerId}`)).body.name, 'Walk-in');
      assert.equal(status, 'delivered');
    }
    assert.equal((await office.get('/customers?q=4012')).body.data.length, 0);
  });

  await t.test('have a barcode that was typed into Customer, by hand or by the slowest scanner', async () => {
    const id = await scanned(tea);
    await tab.scan(cup.barcode, { milliseconds: 200 });
    await seeItems(teaLine, cupLine);
    await tab.press('F4');
    await tab.until(isSold(id));
    assert.equal((await orders.read(id)).total, 4649);
  });

  await t.test('that are refused say so by the tone of each scan, until they are right', async () => {
    const id = await scanned(tea);
    await person.enter('Customer', 'grac');
    await tab.evaluate(countTones);
    await tab.press('F4');
    await person.see('Choose a customer from the list, or enter the name of a new one.');
    assert.equal(await tab.evaluate('window.tones'), 1);
    await tab.scan(cup.barcode);
    await seeItems(teaLine, cupLine);
    assert.equal(await tab.evaluate('window.tones'), 2);
    await person.chooseCustomer('grace');
    await tab.scan(cup.barcode);
    await seeItems(teaLine, cups(2));
    assert.equal(await tab.evaluate('window.tones'), 2);
    await tab.press('F4');
    await person.see(`Order ${id}`);
  });

  for (const pause of [0, 350])
    await t.test(`have what is scanned ${pause} ms after the one before was ended`, async () => {
      const id = await scanned(tea);
      await tab.press('F4');
      await wait(pause);
      await tab.scan(cup.barcode);
      await tab.scan(tea.barcode);
      await tab.until(isSold(id));
      await seeItems(cupLine, teaLine);
      assert.equal((await orders.newest()).id, id);
      assert.deepEqual(await skusOf(id), ['TEA-250']);
    });

  for (const end of ['Enter', 'Tab'] as const)
    await t.test(`have all of a slow scan with ${end}, though the form is replaced meanwhile`, async () => {
      const id = await scanned(tea);
      await tab.press('F4');
      await tab.scan(cup.barcode, { milliseconds: 80, end });
      await tab.until(isSold(id));
      await seeItems(cupLine);
    });

  await t.test('have all of slow scans that began on another page, and are ended at once', async () => {
    await begin();
    await person.go('#/orders');
    for (const { barcode } of [tea, cup]) await tab.scan(barcode, { milliseconds: 80 });
    await seeItems(teaLine, cupLine);
    const id = await scanned();
    for (const { barcode } of [tea, cup, tea]) await tab.scan(barcode, { milliseconds: 80 });
    await tab.press('F4');
    await tab.until(isSold(id));
    assert.equal((await orders.read(id)).total, 5398);
  });

  await t.test('that are ended while the one before is sent are said to be still open', async () => {
    const id = await scanned(tea);
    await tab.press('F4');
    await tab.scan(cup.barcode);
    await tab.press('F4');
    await person.see('The order before was still being sent: end this one again.');
    await seeItems(cupLine);
    assert.equal((await orders.newest()).id, id);
    await tab.press('F4');
    await tab.until(isSold(id + 1));
    assert.deepEqual(await skusOf(id + 1), ['CUP-010']);
  });

  await t.test('ended while scans are looked up wait for them, and are booked once', async () => {
    await tab.evaluate(holdRequests);
    const waits = 'What was scanned is still being looked up.';
    const id = await scanned(tea);
    await tab.evaluate(`holdOnly('/products')`);
    for (const { barcode } of [cup, cup]) await tab.scan(barcode);
    for (let times = 0; times < 2; times += 1) await tab.press('F4');
    await person.see(waits);
    const quantity = fieldAt('/items/0/quantity');
    await tab.evaluate(`${quantity}.focus()`);
    assert.equal(await tab.evaluate(`document.activeElement === ${quantity}`), false, 'it can’t be changed');
    await tab.scan(tea.barcode); // of the next customer
    assert.equal(await tab.evaluate('held.length'), 2, 'both at once');
    await tab.evaluate('holdOnly(null)');
    await person.see('Sold: €85.49, Cash.');
    await seeItems(teaLine);
    const { id: newest, total } = await orders.newest();
    assert.deepEqual([newest, total], [id, tea.unitPrice + 2 * cup.unitPrice]);
  });

  await t.test('with a code that no product has say that they are open, until they are paid', async () => {
    const refusal = `document.querySelector('.refused')?.innerText`;
    const id = await scanned(cup);
    await tab.evaluate(countTones);
    await tab.evaluate(`holdOnly('/products')`);
    for (const code of ['9999999999999', tea.barcode]) await tab.scan(code);
    await tab.press('F4');
    await tab.evaluate('holdOnly(null)');
    await tab.until(`${refusal}?.startsWith('Not sold. Line 2: No product ')`);
    const issues = `[...document.querySelectorAll('.line .issue')].filter((each) => each.innerText !== '').length`;
    assert.equal(await tab.evaluate(issues), 1);
    assert.equal(await tab.evaluate(`${refusal}.split('9999999999999').length`), 2, 'it is named once');
    assert.equal(await tab.evaluate('window.tones'), 2, 'for the code, and for the payment');
    await tab.scan(tea.barcode);
    await tab.until('window.tones === 3');
    assert.equal((await orders.newest()).id, id - 1);
    await tab.scan('8888888888888');
    await tab.until(`(${issues}) === 2`);
    await person.press('Remove what wasn’t found');
    await person.miss('Remove what wasn’t found');
    await tab.until(`${refusal} === undefined`);
    await tab.press('F4');
    await tab.until(isSold(id));
    assert.equal((await orders.read(id)).total, cup.unitPrice + 2 * tea.unitPrice);
    await seeItems();
  });

  await t.test('that lack a price because the service is away aren’t paid until it is shown', async () => {
    const id = await scanned(tea);
    await network(tab, { offline: true });
    await tab.scan(cup.barcode);
    await tab.evaluate(countTones);
    await tab.press('F4');
    await tab.until(
      `document.querySelector('.form-issue').innerText.startsWith('The service couldn’t be reached.')`,
    );
    await tab.until('window.tones === 2'); // of the scan, too
    const others = `[...document.querySelectorAll('.line .issue, .refused')].map((each) => each.innerText).join('')`;
    assert.equal(await tab.evaluate(others), '', 'it is said once');
    await network(tab, { latency });
    await seeItems(teaLine, cupLine);
    await tab.until(`document.querySelector('.form-issue').innerText === ''`);
    await wait(1_000);
    assert.equal((await orders.newest()).id, id - 1, 'nothing is sent by itself');
    await tab.press('F4');
    await tab.until(isSold(id));
    assert.equal((await orders.read(id)).total, tea.unitPrice + cup.unitPrice);
  });

  await t.test('have what is scanned after an unknown code without Web Audio, too', async () => {
    await begin();
    await tab.evaluate('window.AudioContext = undefined; delete window.AudioContext');
    for (const code of ['9999999999999', tea.barcode]) await tab.scan(code);
    await seeItems(['9999999999999', '', '1', ''], teaLine);
  });

  await t.test('without an answer are sent once the service is back, however long that takes', async () => {
    const id = await scanned(tea);
    await network(tab, { offline: true });
    const [pressedAt, attemptsMilliseconds] = [Date.now(), 3_750];
    await tab.press('F4');
    await person.see('This order is sent as soon as it is back.');
    assert.ok(Date.now() - pressedAt < attemptsMilliseconds, 'from the first attempt that is not answered');
    const isPale = `[...document.querySelectorAll('.bar [type=submit]')].map(({ ariaBusy }) => ariaBusy)`;
    assert.deepEqual(await tab.evaluate(isPale), Array(4).fill('true'));
    await tab.scan(cup.barcode);
    await person.see('Kept for the next sale: 1');
    await wait(4_000);
    await network(tab, { latency });
    await tab.until(isSold(id));
    await seeItems(cupLine);
    assert.deepEqual(await skusOf(id), ['TEA-250']);
  });

  await t.test('are sent no more once somebody doesn’t want to wait', async () => {
    const id = await scanned(tea);
    await network(tab, { offline: true });
    await tab.press('F4');
    await person.press('Don’t wait');
    await person.see('No answer: it may be placed.');
    await network(tab, { latency });
    await wait(1_500);
    assert.equal((await orders.newest()).id, id - 1);
    await tab.press('F4');
    await tab.until(isSold(id));
  });

  await t.test('have what was scanned while the service was away, once it is back', async () => {
    await scanned(tea);
    await network(tab, { offline: true });
    await tab.scan('4000000000000');
    await person.see('The service can’t be reached.');
    await tab.until(isSettled);
    await tab.scan(cup.barcode, { milliseconds: 80 });
    await network(tab, { latency });
    await seeItems(teaLine, ['4000000000000', '', '1', ''], cupLine);
    await person.see('No product that is sold now has the code “4000000000000”: enter its name and price.');
  });

  await t.test('are taken back by a refund, with their items in a new order', async () => {
    const id = await scanned(tea, cup);
    await tab.press('F4');
    await tab.until(isSold(id));
    await tab.scan(cup.barcode); // of the next customer
    await seeItems(cupLine);
    await person.press('Take back');
    await seeItems(teaLine, cupLine);
    await wait(latency); // the form has been drawn by then, and says nothing else
    await person.see(`Order ${id} is refunded, and what was in it is here again.`);
    assert.equal((await orders.read(id))['status'], 'refunded');
    await person.press('1 parked: €39.00');
    await seeItems(cupLine);
    await person.see('Parked: €46.49.');
    await person.startOver();
    await person.press('1 parked');
    await seeItems(teaLine, cupLine);
  });

  await t.test('that were given up by mistake come back', async () => {
    const id = await scanned(tea, cup);
    await person.press('Start over');
    await seeItems();
    await tab.scan(cup.barcode);
    await seeItems(cupLine);
    await person.press('Undo');
    await seeItems(teaLine, cupLine);
    await person.see('Parked: €39.00.');
    await tab.press('F4');
    await tab.until(isSold(id));
    await person.press('1 parked');
    await seeItems(cupLine);
    await person.startOver();
  });

  await t.test(
    'are parked for the next customer, and go on from the one that has waited longest',
    async () => {
      await scanned(tea);
      await person.press('Park');
      await seeItems();
      await person.see('1 parked: €7.49');
      await person.see('Parked: €7.49.');
      await tab.scan(cup.barcode);
      await seeItems(cupLine);
      await person.press('New order');
      await person.see('2 parked');
      await seeItems();
      await person.press('2 parked');
      await seeItems(teaLine);
      await person.see('Begun ');
      await person.press('1 parked');
      await seeItems(cupLine);
      await person.startOver();
      await person.press('1 parked');
      await seeItems(teaLine);
      await person.press('Start over');
      await seeItems();
      await person.miss('parked');
    },
  );

  await t.test('have discounts, which may be typed with their minus', async () => {
    await scanned(tea);
    for (const typed of ['-10 %', '−0,75', '- 1']) {
      await person.press('Add discount');
      await tab.type(typed);
    }
    await tab.until(`document.querySelector('.total').innerText === '€4.99'`);
    await person.see('Of the €7.49 above it');
  });

  await t.test('refuse a barcode that was typed into Price at once', async () => {
    await begin();
    await person.enter('Item', 'Ribbon');
    await person.enter('Price', '4');
    await type('000000000006');
    await tab.press('Tab');
    await person.see('That is a barcode, no price.');
  });

  await t.test('with a price far above the product’s own ask once whether it is meant', async () => {
    const id = await scanned(tea);
    await person.enter('Price', '5390123');
    await tab.press('F4');
    await person.see('Green tea, 250 g costs €7.49, not €5,390,123.00. Press again if that is meant.');
    assert.equal((await orders.newest()).id, id - 1);
    await tab.press('F4');
    await tab.until(isSold(id));
  });

  await t.test('of a product whose price stands for any ask nothing', async () => {
    await office.post('/products', { sku: 'REP-1', name: 'Repair', unitPrice: 100, currency: 'EUR' });
    const id = await scanned({ ...tea, barcode: 'REP-1' });
    await person.enter('Price', '85');
    await tab.press('F4');
    await tab.until(isSold(id));
  });

  await t.test('that are parked are counted where signing out would lose them', async () => {
    await scanned(tea);
    await person.press('Park');
    await person.see('1 parked');
    await person.press('Sign out');
    await person.see('New orders that are not placed yet and will be lost: 1 (€');
    const isLosing = `document.querySelector('dialog .danger').innerText === 'Sign out'`;
    assert.equal(await tab.evaluate(isLosing), true);
    await person.press('Stay');
    await person.press('1 parked');
    await seeItems(teaLine);
  });

  await t.test('are handed over, picked up or sent: the same choices for each customer', async () => {
    const chosen = `document.querySelector('main [type=radio]:checked').id`;
    const seeChosen = (id: string): Promise<void> => tab.until(`${chosen} === '${id}'`);
    const isLater = 'With “Place order” it is picked up later: if not, press “Handed over”.';
    const isSentSaid = 'It is sent, since the customer has an address.';
    await begin();
    await seeChosen('is-handed-over');
    await person.miss(isLater); // a sale to nobody is paid
    await person.chooseCustomer('grace');
    await person.see(isSentSaid);
    await seeChosen('is-sent');
    await person.check('Picked up');
    await person.miss(isSentSaid);
    await tab.press('F9');
    await seeChosen('is-handed-over');
    await person.miss(isLater);
    await person.chooseCustomer('ada');
    await seeChosen('is-handed-over');
    await begin();
    await person.enter('Customer', 'Emmy Noether');
    await person.press('New customer “Emmy Noether”');
    await person.see(isLater);
    await seeChosen('is-handed-over');
    await person.check('Handed over');
    await person.miss(isLater);
    await person.reload();
    await person.see('A new customer.');
    await person.miss(isLater);
    await person.check('Sent');
    await person.see('A new customer, who gets the address below.');
    await person.enter('Street and number', 'Hauptstraße 5');
    await seeChosen('is-sent');
  });

  await t.test('that are handed over leave a new customer the address that was typed', async () => {
    const id = await scanned(tea);
    await person.enter('Customer', 'Sofja Kowalewskaja');
    await person.press('New customer “Sofja Kowalewskaja”');
    await person.check('Sent');
    for (const [label, text] of [
      ['Street and number', 'Hauptstraße 5'],
      ['Postal code', '28195'],
      ['City', 'Bremen'],
    ] as const)
      await person.enter(label, text);
    await tab.evaluate(`${fieldAt('/shippingAddress/country')}.value = 'DE'`);
    await tab.press('F9');
    await tab.press('F4');
    await tab.until(isSold(id));
    const { customerId, shippingAddress } = await orders.newest();
    const { address } = (await office.get(`/customers/${customerId}`)).body;
    assert.deepEqual([shippingAddress, Object(address).line1], [null, 'Hauptstraße 5']);
  });

  await t.test(
    'on account are open to a customer whose name is enough, and are picked up later',
    async () => {
      const id = await scanned(tea);
      await person.enter('Customer', 'Olga Ladyschenskaja');
      await person.press('New customer “Olga Ladyschenskaja”');
      await person.press('Place order');
      await tab.until(`location.hash === '#/orders/${id}'`);
      const { status, metadata } = await orders.read(id);
      assert.deepEqual([status, metadata], ['open', {}]);
      await person.see('Pickup');
    },
  );

  await t.test('on account that were handed over end with their payment', async () => {
    const id = await scanned(tea);
    await person.chooseCustomer('grace');
    await tab.press('F9');
    await person.press('Place order');
    await tab.until(`location.hash === '#/orders/${id}'`);
    assert.equal((await orders.read(id))['status'], 'open');
    const way = `document.querySelector('.states').innerText.split('\\n').join()`;
    await tab.until(`${way} === 'Open,Paid,Handed over'`);
    const recipient = `document.querySelector('.sheet address').textContent`;
    assert.match(await tab.evaluate(recipient), /Grace Hopper.*Handed over/s);
    await person.press('Paid: Transfer');
    await person.see(`Order ${id} is handed over.`);
    await person.miss('Mark as');
    const { status, payment } = await orders.read(id);
    assert.deepEqual([status, payment], ['delivered', 'transfer']);
    await person.press('Back to open');
    await person.see(`Order ${id} is open again.`);
    await person.press('Undo');
    await person.see(`Order ${id} is handed over.`);
    assert.equal((await orders.read(id))['payment'], 'transfer');
  });

  await t.test('whose metadata says that nothing was handed over are made ready', async () => {
    const { id } = await orders.place({ status: 'paid', payment: 'cash', metadata: { 'handed-over': 'no' } });
    await person.go(`#/orders/${id}`);
    await person.press('Mark as ready');
    await person.see(`Order ${id} is ready.`);
  });

  await t.test('on account whose steps stop halfway show where, and go on to the end', async () => {
    const { id } = await orders.place({ metadata: { 'handed-over': 'yes' } });
    await person.go(`#/orders/${id}`);
    await tab.evaluate(`{
      const send = fetch;
      window.fetch = async (path, options) => {
        if (options?.method === 'PATCH' && options.body.includes('shipped')) throw new TypeError('away');
        return send(path, options);
      };
      window.online = () => (window.fetch = send);
    }`);
    await person.press('Paid: Cash');
    await person.see(`Order ${id} is paid, but was not marked as handed over.`);
    await person.miss('Mark as ready');
    await tab.evaluate('online()');
    await person.press('Mark as handed over');
    await person.see(`Order ${id} is handed over.`);
    const { status, payment } = await orders.read(id);
    assert.deepEqual([status, payment], ['delivered', 'cash']);
  });

  await t.test('find an item whose name was typed into Customer, which is no new customer', async () => {
    await begin();
    await person.enter('Customer', 'green tea, 250 g');
    await person.press('Item “Green tea, 250 g”');
    await seeItems(teaLine);
    await person.seeEntered('/customerId', '');
    await person.enter('Customer', 'Cup');
    await tab.press('F4');
    await person.see('Choose a customer from the list, or enter the name of a new one.');
    await tab.until(`document.querySelector('[role=option]')?.innerText.startsWith('Item “Cup”')`);
    await person.press('New customer “Cup”');
    await tab.press('F4');
    await tab.until(`document.querySelector('#notices').innerText.includes('New customer “Cup”')`);
  });

  await t.test('take a product that was chosen as itself, whatever its SKU looks like', async () => {
    const candle = { sku: 'C1', name: 'Candle', unitPrice: 300, currency: 'EUR' };
    await office.post('/products', candle);
    const candleLine = ['Candle', 'C1', '1', '3.00'];
    await begin();
    await person.enter('Customer', 'Candle');
    await person.press('Item “Candle”');
    await seeItems(candleLine);
    await person.seeEntered('/customerId', '');
    await begin();
    await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'k', code: 'KeyK', modifiers: 2 });
    await tab.until('document.activeElement.closest("dialog")');
    await tab.type('Candle');
    await tab.until(`document.querySelector('dialog [role=option]')?.innerText.startsWith('Candle')`);
    await tab.press('Enter');
    await seeItems(candleLine);
    await person.seeEntered('/customerId', '');
  });

  await t.test('find a customer who is called like an item before that item', async () => {
    await office.post('/products', { sku: 'ROSE', name: 'Rosa', unitPrice: 300, currency: 'EUR' });
    await office.post('/customers', { name: 'Rosa' });
    await begin();
    await tab.type('Rosa');
    const found = `[...document.querySelectorAll('[role=option]')].map((each) => each.firstChild.textContent).join()`;
    await tab.until(`${found} === 'Rosa,New customer “Rosa”,Item “Rosa”'`);
    await tab.press('Enter');
    await tab.until(`document.querySelector('main').innerText.includes('Customer ')`);
    await person.seeEntered('/customerId', 'Rosa');
    assert.deepEqual(await tab.evaluate(lines), []);
  });

  await t.test('to a name that was typed say that it is a new customer', async () => {
    await scanned(tea);
    await person.enter('Customer', 'Dandelion honey');
    await person.press('New customer “Dandelion honey”');
    await tab.press('F4');
    await person.see('Sold: €7.49, Cash.');
    await tab.until(
      `document.querySelector('#notices').innerText.includes('New customer “Dandelion honey”')`,
    );
  });

  await t.test('to a customer who has an address are taken back, too', async () => {
    const id = await scanned(tea);
    await person.chooseCustomer('grace');
    await tab.press('F4');
    await person.see('Paid: €7.49, Cash.');
    await person.press('Take back');
    await seeItems(teaLine);
    await person.seeEntered('/customerId', 'Grace Hopper');
    assert.equal((await orders.read(id))['status'], 'refunded');
  });

  await t.test('that aren’t paid need a customer, whose name is enough', async () => {
    await scanned(tea);
    await person.press('Place order');
    await person.see('Choose a customer from the list, or enter the name of a new one.');
    await tab.type('Lise Meitner');
    await person.check('Picked up');
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    await person.see('Lise Meitner');
  });

  for (const width of [1280, 820, 390])
    await t.test(
      `have total, button, and what is said in sight at ${width}, which hide no field`,
      async () => {
        await tab.screen(width, 'light');
        const titleTop = `document.querySelector('main h1').getBoundingClientRect().top`;
        const id = await scanned(tea);
        await tab.evaluate('scrollTo(0, 0)');
        const before = await tab.evaluate(titleTop);
        await tab.press('F4');
        await tab.until(isSold(id));
        await seeItems();
        await tab.evaluate('scrollTo(0, 0)');
        if (width > 390) assert.equal(await tab.evaluate(titleTop), before, 'nothing moves');
        const covered = `[...document.querySelectorAll('main h1, main form :is(input, select, button), .side a')]
        .filter((each) => {
          const [a, b] = [each, document.querySelector('.notice')].map((one) => one.getBoundingClientRect());
          return a.width > 0 && a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right;
        }).map((each) => each.outerHTML)`;
        assert.deepEqual(await tab.evaluate(covered), []);
        for (let count = 0; count < 12; count += 1) await tab.evaluate(addLine);
        await tab.evaluate('scrollTo(0, 0)');
        assert.deepEqual(await tab.evaluate(isInSight), [true, true, true]);
        await tab.evaluate(`document.querySelectorAll('.line')[7].querySelector('input').focus()`);
        const top = `document.querySelector('.bar').getBoundingClientRect().top`;
        assert.ok(await tab.evaluate(`document.activeElement.getBoundingClientRect().bottom <= ${top}`));
        await tab.screen(1280, 'light');
      },
    );

  await t.test('leave no empty place above the next one, once something is scanned for it', async () => {
    await tab.screen(390, 'light');
    const id = await scanned(tea);
    await tab.evaluate(`{
      window.later = setTimeout;
      window.setTimeout = (run, milliseconds) => later(run, milliseconds / 10);
    }`);
    await tab.press('F4');
    await tab.until(isSold(id));
    await tab.evaluate('window.setTimeout = later');
    await seeItems();
    const top = `document.querySelector('main h1').getBoundingClientRect().top`;
    const below = await tab.evaluate<number>(top);
    await tab.until('document.querySelector(".notice.over")');
    assert.equal(await tab.evaluate(top), below, 'nothing moves under a finger');
    await tab.scan(tea.barcode);
    await seeItems(teaLine);
    assert.ok((await tab.evaluate<number>(top)) < below - 40);
    await tab.screen(1280, 'light');
  });

  await t.test('show what was scanned last above the bar of a phone', async () => {
    await tab.screen(390, 'light');
    await scanned(tea);
    const inSight = (line: number): string => `(() => {
      const { top, bottom } = document.querySelectorAll('.line')[${line}].getBoundingClientRect();
      return top > -1 && bottom <= document.querySelector('.bar').getBoundingClientRect().top;
    })()`;
    for (const number of [1, 2, 3, 4, 5, 6, 7]) {
      const sku = `MUG-${number}`;
      await office.post('/products', { sku, name: `Mug ${number}`, unitPrice: 900, currency: 'EUR' });
      await tab.scan(sku);
      await tab.until(`document.querySelector('.lines').innerText.includes('${sku}')`);
      await tab.until(`${isSettled} && ${inSight(number)}`);
    }
    assert.equal(await tab.evaluate(inSight(0)), false);
    await tab.scan(tea.barcode);
    await tab.until(inSight(0));
    await tab.screen(1280, 'light');
  });

  await t.test('find a customer by a number that was typed, and nobody where two have it', async () => {
    await office.post('/customers', { name: 'Rosa Luxemburg', phone: '+493077777777' });
    await begin();
    await person.enter('Customer', '+493077777777');
    await tab.evaluate(`${fieldAt('/items/0/name')}.focus()`);
    await person.enter('Item', 'Tea');
    await person.enter('Price', '1');
    await person.press('Place order');
    await person.seeEntered('/customerId', 'Rosa Luxemburg');
  });
});
