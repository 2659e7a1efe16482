// Open orders changed in the console, in a real browser: what is sent, the issues shown, and changes by
// others meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn } from './console-shop.ts';

test('open orders changed in the console', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);

  type Shown = { readonly id: number; readonly [member: string]: unknown };
  const items = [
    { sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 },
    { sku: null, name: 'Teapot', quantity: 1, unitPrice: 3900 },
  ];
  const address = { line1: 'Street 1', city: 'Oldenburg', postalCode: '26129', country: 'DE' };
  const order = async (members: object = {}): Promise<Shown> => {
    const body = { customerId: 1, currency: 'EUR', items, shippingAddress: address, ...members };
    return (await service.post('/orders', { token, body })).body;
  };
  const read = async ({ id }: Shown): Promise<Shown> => (await service.get(`/orders/${id}`, { token })).body;
  const openForm = async ({ id }: Shown): Promise<void> => {
    await person.go(`#/orders/${id}`);
    await person.press('Change');
    await tab.until(`location.hash === "#/orders/${id}/change"`);
    await tab.until('document.querySelector("form")');
  };
  const saved = async ({ id }: Shown): Promise<void> => {
    await person.press('Save');
    await tab.until(`location.hash === "#/orders/${id}"`);
    await person.settle();
  };

  await t.test('get other items, and keep the rest', async () => {
    const before = await order({ note: 'Please ring twice.' });
    await openForm(before);
    await person.enter('Quantity', '3');
    await person.press('Remove item 2');
    await person.enter('Item', 'White tea');
    await saved(before);
    const [first] = items;
    const after = await read(before);
    assert.deepEqual(after['items'], [{ ...first, name: 'White tea', sku: null, quantity: 3, total: 2247 }]);
    for (const member of ['currency', 'shippingAddress', 'note', 'status', 'customerId'])
      assert.deepEqual(after[member], before[member], member);
  });

  await t.test('go elsewhere, or are picked up', async () => {
    const before = await order();
    await openForm(before);
    await person.enter('City', 'Bremen');
    await person.enter('Note', 'Leave it at the door.');
    await saved(before);
    const { shippingAddress, note, ...after } = await read(before);
    assert.deepEqual(shippingAddress, { ...Object(before['shippingAddress']), city: 'Bremen' });
    assert.equal(note, 'Leave it at the door.');
    assert.deepEqual(after['items'], before['items']);
    await openForm(before);
    await person.check('Picked up');
    await saved(before);
    assert.equal((await read(before))['shippingAddress'], null);
  });

  await t.test('get the customer who was meant, and keep their address unless it is taken over', async () => {
    const before = await order();
    await openForm(before);
    await tab.until('document.querySelector("[role=combobox]").value === "Grace Hopper"');
    await person.chooseCustomer('ada');
    await person.see('The customer’s own address is another one: Ammerländer Heerstraße 114');
    await saved(before);
    const after = await read(before);
    assert.deepEqual([after['customerId'], after['shippingAddress']], [2, before['shippingAddress']]);
    await person.see('Ada Lovelace');
    await person.see(`Order ${before.id} changed: Customer`);
    await openForm(before);
    await person.enter('Customer', 'a');
    await person.press('Save');
    await person.see('Choose a customer from the list, or enter the name of a new one.');
    await person.press('Cancel');
    await tab.until(`location.hash === "#/orders/${before.id}"`);
  });

  await t.test('stay as they are if nothing is changed, or nothing is saved', async () => {
    const before = await order({ currency: 'JPY' });
    await openForm(before);
    await saved(before);
    assert.deepEqual(await read(before), before);
    await openForm(before);
    await person.enter('Quantity', '7');
    await person.press('Cancel');
    await tab.until(`location.hash === "#/orders/${before.id}"`);
    assert.deepEqual(await read(before), before);
  });

  await t.test('are not saved over what somebody else has changed meanwhile', async () => {
    const before = await order();
    await openForm(before);
    await service.patch(`/orders/${before.id}`, { token, body: { note: 'Hurry!', items: items.slice(1) } });
    await person.enter('Quantity', '3');
    await person.go('#/orders');
    await person.go(`#/orders/${before.id}/change`);
    await person.see('What you had entered is still here.');
    await person.press('Save');
    await person.see('Somebody has changed Items and Note meanwhile. Nothing was saved yet.');
    await service.patch(`/orders/${before.id}`, { token, body: { status: 'paid' } });
    await person.press('Save');
    await person.see('Somebody has changed Status meanwhile.');
    await person.press('Cancel');
    await person.see('Hurry!');
    await service.patch(`/orders/${before.id}`, { token, body: { status: 'shipped' } });
    await person.go(`#/orders/${before.id}/change`);
    await tab.until('document.querySelector("form textarea") && !document.querySelector("form input")');
  });

  await t.test('go to another address or customer once they are paid, until they are shipped', async () => {
    const before = await order();
    await service.patch(`/orders/${before.id}`, { token, body: { status: 'paid', payment: 'card' } });
    await openForm(before);
    assert.equal(await tab.evaluate('document.querySelector(".line")'), null);
    await person.enter('Recipient, if another', 'Ada Lovelace');
    await person.enter('City', 'Bremen');
    await person.enter('Note', 'At the back door.');
    await saved(before);
    const { shippingAddress, note, ...after } = await read(before);
    assert.deepEqual(shippingAddress, {
      ...Object(before['shippingAddress']),
      name: 'Ada Lovelace',
      city: 'Bremen',
    });
    assert.deepEqual([note, after['status'], after['payment']], ['At the back door.', 'paid', 'card']);
    await person.see('Bremen');
  });

  await t.test('get another note at any time, and no one else’s is overwritten', async () => {
    const { id } = await order();
    const change = (body: object): Promise<unknown> => service.patch(`/orders/${id}`, { token, body });
    await change({ status: 'paid' });
    await person.go(`#/orders/${id}`);
    await person.press('Add a note');
    await change({ status: 'shipped' });
    await person.enter('Note', 'Left with the neighbour.');
    await person.press('Save');
    await person.see(`Order ${id} is changed.`);
    await person.see('Left with the neighbour.');
    await person.press('Change the note');
    await tab.until('document.querySelector("form textarea")?.value === "Left with the neighbour."');
    await change({ note: 'Came back.' });
    await person.enter('Note', 'Handed over.');
    await person.press('Save');
    await person.see('Somebody has changed Note meanwhile. Nothing was saved yet.');
    await person.see('Now Note: Came back.');
    await person.press('Cancel');
    await person.see('Came back.');
    await person.press('Change the note');
    await tab.until('document.querySelector("form textarea")');
    await tab.evaluate('document.querySelector("form textarea").value = ""');
    await person.press('Save');
    await person.see('Add a note');
    assert.deepEqual([(await read({ id }))['status'], (await read({ id }))['note']], ['shipped', null]);
  });

  await t.test('still have another customer of the same name after a look at another page', async () => {
    const email = 'other.grace@example.com';
    const { body: other } = await service.post('/customers', {
      token,
      body: { name: 'Grace Hopper', email },
    });
    const before = await order();
    await openForm(before);
    await tab.until('document.querySelector("[role=combobox]").value === "Grace Hopper"');
    await person.chooseCustomer(email);
    await person.go('#/orders');
    await person.go(`#/orders/${before.id}/change`);
    await person.see('What you had entered is still here.');
    await saved(before);
    assert.equal((await read(before))['customerId'], other.id);
  });

  await t.test('are changed once where the response is lost', async () => {
    const before = await order();
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
    const { data } = (await service.get(`/orders/${before.id}/events`, { token })).body;
    assert.deepEqual(
      data.map(({ type }: { readonly type: string }) => type),
      ['order.changed', 'order.created'],
    );
  });
});
