// Orders changed in the console, in a real browser: what is sent, what others change meanwhile, and what their history
// says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openSignedIn, type PlacedOrder } from './console-shop.ts';

test('orders changed in the console', { timeout: 300_000 }, async (t) => {
  const { office, tab, person, orders } = await openSignedIn(t);
  const items = [
    { sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 },
    { sku: null, name: 'Teapot', quantity: 1, unitPrice: 3900 },
  ];
  const shippingAddress = { line1: 'Street 1', city: 'Oldenburg', postalCode: '26129', country: 'DE' };
  const place = (members: object = {}): Promise<PlacedOrder> =>
    orders.place({ items, shippingAddress, ...members });
  const openForm = async ({ id }: PlacedOrder): Promise<void> => {
    await person.go(`#/orders/${id}`);
    await person.press('Change');
    await tab.until(`location.hash === "#/orders/${id}/change" && document.querySelector("form")`);
  };
  const saved = async ({ id }: PlacedOrder): Promise<PlacedOrder> => {
    await person.press('Save');
    await tab.until(`location.hash === "#/orders/${id}"`);
    await person.settle();
    return orders.read(id);
  };

  await t.test('get other items, by Ctrl+Enter and not by Enter, and keep the rest', async () => {
    const before = await place({ note: 'Please ring twice.' });
    await openForm(before);
    await person.press('Remove item 2');
    await person.enter('Item', 'White tea');
    await person.enter('Quantity', '3');
    await tab.press('Enter');
    await person.settle();
    assert.equal(await tab.evaluate('location.hash'), `#/orders/${before.id}/change`);
    await person.ctrlEnter();
    await tab.until(`location.hash === "#/orders/${before.id}"`);
    const after = await orders.read(before.id);
    assert.deepEqual(after.items, [{ ...items[0], name: 'White tea', sku: null, quantity: 3, total: 2247 }]);
    for (const member of ['currency', 'shippingAddress', 'note', 'status', 'customerId'])
      assert.deepEqual(after[member], before[member], member);
  });

  await t.test('go elsewhere, or are picked up', async () => {
    const before = await place();
    await openForm(before);
    await person.enter('City', 'Bremen');
    await person.enter('Note', 'Leave it at the door.');
    const after = await saved(before);
    assert.deepEqual(after['shippingAddress'], { ...Object(before['shippingAddress']), city: 'Bremen' });
    assert.deepEqual([after['note'], after.items], ['Leave it at the door.', before.items]);
    await openForm(before);
    await person.check('Picked up');
    assert.equal((await saved(before))['shippingAddress'], null);
  });

  await t.test('get the customer who was meant, and keep their address unless it is taken over', async () => {
    const before = await place();
    await openForm(before);
    await person.seeEntered('/customerId', 'Grace Hopper');
    await person.chooseCustomer('ada');
    await person.see('The customer’s own address is another one: Ammerländer Heerstraße 114');
    const after = await saved(before);
    assert.deepEqual([after.customerId, after['shippingAddress']], [2, before['shippingAddress']]);
    await person.see(`Order ${before.id} changed: Customer`);
    await openForm(before);
    await person.enter('Customer', 'a');
    await person.press('Save');
    await person.see('Choose a customer from the list, or enter the name of a new one.');
    await person.press('Cancel');
    await tab.until(`location.hash === "#/orders/${before.id}"`);
  });

  await t.test('still have another customer of the same name after a look at another page', async () => {
    const email = 'other.grace@example.com';
    const { body: other } = await office.post('/customers', { name: 'Grace Hopper', email });
    const before = await place();
    await openForm(before);
    await person.seeEntered('/customerId', 'Grace Hopper');
    await person.chooseCustomer(email);
    await person.go('#/orders');
    await person.go(`#/orders/${before.id}/change`);
    await person.see('What you had entered is still here.');
    assert.equal((await saved(before)).customerId, other.id);
  });

  await t.test('stay as they are if nothing is changed, or nothing is saved', async () => {
    const before = await place({ currency: 'JPY' });
    await openForm(before);
    assert.deepEqual(await saved(before), before);
    await openForm(before);
    await person.enter('Quantity', '7');
    await person.press('Cancel');
    await tab.until(`location.hash === "#/orders/${before.id}"`);
    assert.deepEqual(await orders.read(before.id), before);
  });

  await t.test('say at once what others change, and are saved over that, but not once paid', async () => {
    const before = await place();
    await openForm(before);
    await person.enter('Quantity', '5');
    const theirs = [{ name: 'Coffee', quantity: 3, unitPrice: 1_000 }];
    const elsewhere = { ...shippingAddress, city: 'Bremen' };
    await orders.change(before.id, {
      items: theirs,
      note: 'Back door.',
      shippingAddress: elsewhere,
      customerId: 2,
    });
    await person.see('Administrator has changed Items, Customer, Address, and Note meanwhile.');
    await person.see('Now Items: 3 × Coffee, €10.00');
    await person.see('Now Note: Back door.');
    await person.see('is saved in place of theirs: Items');
    assert.equal(await person.valueOf('/items/0/quantity'), '5');
    await person.seeEntered('/note', 'Back door.');
    await person.seeEntered('/shippingAddress/city', 'Bremen');
    await person.seeEntered('/customerId', 'Ada Lovelace');
    const after = await saved(before);
    assert.deepEqual([after.items[0]?.quantity, after.items.length, after['note']], [5, 2, 'Back door.']);
    assert.deepEqual([after.customerId, Object(after['shippingAddress']).city], [2, 'Bremen']);
    await openForm(before);
    await person.enter('Quantity', '6');
    await orders.change(before.id, { status: 'paid' });
    const refusal = `Order ${before.id} is paid now. What you have changed can’t be changed any more.`;
    await person.see(refusal);
    await person.press('Save');
    await person.see(refusal);
    await person.miss('in place of theirs');
    await person.press('Back');
    await tab.until(`location.hash === "#/orders/${before.id}"`);
    await orders.change(before.id, { status: 'shipped' });
    await person.go(`#/orders/${before.id}/change`);
    await tab.until('document.querySelector("form textarea") && !document.querySelector("form input")');
  });

  await t.test('get the customer who was chosen, whomever somebody else chooses meanwhile', async () => {
    const before = await place();
    await openForm(before);
    await person.chooseCustomer('hermann');
    await orders.change(before.id, { customerId: 2, note: 'At the back door.' });
    await person.see('is saved in place of theirs: Customer');
    await person.seeEntered('/note', 'At the back door.');
    await person.seeEntered('/customerId', 'Hermann-Josef von Oberhausen-Unterfranken');
    assert.equal((await saved(before)).customerId, 3);
  });

  await t.test('keep the line that is being typed when somebody else changes the note', async () => {
    const before = await place();
    await openForm(before);
    await person.press('Add item');
    await orders.change(before.id, { note: 'Back door.' });
    await person.seeEntered('/note', 'Back door.');
    await tab.type('White tea');
    assert.equal(await person.valueOf('/items/2/name'), 'White tea');
    await orders.change(before.id, { items: [{ name: 'Coffee', quantity: 3, unitPrice: 1_000 }] });
    await person.see('is saved in place of theirs: Items');
    await tab.type('!');
    assert.equal(await person.valueOf('/items/2/name'), 'White tea!');
    await person.press('Cancel');
  });

  await t.test('go to another address or customer once they are paid, until they are shipped', async () => {
    const before = await place({ status: 'paid', payment: 'card' });
    await openForm(before);
    assert.equal(await tab.evaluate('document.querySelector(".line")'), null);
    await person.enter('Recipient, if another', 'Ada Lovelace');
    await person.enter('City', 'Bremen');
    await person.enter('Note', 'At the back door.');
    const { shippingAddress: to, note, status, payment } = await saved(before);
    const address = { ...Object(before['shippingAddress']), name: 'Ada Lovelace', city: 'Bremen' };
    assert.deepEqual([to, note, status, payment], [address, 'At the back door.', 'paid', 'card']);
    await person.see('Bremen');
  });

  await t.test('get another note at any time, and no one else’s is overwritten', async () => {
    const { id } = await place({ status: 'paid' });
    await person.go(`#/orders/${id}`);
    await person.press('Add a note');
    await orders.change(id, { status: 'shipped' });
    await person.enter('Note', 'Left with the neighbour.');
    await person.press('Save');
    await person.see(`Order ${id} is changed.`);
    await person.press('Change the note');
    await person.seeEntered('/note', 'Left with the neighbour.');
    await person.see('Only its note can be changed: it is no longer open or paid.');
    await orders.change(id, { note: 'Came back.' });
    await person.seeEntered('/note', 'Came back.');
    await person.miss('in place of theirs');
    await person.enter('Note', 'Handed over.');
    await tab.evaluate('Object.defineProperty(document, "hidden", { value: true, configurable: true })');
    await orders.change(id, { note: 'Gone again.' });
    await person.press('Save');
    await person.see('Nothing was saved yet.');
    const atField = `document.querySelector('.field:has([data-pointer="/note"])').innerText`;
    await tab.until(`${atField}.includes('Now Note: Gone again.')`);
    await tab.evaluate('delete document.hidden');
    await person.press('Cancel');
    await person.press('Change the note');
    await person.seeEntered('/note', 'Gone again.');
    await tab.evaluate('document.querySelector("form textarea").value = ""');
    await person.press('Save');
    await person.see('Add a note');
    const { status, note } = await orders.read(id);
    assert.deepEqual([status, note], ['shipped', null]);
  });

  await t.test('are read for no dialog that was closed', async () => {
    await person.go('#/customers/1');
    await tab.until('document.querySelector("main h1")?.innerText === "Grace Hopper"'); // else it is the order's button
    for (let count = 0; count < 3; count += 1) {
      await person.press('Change');
      await person.press('Cancel');
      await tab.until('document.querySelector("dialog") === null'); // on a busy machine it ends a moment later
    }
    await tab.evaluate(countReads);
    await office.patch('/customers/1', { note: 'Rings twice.' });
    await person.see('Rings twice.');
    assert.deepEqual(await tab.evaluate('reads.filter((path) => path === "/customers/1")'), ['/customers/1']);
  });

  await t.test('leave the form that has saved them, and say in a dialog that they are deleted', async () => {
    await person.go('#/shop');
    await tab.evaluate(countReads);
    await tab.evaluate(holdFirstRead);
    await person.enter('Name of the shop', 'Tea & more');
    await person.press('Save');
    await tab.until('reads.filter((path) => path === "/shop").length > 1');
    await wait(300);
    await person.miss('Somebody has changed');
    await tab.evaluate('letGo()');
    await person.see('Saved.');
    const { body: customer } = await office.post('/customers', { name: 'Nobody' });
    await person.go(`#/customers/${customer.id}`);
    await person.press('Change');
    await office.delete(`/customers/${customer.id}`);
    await tab.until('document.querySelector("dialog").innerText.includes("There is no customer")');
    await person.press('Cancel');
  });

  await t.test('are changed once where the response is lost', async () => {
    const before = await place();
    await openForm(before);
    await tab.evaluate(`{
      const send = fetch;
      let isLost = false;
      window.fetch = async (path, options) => {
        const response = await send(path, options);
        if (options.method !== 'PATCH' || isLost) return response;
        isLost = true;
        throw new TypeError('the response is lost');
      };
    }`);
    await person.enter('Quantity', '3');
    await saved(before);
    const { data } = (await office.get(`/orders/${before.id}/events`)).body;
    assert.deepEqual(
      data.map(({ type }: { readonly type: string }) => type),
      ['order.changed', 'order.created'],
    );
  });
});

/** From then on `reads` in the page has the paths that it reads. */
const countReads = `{
  const send = fetch;
  window.reads = [];
  window.fetch = (path, options) => {
    if (options.method === 'GET') reads.push(path);
    return send(path, options);
  };
}`;

/** The next time that the page reads the shop waits for `letGo`. */
const holdFirstRead = `{
  const send = fetch;
  let gate = new Promise((resolve) => (window.letGo = resolve));
  window.fetch = async (path, options) => {
    if (path !== '/shop' || options.method !== 'GET') return send(path, options);
    const held = gate;
    gate = undefined;
    await held;
    return send(path, options);
  };
}`;
