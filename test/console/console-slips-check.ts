// Slips of the hand in the console, in a real browser, while answers are late and another client is at work:
// no key and no click reaches another customer or another order than the one that was meant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { admin } from '../support/service.ts';
import { openShop, openSignedIn } from './console-shop.ts';

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
    await wait(150);
    assert.equal(await tab.evaluate('document.querySelectorAll("[aria-invalid]").length'), 0);
    assert.equal(await tab.evaluate('location.hash'), '#/new');
  };
  const begin = async (): Promise<void> => {
    await tab.evaluate('holdOnly(null)');
    await person.go('#/new');
    await person.startOver();
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
    await wait(300);
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
    await tab.evaluate('holdOnly(null)');
    await wait(300);
    assert.deepEqual([await name(), await tab.evaluate(isOpen)], ['anna', false]);
    await person.press('Place order');
    await person.see('Choose a customer from the list, or enter the name of a new one.');
    await tab.until(`${isOpen} && ${option('Schmidt')}`); // somebody has that name
  });
});

test('Enter in the form of an order', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);
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
    await person.startOver();
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
});

test('the step of an order', { timeout: 300_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);
  await tab.evaluate(holdRequests);
  type Place = { readonly x: number; readonly y: number };
  const row = (id: number): string => `document.querySelector('main tr:has([href="#/orders/${id}"])')`;
  const button = (id: number): string => `${row(id)}.querySelector('button')`;
  const middleOf = (element: string): Promise<Place> =>
    tab.evaluate(`{
      const { x, y, width, height } = ${element}.getBoundingClientRect();
      ({ x: x + width / 2, y: y + height / 2 });
    }`);
  const moveTo = async (at: Place): Promise<void> => {
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...at });
  };
  const clickAt = async (at: Place): Promise<void> => {
    const pressed = { ...at, button: 'left', clickCount: 1 };
    await tab.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...pressed });
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...pressed });
  };
  const leave = (): Promise<void> => moveTo({ x: 500, y: 5 });
  /** What a click at this place would press. */
  const pressableAt = ({ x, y }: Place): Promise<string | null> =>
    tab.evaluate(
      `document.elementFromPoint(${x}, ${y}).closest('button:enabled')?.ariaLabel ??
        document.elementFromPoint(${x}, ${y}).closest('button:enabled')?.textContent ?? null`,
    );
  const restOn = async (element: string): Promise<Place> => {
    await tab.until(`${element} !== null`);
    const at = await middleOf(element);
    await moveTo(at);
    return at;
  };
  const newOrder = async (): Promise<number> => {
    const items = [{ name: 'Tea', quantity: 1, unitPrice: 500 }];
    const body = { customerId: 1, currency: 'EUR', items };
    return (await service.post('/orders', { token, body })).body.id;
  };
  const change = (id: number, body: object): Promise<unknown> =>
    service.patch(`/orders/${id}`, { token, body });
  const payAll = async (): Promise<void> => {
    const { data } = (await service.get('/orders?status=open', { token })).body;
    for (const { id } of data) await change(id, { status: 'paid' });
  };
  const statusOf = async (id: number): Promise<string> =>
    (await service.get(`/orders/${id}`, { token })).body.status;
  const notice = '1 new – show';
  for (const hash of ['#/orders', '#/today'])
    await t.test(`stays under a resting pointer while others place orders: ${hash}`, async () => {
      await payAll(); // Today shows only the six that wait longest
      const id = await newOrder();
      await leave();
      await person.go(hash);
      const at = await restOn(button(id));
      const newest = await newOrder();
      await person.see(notice);
      assert.equal(await pressableAt(at), `Paid …: order ${id}`);
      assert.equal(await tab.evaluate(`${row(newest)} === null`), true);
      await person.press(notice);
      await tab.until(`${row(newest)} !== null`);
    });

  await t.test('is made at once, by the payment, and is taken back beside it by another one', async () => {
    const id = await newOrder();
    await leave();
    await person.go('#/orders?status=open');
    await person.press(`Paid …: order ${id}`);
    await person.see(`Order ${id}: how were €5.00 paid?`);
    await person.press('Paid: Cash');
    await tab.until(`${row(id)}.innerText.includes('Paid\\n') || ${row(id)}.innerText.includes('Paid\\t')`);
    const { body } = await service.get(`/orders/${id}`, { token });
    assert.deepEqual([body.status, body.payment], ['paid', 'cash']);
    await person.see(`Order ${id} is paid.`);
    await person.press(`Take back: order ${id}`);
    await person.see(`Order ${id} is open again.`);
    await tab.until(`${row(id)}.innerText.includes('Open')`);
    assert.equal(await statusOf(id), 'open');
    const events = (await service.get(`/orders/${id}/events`, { token })).body.data;
    assert.deepEqual([events[0].type, events[0].reason], ['order.corrected', 'It was pressed by mistake.']);
  });

  await t.test('is not followed by the next one, nor undone: two clicks make one step', async () => {
    const id = await newOrder();
    await change(id, { status: 'paid', payment: 'card' });
    for (const hash of ['#/orders', `#/orders/${id}`]) {
      await leave();
      await person.go(hash);
      const step =
        hash === '#/orders'
          ? `${row(id)}?.querySelector('.action:last-child button')`
          : `document.querySelector('.tools .primary')`;
      const at = await restOn(step);
      await clickAt(at);
      await wait(300);
      await clickAt(at);
      await person.see(`Order ${id} is shipped.`);
      await wait(500);
      assert.equal(await statusOf(id), 'shipped');
      const back = `document.querySelector('main [data-key="back-${id}"]')`;
      await tab.until(`${back} !== null`);
      assert.notEqual((await pressableAt(at))?.startsWith('Take back'), true, 'it is beside the button');
      await tab.evaluate(`${back}.click()`);
      await person.see(`Order ${id} is paid again.`);
    }
  });

  await t.test(
    'is offered to be taken back for some seconds in its row, and always on its page',
    async () => {
      const id = await newOrder();
      await change(id, { status: 'paid', payment: 'card' });
      await person.go('#/orders');
      await person.press(`Mark as shipped: order ${id}`);
      const back = `${row(id)}.querySelector('[data-key="back-${id}"]')`;
      await tab.until(`${back} !== null`);
      await wait(9_500);
      await tab.until(`${back} === null`);
      await person.go(`#/orders/${id}`);
      await person.press('Take back');
      await person.see(`Order ${id} is paid again.`);
    },
  );

  for (const isLate of [false, true])
    await t.test(
      `says how it was paid meanwhile, ${isLate ? 'at the same moment' : 'before that was seen'}`,
      async () => {
        await person.go('#/customers');
        const id = await newOrder();
        await person.go('#/orders');
        await tab.until(`${row(id)} !== null`);
        await tab.evaluate(`holdOnly('${isLate ? `/orders/${id}` : '/orders'}')`);
        const pay = async (): Promise<void> => {
          await person.press(`Paid …: order ${id}`);
          await person.press('Paid: Card');
        };
        if (isLate) {
          await pay();
          await tab.until('held.length === 1'); // its version is read
          await tab.evaluate('letGo()');
          await tab.until('held.length === 1'); // the step itself
        }
        await change(id, { status: 'paid', payment: 'cash' });
        if (!isLate) await pay();
        await tab.evaluate('holdOnly(null)');
        await person.see(
          `Order ${id} was not marked as paid. Somebody has changed it meanwhile. It is paid now. Payment: Cash.`,
        );
        assert.equal((await service.get(`/orders/${id}`, { token })).body.payment, 'cash');
        await person.press('Dismiss');
      },
    );

  await t.test('that is taken back is not shown as reached', async () => {
    const id = await newOrder();
    await change(id, { status: 'paid' });
    await person.go(`#/orders/${id}`);
    const here = `document.querySelector('.states .here').textContent`;
    await tab.until(`${here} === 'Paid'`);
    await change(id, { status: 'open', reason: 'The wrong row.' });
    await person.see('The wrong row.');
    assert.equal(await tab.evaluate(here), 'Open');
    await change(id, { status: 'cancelled' });
    await tab.until(`${here} === 'Cancelled'`);
  });
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
