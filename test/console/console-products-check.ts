// The products of a shop in the console, in a real browser: found, added, changed, and deleted, by one and by others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdRequests, middleOf } from './console-actions.ts';
import { openSignedIn } from './console-shop.ts';

test('products in the console', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);
  type Shown = { readonly id: number; readonly [member: string]: unknown };
  const list = async (): Promise<readonly Shown[]> => (await service.get('/products', { token })).body.data;
  const add = (body: object): Promise<{ readonly body: Shown }> =>
    service.post('/products', { token, body: { currency: 'EUR', unitPrice: 749, ...body } });
  const focused = 'document.activeElement.dataset.pointer ?? document.activeElement.dataset.key';

  await t.test('the first one is added on its page, with the issues of its fields', async () => {
    await person.press('Products');
    await person.see('No products yet');
    await person.press('Add a product');
    await person.enter('Name', 'Green tea, 250 g');
    await person.enter('Price', 'cheap');
    await person.press('Add');
    await person.see('Price must be an amount such as');
    await person.enter('Price', '7,49');
    await person.press('Add');
    await person.see('SKU must');
    await person.enter('SKU', 'TEA-250');
    await person.enter('Name', 'Green tea, 250 g');
    await tab.scan('4006381333931', { milliseconds: 110 }); // it is no name, though it may have been typed
    await person.press('Add');
    await person.see('Green tea, 250 g is added.');
    await tab.until('document.querySelector("main td")?.innerText.includes("Green tea")');
    const { id, createdAt, updatedAt, metadata, ...product } = (await list())[0] ?? { id: 0 };
    const tea = { sku: 'TEA-250', name: 'Green tea, 250 g', unitPrice: 749, currency: 'EUR' };
    assert.deepEqual(product, { ...tea, barcode: '4006381333931', active: true });
  });

  await t.test('the page of one says its currency once, with the price', async () => {
    await person.go('#/products/1');
    await person.see('€7.49');
    assert.doesNotMatch(await tab.evaluate('document.body.innerText'), /Currency|EUR/);
    await person.go('#/products');
  });

  await t.test('one is changed in its list, by keyboard, and the rest of it stays', async () => {
    const [before] = await list();
    await person.press('Change Green tea');
    await tab.until(`(${focused}) === '/name'`);
    await person.enter('Price', '7,99');
    await tab.press('Enter');
    await person.see('is changed.');
    await tab.until(`(${focused}) === 'change-1'`);
    const [after] = await list();
    assert.deepEqual(after, { ...before, unitPrice: 799, updatedAt: after?.['updatedAt'] });
    await tab.until('document.activeElement.ariaDisabled === null'); // the list is loaded again
    await tab.press('Enter');
    await tab.until(`(${focused}) === '/name'`);
    await tab.press('Escape');
    await tab.until(`(${focused}) === 'change-1'`);
  });

  await t.test(
    'what somebody else changes meanwhile is shown, taken over, and the next save goes',
    async () => {
      await person.press('Change Green tea');
      await person.enter('Name', 'Green tea, 200 g');
      await add({ sku: 'POT', name: 'A teapot' });
      await service.patch('/products/1', { token, body: { unitPrice: 899, barcode: null } });
      await person.see('Administrator has changed Price and Barcode meanwhile.');
      await person.see('Now Price: €8.99');
      const valueOf = (pointer: string): Promise<string> =>
        tab.evaluate(`document.querySelector('[data-pointer="${pointer}"]').value`);
      assert.deepEqual([await valueOf('/name'), await valueOf('/unitPrice')], ['Green tea, 200 g', '8.99']);
      await person.press('Save');
      await person.see('Green tea, 200 g is changed.');
      const tea = (await list()).find(({ id }) => id === 1);
      assert.deepEqual([tea?.['name'], tea?.['unitPrice']], ['Green tea, 200 g', 899]);
    },
  );

  await t.test(
    'what somebody has changed is said, and saved over, before it is known who it was',
    async () => {
      await person.press('Change Green tea');
      await person.enter('Name', 'Green tea');
      await tab.evaluate(`{
      const send = fetch;
      const held = new Promise((resolve) => { window.giveNames = resolve; });
      window.fetch = async (path, options) => {
        if (path.includes('actorName')) await held;
        return send(path, options);
      };
    }`);
      await service.patch('/products/1', { token, body: { unitPrice: 799 } });
      await person.see('Somebody has changed Price meanwhile.');
      await person.press('Save');
      await person.see('Green tea is changed.');
      await tab.evaluate('giveNames()');
      await person.press('Change Green tea');
      await person.enter('Name', 'Green tea, 200 g');
      await person.press('Save');
      await person.see('Green tea, 200 g is changed.');
    },
  );

  await t.test('others’ changes are seen in place, and new products wait behind a button', async () => {
    const names = '[...document.querySelectorAll("main td .row")].map((each) => each.textContent).join()';
    await person.go('#/customers');
    await person.go('#/products');
    await tab.until(`${names} === 'A teapot,Green tea, 200 g'`);
    await add({ sku: '4006381333948', barcode: '4006381333948', name: 'A cup' });
    await person.see('1 new – show');
    await service.patch('/products/2', { token, body: { name: 'Zen teapot' } });
    await tab.until(`${names} === 'Zen teapot,Green tea, 200 g'`);
    await person.press('1 new – show');
    await tab.until(`${names} === 'A cup,Green tea, 200 g,Zen teapot'`);
    const row = await tab.evaluate<string>('document.querySelector("main tbody tr").innerText');
    assert.deepEqual(
      row.match(/\d{13}/g),
      ['4006381333948'],
      'a barcode that is the SKU, too, is shown once',
    );
    await person.press('Not sold now');
    await person.see('Nothing is in this list at the moment.');
    await person.press('Sold now');
    await tab.until(`${names}.startsWith('A cup,')`);
    await service.patch('/products/1', { token, body: { active: false } });
    await tab.until(`document.querySelectorAll('main tbody tr')[1]?.innerText.includes('Not sold now')`);
    await service.delete('/products/3', { token });
    await tab.until(`${names} === 'Green tea, 200 g,Zen teapot'`);
    await service.patch('/products/1', { token, body: { active: true } });
    await service.patch('/products/2', { token, body: { name: 'A teapot' } });
    await tab.until(`${names} === 'Green tea, 200 g,A teapot'`);
    await person.go('#/products');
  });

  await t.test('one that is not sold now is found, and in its own list', async () => {
    await person.press('Change A teapot');
    await person.check('Sold now');
    await person.press('Save');
    await person.see('A teapot is changed.');
    await person.press('Not sold now');
    await tab.until('document.querySelectorAll("main tbody tr").length === 1');
    await person.go('#/products?q=POT');
    await person.see('A teapot');
    assert.equal((await list()).find(({ id }) => id === 2)?.['active'], false);
  });

  await t.test('one is deleted once that was confirmed', async () => {
    await person.go('#/products');
    await person.press('A teapot');
    await tab.until('location.hash === "#/products/2"');
    await person.press('Delete …');
    await person.press('Delete');
    await person.see('A teapot was deleted.');
    await tab.until('document.querySelectorAll("main tbody tr").length === 1');
    assert.equal((await list()).length, 1);
    await person.go('#/products/2');
    await person.see('There is no product 2.');
    assert.equal(await tab.evaluate('document.querySelector("h1").textContent'), 'Not found');
    await person.press('Go to the start');
    await person.see('To do');
  });

  await t.test('one is not saved by a second click over a change that nobody has read', async () => {
    await person.go('#/products');
    await person.press('Change Green tea');
    await tab.until(`(${focused}) === '/name'`);
    // the change by somebody else stays unseen
    await tab.evaluate(`{
      window.later = setTimeout;
      window.setTimeout = (run, ms) => later(run, ms < 1100 ? 8000 : ms);
    }`);
    await service.patch('/products/1', { token, body: { name: 'Tea, red' } });
    await person.enter('Name', 'Tea, blue');
    const at = await middleOf(tab, 'document.querySelector("dialog [type=submit]")');
    for (const clickCount of [1, 2]) {
      await person.clickAt(at, clickCount);
      await person.see('Now Name: Tea, red');
    }
    assert.equal((await list())[0]?.['name'], 'Tea, red');
    await tab.evaluate('window.setTimeout = later');
    await person.press('Save'); // the next one goes, however soon
    await person.see('Tea, blue is changed.');
  });

  await t.test('one without a SKU of its own has its barcode as one', async () => {
    await person.go('#/products');
    await person.press('Add a product');
    await person.enter('Name', 'Earl Grey, 100 g');
    await person.enter('Price', '5,20');
    await person.enter('Barcode', '4006381333932');
    await person.enter('Price', '5,25');
    await person.see('The last digit doesn’t fit the others');
    await person.enter('Barcode', '4012345678901');
    await person.enter('Price', '5,20');
    await person.miss('The last digit doesn’t fit the others');
    await person.press('Add');
    await person.see('Earl Grey, 100 g is added.');
    const added = (await list()).find(({ name }) => name === 'Earl Grey, 100 g');
    assert.deepEqual([added?.['sku'], added?.['barcode']], ['4012345678901', '4012345678901']);
    await person.press('Change Earl Grey');
    await person.seeEntered('/sku', '');
    await person.enter('Barcode', '4006381333931');
    await person.press('Save');
    await person.see('Earl Grey, 100 g is changed.');
    const changed = (await list()).find(({ name }) => name === 'Earl Grey, 100 g');
    assert.deepEqual([changed?.['sku'], changed?.['barcode']], ['4006381333931', '4006381333931']);
  });

  await t.test('the next one can be added at once, before the list is loaded again', async () => {
    await tab.evaluate(`${holdRequests} holdOnly('/products?')`);
    for (const name of ['Assam', 'Darjeeling']) {
      await person.press('Add a product');
      await person.enter('Name', name);
      await person.enter('Price', '5');
      await person.enter('SKU', name);
      await person.press('Add');
      await person.see(`${name} is added.`);
    }
    await tab.evaluate('letGo()');
    await person.see('Darjeeling');
    await tab.evaluate('holdOnly(null)');
  });

  await t.test('one that is not saved yet is not lost by one Escape', async () => {
    await person.press('Add a product');
    await person.enter('Name', 'Oolong');
    await tab.press('Escape');
    await person.see('What you have entered is not saved. Escape again discards it.');
    await person.seeEntered('/name', 'Oolong');
    await person.enter('Price', '5');
    await tab.press('Escape');
    await person.seeEntered('/unitPrice', '5');
    await tab.press('Escape');
    await tab.until('document.querySelector("dialog") === null');
    await person.press('Add a product');
    await tab.press('Escape'); // nothing would be lost
    await tab.until('document.querySelector("dialog") === null');
  });
});
