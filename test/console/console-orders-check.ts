// Orders entered in the console, in a real browser: unknown currencies, delivery addresses, and the issues of
// what was typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin } from '../support/service.ts';
import { openSignedIn } from './console-shop.ts';

test('orders entered in the console', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t, {
    settings: { 'default-currency': 'CHF', 'default-country': 'CH' },
  });

  const placed = (): Promise<number> =>
    service.get('/orders?total=true&limit=1', { token }).then(({ body }) => body.total);
  const newest = async (): Promise<{ id: number; shippingAddress: Record<string, unknown> | null }> =>
    (await service.get('/orders?sort=-id&limit=1', { token })).body.data[0];
  const city = '[data-pointer="/shippingAddress/city"]';
  const enterItem = async (): Promise<void> => {
    await person.enter('Item', 'Tea');
    await person.enter('Price', '7,49');
  };
  const chooseCustomer = async (words: string, name: string): Promise<void> => {
    await person.enter('Customer', words);
    await tab.until('document.querySelector("[role=option][aria-selected=true]")');
    await person.press(name);
  };

  await t.test('have the shop’s currency first, and then those that are common', async () => {
    const firstOf = (select: string): Promise<string[]> =>
      tab.evaluate(
        `[...document.querySelectorAll('${select} option')].slice(0, 5).map(({ value }) => value)`,
      );
    await person.go('#/new');
    assert.deepEqual(await firstOf('[data-pointer="/currency"]'), ['CHF', 'EUR', 'USD', 'GBP', 'JPY']);
    await person.go('#/orders');
    assert.deepEqual(await firstOf('[data-key=currency]'), ['', 'CHF', 'EUR', 'USD', 'GBP']);
  });

  await t.test('say of an empty one what is missing', async () => {
    await person.go('#/new');
    await person.press('Place order');
    await person.see('Choose a customer from the list, or enter the name of a new one.');
    const marked = '[...document.querySelectorAll("[aria-invalid]")].map(({ dataset }) => dataset.pointer)';
    const expected = ['/customerId', '/items/0/name', '/items/0/unitPrice'];
    assert.deepEqual(await tab.evaluate(marked), expected);
  });

  await t.test('are sent to an address or picked up, which somebody has to say', async () => {
    await service.post('/customers', { token, body: { name: 'Rosalind Franklin' } });
    const before = await placed();
    await person.go('#/new');
    await chooseCustomer('rosal', 'Rosalind Franklin');
    await enterItem();
    await person.press('Place order');
    await person.see('Enter the address that it is sent to, or tick “Picked up”.');
    assert.equal(await placed(), before);
    await person.check('Picked up');
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    assert.equal((await newest()).shippingAddress, null);
  });

  await t.test('are sent to the customer’s address, unless another one is entered', async () => {
    for (const [typed, expected] of [
      [undefined, 'Oldenburg'],
      ['Bremen', 'Bremen'],
    ] as const) {
      await person.go('#/new');
      await chooseCustomer('grace', 'Grace Hopper');
      await enterItem();
      await tab.until(`document.querySelector('${city}').value === 'Oldenburg'`);
      if (typed !== undefined) await person.enter('City', typed);
      await person.press('Place order');
      await tab.until('location.hash.startsWith("#/orders/")');
      assert.equal((await newest()).shippingAddress?.['city'], expected);
      assert.equal((await service.get('/customers/1', { token })).body.address.city, 'Oldenburg');
    }
  });

  await t.test(
    'have a region where the country has one, and a second line once it is asked for',
    async () => {
      await person.go('#/new');
      await chooseCustomer('grace', 'Grace Hopper');
      const shown = (): Promise<string[]> =>
        tab.evaluate(`['line2', 'region'].filter((name) =>
        document.querySelector('[data-pointer="/shippingAddress/' + name + '"]').checkVisibility())`);
      await tab.until(`document.querySelector('${city}').value === 'Oldenburg'`);
      assert.deepEqual(await shown(), []);
      await tab.evaluate(`{
      const country = document.querySelector('[data-pointer="/shippingAddress/country"]');
      country.value = 'US';
      country.dispatchEvent(new Event('change', { bubbles: true }));
    }`);
      assert.deepEqual(await shown(), ['region']);
      await person.press('More fields');
      assert.deepEqual(await shown(), ['line2', 'region']);
      await person.enter('Second line', 'Floor 3');
      await person.startOver();
    },
  );

  await t.test('of a new customer are sent to the address that becomes theirs', async () => {
    await person.go('#/new');
    await person.enter('Customer', 'Lise Meitner');
    await person.press('New customer “Lise Meitner”');
    await tab.until(`document.activeElement.dataset.pointer === '/customer/phone'`);
    await person.enter('Phone', '+49 441 1234');
    await tab.evaluate('document.activeElement.blur()');
    await person.see('has this phone number, too.');
    await person.enter('E-mail', 'lise');
    await enterItem();
    await person.enter('Street and number', 'Thielallee 63');
    await person.enter('City', 'Berlin');
    await tab.evaluate(`document.querySelector('[data-pointer="/shippingAddress/country"]').value = 'DE'`);
    await person.press('Place order');
    await person.see('E-mail must be');
    await person.see('postal code');
    await person.enter('E-mail', 'lise@example.com');
    await person.enter('Postal code', '14195');
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    const { shippingAddress } = await newest();
    const { data } = (await service.get('/customers?q=lise', { token })).body;
    assert.deepEqual(data[0].address, shippingAddress);
  });

  await t.test('of a new customer are placed after another one was made with a rejected order', async () => {
    await person.go('#/new');
    await person.enter('Customer', 'Emmy Noether');
    await person.press('New customer “Emmy Noether”');
    await enterItem();
    await person.enter('Price', '10000000001');
    await person.check('Picked up');
    await person.press('Place order');
    await person.see('Price must be at most');
    await person.enter('Customer', 'Maria Goeppert');
    await person.press('New customer “Maria Goeppert”');
    await person.enter('Price', '7,49');
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    await person.see('Maria Goeppert');
  });

  await t.test('say at a field, in its words, what is wrong there', async () => {
    await person.go('#/new');
    await chooseCustomer('grace', 'Grace Hopper');
    await person.enter('Item', 'Tea');
    await person.enter('Price', '1.234');
    await person.enter('Quantity', '1000001');
    await person.see('Price could be 1234 or 1.23: enter the one that you mean.');
    await person.enter('Price', '1.23');
    await person.press('Place order');
    await person.see('Quantity must be at most 1,000,000.');
    await person.enter('Quantity', '1');
    await person.enter('Price', '10000000001');
    await person.press('Place order');
    await person.see('Price must be at most CHF\u00a010,000,000,000.00.');
    await person.startOver(); // the page would keep it for later
  });

  await t.test('are cancelled by a button that can’t be mistaken for the other one', async () => {
    const { id } = await newest();
    await person.go(`#/orders/${id}`);
    await person.press('Cancel order …');
    await tab.until('document.querySelector("dialog[open]")');
    const names = await tab.evaluate<string>('document.querySelector("dialog .buttons").innerText');
    assert.deepEqual(names.split(/\s*\n/), ['Cancel the order', 'Keep it']);
    await person.press('Keep it');
    await tab.until('!document.querySelector("dialog")');
    await person.see('Paid:');
  });

  await t.test('say how they were paid, by the button that marks them as paid', async () => {
    const item = { name: 'Tea', quantity: 1, unitPrice: 749 };
    const body = { customerId: 1, currency: 'EUR', items: [item] };
    const [first, second] = [
      await service.post('/orders', { token, body }),
      await service.post('/orders', { token, body }),
    ];
    const order = async ({ body: { id } }: typeof first): Promise<{ status: string; payment: string }> =>
      (await service.get(`/orders/${id}`, { token })).body;
    await person.go(`#/orders/${first.body.id}`);
    await person.press('Paid: Cash');
    await person.press('Take back');
    await person.see(`Order ${first.body.id} is open again.`);
    await person.press('Paid: Card');
    await person.see('Mark as shipped');
    await person.go(`#/orders/${second.body.id}`);
    await person.press('Paid: Transfer');
    await person.go(`#/orders/${first.body.id}`);
    await tab.until(`document.querySelector('.events').innerText.includes('Payment: Card')`);
    const { status, payment } = await order(first);
    assert.deepEqual([status, payment], ['paid', 'card']);

    await person.go('#/orders');
    await person.press('Filter and sort');
    await tab.evaluate(`{
      const control = document.querySelector('[data-key="payment"]');
      control.value = 'transfer';
      control.dispatchEvent(new Event('change'));
    }`);
    await tab.until('document.querySelectorAll("main tbody tr").length === 1');
    assert.match(await tab.evaluate<string>('location.hash'), /payment=transfer/);
    await person.see(`#${second.body.id}`);

    await person.go(`#/orders/${second.body.id}`);
    await person.press('Change the payment …');
    await person.press('Paid: Cash');
    await person.see('Payment: Cash');
    await person.see('Payment Transfer → Cash');
    await person.press('Change the payment …');
    await person.press('Paid: Other');
    await person.see('Payment: Other');
    assert.equal((await order(second)).payment, 'other');
  });

  const chosen = '[data-pointer="/currency"]';
  const country = '[data-pointer="/shippingAddress/country"]';

  await t.test('begin with the currency and country of the settings, whatever was sold last', async () => {
    const items = [{ name: 'Rooibos', quantity: 1, unitPrice: 9_900 }];
    await service.post('/orders', { token, body: { customerId: 1, currency: 'ZAR', items } });
    await person.go('#/new');
    await person.see('Total CHF');
    await person.settle();
    assert.equal(await tab.evaluate(`document.querySelector('${chosen}').value`), 'CHF');
    assert.equal(await tab.evaluate(`document.querySelector('${country}').value`), 'CH');
    await person.go('#/orders');
  });

  await t.test('ask for no currency where there is one, and have discounts as lines', async () => {
    const own = await service.person('user', 'Of one currency');
    await person.press('Sign out');
    await person.signIn(service.url, { email: own.email, password: own.password });
    await person.go('#/new');
    await person.settle();
    assert.equal(await tab.evaluate(`document.querySelector('${chosen}').checkVisibility()`), false);
    await person.enter('Customer', 'Nobody knows her');
    await enterItem();
    await person.press('Add discount');
    await tab.type('10 %');
    await person.see('Total CHF\u00a06.74');
    await person.press('Add discount');
    await tab.type('7');
    await person.check('Picked up');
    await person.press('Place order');
    await person.see('The total can’t be less than 0.');
    await person.press('Remove item 3');
    await person.press('Place order');
    await tab.until('location.hash.startsWith("#/orders/")');
    const { items, total } = (await service.get('/orders?sort=-id&limit=1', { token })).body.data[0];
    assert.deepEqual([items[1].name, items[1].unitPrice, total], ['Discount 10 %', -75, 674]);
    await person.press('Sign out');
    await person.signIn(service.url, admin);
  });

  await t.test('may be in any currency that the API takes, which the browser need not know', async () => {
    for (const currency of ['XCG', 'CLF']) {
      const items = [{ name: 'Rum', quantity: 1, unitPrice: 1_234 }];
      const { body } = await service.post('/orders', { token, body: { customerId: 1, currency, items } });
      const before = await placed();
      await person.go(`#/new?copy=${body.id}`);
      await person.see(`Total ${currency}`);
      assert.equal(await tab.evaluate(`document.querySelector('${chosen}').value`), currency);
      await tab.until('document.querySelector("[data-pointer=\\"/items/0/name\\"]")?.value === "Rum"');
      await person.press('Place order');
      await tab.until(`location.hash === "#/orders/${body.id + 1}"`);
      assert.equal(await placed(), before + 1);
    }
  });
});
