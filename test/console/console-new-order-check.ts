// The form of a new order, in a real browser: its customer, while answers are late; its items and keys; where it goes;
// its currency; and what is wrong with it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { admin } from '../support/service.ts';
import { fieldAt, holdRequests, middleOf } from './console-actions.ts';
import { openSignedIn } from './console-shop.ts';

const customerField = fieldAt('/customerId');
const isOpen = `!document.querySelector('[role=listbox]').hidden`;
const schmidt = `[...document.querySelectorAll('[role=option]')].find((each) => each.innerText.includes('Schmidt'))`;
const marked = '[...document.querySelectorAll("[aria-invalid]")].map(({ dataset }) => dataset.pointer)';
const isAt = (pointer: string): string => `document.activeElement.dataset.pointer === '${pointer}'`;
const isPlaced = 'location.hash.startsWith("#/orders/")';

test('the form of a new order', { timeout: 300_000 }, async (t) => {
  const { service, office, tab, person, orders } = await openSignedIn(t, {
    settings: { 'default-currency': 'CHF', 'default-country': 'CH' },
  });
  for (const name of ['Anna Müller', 'Anna Schmidt', 'Rosalind Franklin'])
    await office.post('/customers', { name });
  const teapot = { name: 'Teapot', quantity: 1, unitPrice: 3900 };
  await orders.place({ currency: 'CHF', items: [teapot], status: 'paid' });
  await tab.evaluate(holdRequests);
  const begin = async (): Promise<void> => {
    await tab.evaluate('holdOnly(null)');
    await person.go('#/new');
    await person.startOver();
    await tab.until(`document.activeElement === ${customerField} && ${customerField}.value === ''`);
  };
  const enterItem = async (): Promise<void> => {
    await person.enter('Item', 'Tea');
    await person.enter('Price', '7,49');
  };
  const isNotSent = async (): Promise<void> => {
    await tab.until(`held.length === 0`);
    await wait(150);
    assert.deepEqual(await tab.evaluate(marked), []);
    assert.equal(await tab.evaluate('location.hash'), '#/new');
  };
  const typeAnna = async (): Promise<void> => {
    await begin();
    await tab.type('anna');
    await tab.until(`${isOpen} && ${schmidt}`);
    await tab.evaluate(`holdOnly('/customers?')`);
  };

  await t.test('takes no customer of a list that is older than what was typed', async () => {
    await typeAnna();
    await tab.type(' mül');
    await tab.press('Enter');
    assert.equal(await person.valueOf('/customerId'), 'anna mül');
    await tab.until('held.length === 1');
    await tab.evaluate('letGo()');
    await person.seeEntered('/customerId', 'Anna Müller');
    await isNotSent();
    assert.equal(await tab.evaluate(isOpen), false);
    await typeAnna();
    const at = await middleOf(tab, schmidt);
    await tab.type(' mül');
    await person.clickAt(at);
    assert.equal(await person.valueOf('/customerId'), 'anna mül');
  });

  await t.test('takes the customer of Enter once the look-up has answered, and is not sent', async () => {
    await begin();
    await tab.evaluate(`holdOnly('/customers?')`);
    await tab.type('anna sch');
    await tab.press('Enter');
    await tab.until('held.length === 1');
    assert.deepEqual(await tab.evaluate(marked), []);
    await tab.evaluate('letGo()');
    await person.seeEntered('/customerId', 'Anna Schmidt');
    await isNotSent();
  });

  await t.test('replaces no customer by the answer to an earlier question', async () => {
    await begin();
    await tab.evaluate(`holdOnly('/customers/1')`);
    await person.go('#/orders');
    await tab.evaluate(`location.hash = '#/new?customer=1'`);
    await tab.until('held.length === 1');
    await tab.type('anna sch');
    await tab.until(`${isOpen} && ${schmidt}`);
    await tab.press('Enter');
    await person.seeEntered('/customerId', 'Anna Schmidt');
    await tab.evaluate('letGo()');
    await wait(300);
    assert.equal(await person.valueOf('/customerId'), 'Anna Schmidt');
  });

  await t.test(
    'takes the customer of Tab where the list is open, and else says that it is nobody',
    async () => {
      await begin();
      await tab.type('anna sch');
      await tab.until(`${isOpen} && ${schmidt}`);
      await tab.press('Tab');
      assert.equal(await person.valueOf('/customerId'), 'Anna Schmidt');
      assert.equal(await tab.evaluate(`document.activeElement === ${customerField}`), false);
      await begin();
      await tab.evaluate(`holdOnly('/customers?')`);
      await tab.type('anna');
      await tab.press('Tab');
      await tab.evaluate('holdOnly(null)');
      await wait(300);
      assert.deepEqual([await person.valueOf('/customerId'), await tab.evaluate(isOpen)], ['anna', false]);
      await person.press('Place order');
      await person.see('Choose a customer from the list, or enter the name of a new one.');
      await tab.until(`${isOpen} && ${schmidt}`); // somebody has that name
    },
  );

  await t.test('goes by Enter from line to line, and is placed by Ctrl+Enter alone', async () => {
    const before = await orders.count();
    await begin();
    await person.go('#/new?customer=1');
    await person.seeEntered('/customerId', 'Grace Hopper');
    await tab.press('Enter');
    await tab.until(isAt('/items/0/name'));
    await tab.type('Sugar');
    await tab.press('Enter');
    await tab.until(isAt('/items/0/unitPrice'));
    await tab.type('1,29');
    await tab.press('Enter');
    await tab.until(isAt('/items/1/name'));
    await tab.type('Teapot'); // its price is known
    await tab.until('document.querySelector(".line [role=option][aria-selected=true]")');
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
    assert.equal(await orders.count(), before);
    await person.ctrlEnter();
    await tab.until(isPlaced);
    const { items, shippingAddress } = await orders.newest();
    assert.deepEqual(
      items.map(({ name, quantity }) => [name, quantity]),
      [
        ['Sugar', 2],
        ['Teapot', 1],
      ],
    );
    assert.equal(Object(shippingAddress).city, 'Bremen');
  });

  await t.test('says at the right line what is wrong there, below one that is empty', async () => {
    await person.go('#/new?customer=1');
    await person.seeEntered('/customerId', 'Grace Hopper');
    await person.press('Add item');
    await tab.until(isAt('/items/1/name'));
    await tab.type('Salt');
    await person.ctrlEnter();
    await person.see('Price is required.');
    const isInSecond = 'document.querySelectorAll(".line")[1].contains(document.activeElement)';
    assert.equal(await tab.evaluate(isInSecond), true);
  });

  await t.test('says in the words of its fields what is missing or wrong', async () => {
    await begin();
    await person.press('Place order');
    await person.see('Choose a customer from the list, or enter the name of a new one.');
    assert.deepEqual(await tab.evaluate(marked), ['/customerId', '/items/0/name', '/items/0/unitPrice']);
    await person.chooseCustomer('grace');
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
  });

  await t.test(
    'has no other quantity in place of one that can’t be, and keeps what is too long',
    async () => {
      await begin();
      await person.enter('Item', 'Tea');
      await person.enter('Price', '7,49 CHF');
      const sums = 'document.querySelector(".line-sum").value + "|" + document.querySelector(".total").value';
      const isSum = async (sum: string): Promise<void> =>
        assert.equal((await tab.evaluate<string>(sums)).replaceAll('\u00a0', ' '), sum);
      for (const text of ['1,5', '1.5', '0', '-1', '']) {
        await person.enter('Quantity', text);
        if (text === '') await tab.evaluate('document.execCommand("delete")');
        await isSum('|CHF 0.00');
        await tab.press('Tab');
        await person.see('Quantity must be a whole number of 1 or more.');
      }
      const lineOf =
        '[...document.querySelectorAll(".line .issue")].find((each) => each.innerText).clientHeight';
      assert.ok((await tab.evaluate<number>(lineOf)) < 30, 'it has one line');
      await person.enter('Quantity', '3');
      await isSum('CHF 22.47|CHF 22.47');
      assert.deepEqual(await tab.evaluate(marked), []);
      await person.enter('Item', 'X'.repeat(300));
      assert.equal(await tab.evaluate('document.activeElement.value.length'), 300);
    },
  );

  await t.test('sends it to the customer’s address, or another one, or has it picked up', async () => {
    for (const [typed, expected] of [
      [undefined, 'Oldenburg'],
      ['Bremen', 'Bremen'],
    ] as const) {
      await begin();
      await person.chooseCustomer('grace');
      await enterItem();
      await person.seeEntered('/shippingAddress/city', 'Oldenburg');
      if (typed !== undefined) await person.enter('City', typed);
      await person.press('Place order');
      await tab.until(isPlaced);
      assert.equal(Object((await orders.newest())['shippingAddress']).city, expected);
    }
    assert.equal((await office.get('/customers/1')).body.address.city, 'Oldenburg');
    await begin();
    await person.chooseCustomer('rosal');
    await person.check('Sent');
    await enterItem();
    await person.press('Place order');
    await person.see('Enter the address that it is sent to, or choose another way.');
    await person.check('Picked up');
    await person.press('Place order');
    await tab.until(isPlaced);
    assert.equal((await orders.newest())['shippingAddress'], null);
  });

  await t.test('keeps an address that was typed, and offers the customer’s own', async () => {
    const street = '/shippingAddress/line1';
    await office.patch('/customers/2', { address: { line1: 'Am Markt 2' } });
    await begin();
    await person.chooseCustomer('grace');
    await person.seeEntered(street, 'Ammerländer Heerstraße 114');
    await person.chooseCustomer('ada');
    await person.seeEntered(street, 'Am Markt 2');
    await person.enter('Street and number', 'Hafenweg 7');
    await person.chooseCustomer('grace');
    await person.see('The customer’s own address is another one: Ammerländer Heerstraße 114');
    assert.equal(await person.valueOf(street), 'Hafenweg 7');
    await person.press('Use theirs');
    assert.equal(await person.valueOf(street), 'Ammerländer Heerstraße 114');
    await person.miss('Use theirs');
  });

  await t.test('has a region where the country has one, and a second line once it is asked for', async () => {
    await begin();
    await person.chooseCustomer('grace');
    await person.seeEntered('/shippingAddress/city', 'Oldenburg');
    const shown = `['line2', 'region'].filter((name) =>
      document.querySelector('[data-pointer="/shippingAddress/' + name + '"]').checkVisibility())`;
    assert.deepEqual(await tab.evaluate(shown), []);
    await person.choose('[data-pointer="/shippingAddress/country"]', 'US');
    assert.deepEqual(await tab.evaluate(shown), ['region']);
    await person.press('More fields');
    assert.deepEqual(await tab.evaluate(shown), ['line2', 'region']);
  });

  await t.test('makes a new customer, of whom others with the same phone are said', async () => {
    await begin();
    await person.enter('Customer', 'Lise Meitner');
    await person.press('New customer “Lise Meitner”');
    await tab.until(isAt('/customer/phone'));
    await person.enter('Phone', '+49 441 1234');
    await tab.evaluate('document.activeElement.blur()');
    await person.see('has this phone number, too.');
    await person.enter('E-mail', 'lise');
    await tab.press('Enter');
    await tab.until(isAt('/items/0/name'));
    await enterItem();
    await person.check('Sent');
    await person.enter('Street and number', 'Thielallee 63');
    await person.enter('City', 'Berlin');
    await tab.evaluate(`${fieldAt('/shippingAddress/country')}.value = 'DE'`);
    await person.press('Place order');
    await person.see('E-mail must be');
    await person.see('postal code');
    await person.enter('E-mail', 'lise@example.com');
    await person.enter('Postal code', '14195');
    await person.press('Place order');
    await tab.until(isPlaced);
    const { shippingAddress } = await orders.newest();
    assert.deepEqual((await office.get('/customers?q=lise')).body.data[0].address, shippingAddress);
  });

  await t.test('makes the customer who is meant, after a rejected order has made another one', async () => {
    await begin();
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
    await tab.until(isPlaced);
    await person.see('Maria Goeppert');
  });

  await t.test(
    'has no phone number read in the shop’s country beside an address in another one',
    async () => {
      const asked =
        'The address is in South Korea: begin the number with + and the calling code of its country.';
      const enterKim = async (pointer: string): Promise<void> => {
        await person.enter('Phone', '02-312-3456');
        await person.enter('Street and number', 'Sejong-daero 110');
        await person.enter('City', 'Seoul');
        await person.enter('Postal code', '04524');
        await person.choose(`[data-pointer="${pointer}/country"]`, 'KR');
      };
      await begin();
      await person.enter('Customer', 'Kim');
      await person.press('New customer “Kim”');
      await person.check('Sent');
      await enterKim('/shippingAddress');
      await enterItem();
      await person.press('Place order');
      await person.see(asked);
      await person.startOver();
      await person.go('#/customers/new');
      await person.enter('Name', 'Kim');
      await enterKim('/address');
      await person.press('Add customer');
      await person.see(asked);
      await person.press('+82 2-312-3456');
      await person.press('Add customer');
      await person.see('Kim is a customer now.');
      await person.see('+82 2-312-3456');
    },
  );

  await t.test('begins with the shop’s currency and country, and common currencies after it', async () => {
    const firstOf = (list: string): Promise<string[]> =>
      tab.evaluate(`[...document.querySelectorAll('${list} option')].slice(0, 5).map(({ value }) => value)`);
    await orders.place({ currency: 'ZAR' });
    await begin();
    await person.see('Total CHF');
    assert.equal(await person.valueOf('/currency'), 'CHF');
    assert.equal(await person.valueOf('/shippingAddress/country'), 'CH');
    assert.deepEqual(await firstOf('[data-pointer="/currency"]'), ['CHF', 'EUR', 'USD', 'GBP', 'JPY']);
    await person.go('#/orders');
    assert.deepEqual(await firstOf('[data-key=currency]'), ['', 'CHF', 'EUR', 'USD', 'GBP']);
  });

  await t.test('has any currency of an order that is placed again, and where that went', async () => {
    const shippingAddress = { line1: 'Hafen 3', city: 'Willemstad', country: 'CW' };
    for (const [currency, to] of [
      ['XCG', shippingAddress],
      ['CLF', null],
    ] as const) {
      const order = await orders.place({ currency, shippingAddress: to });
      await person.go(`#/new?copy=${order.id}`);
      await person.see(`Total ${currency}`);
      await person.seeEntered('/items/0/name', 'Tea');
      await person.press('Place order');
      await tab.until(`location.hash === "#/orders/${order.id + 1}"`);
      const again = await orders.newest();
      assert.deepEqual([again['currency'], again['shippingAddress']], [currency, order['shippingAddress']]);
    }
  });

  await t.test('asks for no currency where there is one, and has discounts as lines', async () => {
    const own = await service.person('user', 'Of one currency');
    await person.press('Sign out');
    await person.signIn(service.url, own);
    await person.go('#/new');
    assert.equal(await tab.evaluate(`${fieldAt('/currency')}.checkVisibility()`), false);
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
    await tab.until(isPlaced);
    const { items, total } = await orders.newest();
    assert.deepEqual([items[1]?.name, total], ['Discount 10 %', 674]);
    await person.press('Sign out');
    await person.signIn(service.url, admin);
  });
});
