// A resource that the console has no page of its own for gets its pages from the service's document, in a real browser.
// The service's products stand for one of the shop's own: the browser is told that they are called suppliers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin, password } from '../support/service.ts';
import { openShop } from './console-shop.ts';

const asSuppliers = `{
  const send = fetch;
  window.fetch = async (path, options) => {
    const response = await send(String(path).replace(/^\\/suppliers/, '/products'), options);
    if (path !== '/openapi.json') return response;
    const document = JSON.parse((await response.text()).replaceAll('"/products', '"/suppliers'));
    for (const operation of [document.paths['/suppliers'].get, document.paths['/suppliers/{id}'].get])
      operation['x-access'].callers = 'staff';
    document.components.schemas.NewProduct.properties.sku.maxLength = 1_000;
    return new Response(JSON.stringify(document));
  };
  new MutationObserver(() => {
    const meta = document.querySelector('meta[name=resources]');
    if (meta !== null) meta.content = 'suppliers';
  }).observe(document, { childList: true, subtree: true });
}`;

test('a resource of the shop’s own in the console', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: asSuppliers });
  await person.signIn(service.url, admin);
  const rows = '[...document.querySelectorAll("main tbody tr")].map((row) => row.cells[0].innerText)';
  const field = (pointer: string): string => `document.querySelector('[data-pointer="${pointer}"]')`;

  await t.test(
    'is in the menu, and is added by a form of its members, long texts under their names',
    async () => {
      await tab.until('document.querySelector("nav [href=\'#/suppliers\']")');
      await person.go('#/suppliers');
      await person.see('None yet.');
      await person.press('Add');
      const pointers =
        '[...document.querySelectorAll("dialog [data-pointer]")].map((each) => each.dataset.pointer)';
      assert.deepEqual(await tab.evaluate(pointers), [
        '/sku',
        '/name',
        '/unitPrice',
        '/currency',
        '/barcode',
      ]);
      assert.equal(await tab.evaluate(`${field('/sku')}.localName`), 'textarea');
      await person.enter('SKU', 'TEA');
      await person.enter('Price', '7.49');
      await person.press('Add');
      await person.see('Name must');
      await person.enter('Name', 'Tea Traders');
      await person.press('Add');
      await person.see('Tea Traders is added.');
      const { body } = await service.get('/products/1', { token });
      assert.deepEqual([body.name, body.unitPrice, body.active], ['Tea Traders', 749, false]);
    },
  );

  await t.test('has a list with its search, filters and sorts, saved as a file', async () => {
    for (const [sku, active] of [
      ['CUP', true],
      ['POT', false],
    ] as const) {
      const body = { sku, name: `A ${sku}`, unitPrice: 1, currency: 'EUR', active };
      await service.post('/products', { token, body });
    }
    await person.go('#/today');
    await person.go('#/suppliers');
    await tab.until(`${rows}.length === 3`);
    const choose = (label: string, value: string): Promise<unknown> =>
      tab.evaluate(`{
        const select = document.querySelector('[aria-label="${label}"]');
        select.value = '${value}';
        select.dispatchEvent(new Event('change'));
      }`);
    await choose('Sold now', 'true');
    await tab.until(`${rows}.join() === 'A CUP'`);
    assert.equal(await tab.evaluate('location.hash'), '#/suppliers?active=true');
    await choose('Sold now', '');
    await choose('Sorted by', '-sku');
    await tab.until(`${rows}.join() === 'Tea Traders,A POT,A CUP'`);
    await person.search('pot');
    await tab.until(`${rows}.join() === 'A POT'`);
    await person.press('CSV');
    await person.see('suppliers.csv was saved.');
  });

  await t.test('has a page of each object, where it is changed and deleted', async () => {
    await person.go('#/suppliers/1');
    await person.see('€7.49');
    await person.press('Change');
    await person.enter('Name', 'Tea Traders Ltd');
    await person.press('Save');
    await person.see('Tea Traders Ltd');
    assert.equal((await service.get('/products/1', { token })).body.name, 'Tea Traders Ltd');
    await person.press('Delete …');
    await person.see('It can’t be restored.');
    await person.press('Delete');
    await person.see('Tea Traders Ltd was deleted.');
    await tab.until(`${rows}.length === 2`);
  });

  await t.test('is for those whose rights the document names', async () => {
    const user = await service.person('user', 'Owner');
    await person.press('Sign out');
    await tab.until('document.querySelector(".sign-in")');
    await person.signIn(service.url, { email: user.email, password });
    await person.go('#/suppliers');
    await person.see('There is no such page.');
    assert.equal(await tab.evaluate('document.querySelector("nav [href=\'#/suppliers\']")'), null);
    assert.equal(await tab.evaluate(`${field('/name')}`), null);
  });
});
