// The console's import of what is known: it is changed, or stays; and what is shown before anything is written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin, serviceFor, type TestResponse } from '../support/service.ts';
import { keepSaved } from './console-actions.ts';
import { giveFile, importHelpers } from './console-import-support.ts';
import { openConsole } from './console-shop.ts';

const address = { line1: 'Am Markt 1', city: 'Oldenburg', postalCode: '26122', country: 'DE' };

test('an import of what is known', { timeout: 120_000 }, async (t) => {
  const service = await serviceFor(t);
  const { tab, person } = await openConsole(t, service);
  const { token } = await service.signIn(admin.email, admin.password);
  const other = await service.person('staff');
  const all = async (path: string): Promise<TestResponse['body'][]> =>
    (await service.get(`/${path}?sort=-createdAt&limit=100`, { token })).body.data;
  const count = async (path: string): Promise<number> =>
    (await service.get(`/${path}?limit=1&total=true`, { token })).body.total;
  const check = async (kind: string, name: string, text: string): Promise<void> => {
    await person.go(`#/${kind}`);
    await person.go(`#/${kind}/import`);
    await giveFile(tab, { name, bytes: Buffer.from(text) });
    await tab.until('document.querySelector("form")');
    if (kind === 'customers')
      await tab.evaluate(`document.querySelector('[data-pointer="/country"]').value = 'DE'`);
    await person.press('Check all rows');
  };
  await person.signIn(service.url, admin);
  await tab.evaluate(importHelpers);
  await keepSaved(tab);
  const customers = [
    { name: 'Grace Hopper', email: 'g@example.com', phone: '+4944112345678', address, note: '=1' },
    { name: '-Ada', phone: '+4944112345678' },
    { name: 'Ada', email: 'g@example.com' },
  ];
  for (const body of customers) await service.post('/customers', { token, body });
  await service.post('/customers', { token: other.token, body: { name: 'Of another owner' } });
  const many = Array.from({ length: 800 }, (_, index) => `Customer ${index},c${index}@example.com\n`);
  const headers = { 'content-type': 'text/csv' };
  await service.post('/imports', { token, body: `name,email\n${many.join('')}`, headers });
  const product = { sku: 'TEA', name: 'Tea', unitPrice: 749, currency: 'EUR', barcode: '4006381333931' };
  await service.post('/products', { token, body: product });
  await service.post('/products', {
    token,
    body: { sku: 'POT', name: 'Pot', unitPrice: 39, currency: 'JPY' },
  });

  for (const kind of ['customers', 'products'])
    for (const source of ['the console', 'the API'])
      await t.test(`of the own ${kind}, as ${source} has them, changes nothing`, async () => {
        const before = await all(kind);
        const total = await count(kind);
        await person.go(`#/${kind}`);
        await person.press('CSV');
        await tab.until('window.saved !== undefined');
        const saved = await tab.evaluate<string>('saved.text()');
        await tab.evaluate('window.saved = undefined');
        const sent = await service.get(`/${kind}`, { token, headers: { accept: 'text/csv' } });
        await check(kind, 'own.csv', source === 'the API' ? sent.text : saved);
        await person.see(`Unchanged: ${total}`);
        const shown = await tab.evaluate<string>('document.body.innerText');
        assert.doesNotMatch(shown, /New:|Import \d/);
        assert.deepEqual([await count(kind), await all(kind)], [total, before]);
      });

  await t.test('of a corrected list changes its customers, by e-mail and by the own number', async () => {
    const row = 'K-7;Erika Muster;;0441 999;Am Markt 2;26122;Oldenburg\n';
    const heading = 'Kundennummer;Name;E-Mail;Telefon;Straße;PLZ;Ort\n';
    await check('customers', 'new.csv', heading + row);
    await person.see('New: 1');
    await person.press('Import 1 row');
    await person.see('Imported');
    await check('customers', 'corrected.csv', heading + row.replace('0441 999', '0441 998877'));
    await person.see('Changed: 1');
    await person.press('Import 1 row');
    await person.see('Imported');
    const byMail = 'Name;E-Mail;Telefon\nErika Muster;;0441998877\nOtto;o@example.com;\n';
    await check('customers', 'mail.csv', byMail);
    await person.see('New: 1');
    await person.see('Unchanged: 1');
    await person.press('Import 1 row');
    await person.see('Imported');
    const found = (await all('customers')).filter(({ name }) => name === 'Erika Muster');
    assert.deepEqual(
      found.map(({ phone, address: { country } }) => [phone, country]),
      [['+49441998877', 'DE']],
    );
    await person.go('#/customers?q=k-7');
    await person.see('Erika Muster');
    await person.press('Erika Muster');
    await person.see('Own number');
    await person.see('K-7');
  });

  await t.test('shows some rows as they will be, and what they replace', async () => {
    await check('products', 'prices.csv', 'sku;name;price;ean\nTEA;Tea;399;\nCUP;Cup;400;\nPOT;Pot;39;\n');
    await person.see('New: 1');
    await person.see('Changed: 2');
    const cells = await tab.evaluate<string[]>(
      `[...document.querySelectorAll('.samples li')].map((row) => row.innerText.replace(/\\s+/g, ' '))`,
    );
    assert.deepEqual(cells, [
      'Changed Row 2 SKU TEA Name Tea Price €7.49 €399.00',
      'Changed Row 4 SKU POT Name Pot Price ¥39 €39.00',
      'New Row 3 SKU CUP Name Cup Price €400.00',
    ]);
    assert.equal((await all('products')).length, 2, 'nothing is written before');
  });

  await t.test('shows what is new as it is sent', async () => {
    await check('customers', 'land.csv', 'Name;Telefon\nRosa;0441/21889-9\nMax;0441/21889-8\n');
    await person.see('New: 2');
    assert.equal(await tab.evaluate('document.querySelectorAll(".samples del, .samples ins").length'), 0);
  });

  await t.test('rejects a row that would overwrite an earlier one of the file', async () => {
    await check('products', 'twice.csv', 'sku;name;price\nNEW;First;1.00\nnew;Second;2.00\n');
    await person.see('New: 1');
    await person.see('An earlier row is of the same one, with other content, and would be overwritten.');
    await check('products', 'again.csv', 'sku;name;price\nTEA;Tea;8.00\ntea;Tea;9.00\nTEA;Tea;8.00\n');
    await person.see('Changed: 2');
    await person.see('Row 2 is of the same one, with other content, and would be overwritten.');
    await tab.screen(390, 'light');
    const width = await tab.evaluate<number>('document.querySelector(".rows .issue").clientWidth');
    assert.ok(width > 200, `on a phone a fault has ${width} pixels`);
    await tab.screen(1280, 'light');
  });

  await t.test('says which rows would make a customer a second time', async () => {
    const text = 'Kundennummer;Name;E-Mail\nK-8;Grace Hopper;g@example.com\n';
    await check('customers', 'twice.csv', text);
    await person.see('with the e-mail address or phone number of a known customer: 1');
  });

  await t.test('says what is left out, which SKU differs in zeros, and what a company is', async () => {
    const body = { sku: '00123', name: 'Cup', unitPrice: 1, currency: 'EUR' };
    const cup = await service.post('/products', { token, body });
    await check('products', 'zeros.csv', 'sku,name,price,shelf\n123,Cup,0.01,A7\n');
    await person.see('with a SKU that differs from a known one only in zeros: 1');
    await person.see('Columns with content that are left out: shelf');
    const family =
      'First Name,Last Name,Company,Home Phone\nSon,Hopper,Muster GmbH,+4944112345678\n,,Muster AG,\n';
    await check('customers', 'family.csv', family);
    await person.see('New: 2');
    await person.see('with the e-mail address or phone number of a known customer: 1');
    await person.see('Muster AG');
    await service.delete(`/products/${cup.body.id}`, { token });
  });

  await t.test('says what a row lacks that has content in no chosen column', async () => {
    await check('customers', 'empty.csv', 'Name;Birthday\nIda;\n;1970-01-01\n');
    await person.see('New: 1');
    await person.see('Name is required.');
  });

  await t.test('refuses a number that a spreadsheet has ruined', async () => {
    await check('products', 'ruined.csv', 'sku;name;price;ean\nTEA;Tea;7,49;4E+12\n');
    await person.see('Barcode: a spreadsheet has rounded this number.');
    assert.doesNotMatch(await tab.evaluate<string>('document.body.innerText'), /Import \d/);
  });

  await t.test('takes a row with only a town', async () => {
    await check('customers', 'town.csv', 'Name;Ort;Land\nOda;Leer;\nUwe;;Deutschland\n');
    await person.see('New: 2');
    await person.press('Import 2 rows');
    await person.see('Imported');
    const found = (await all('customers')).filter(({ name }) => name === 'Oda' || name === 'Uwe');
    assert.deepEqual(
      found.map((customer) => [customer.address, customer.note ?? null]),
      [
        [null, null],
        [null, 'Leer'],
      ],
    );
  });

  await t.test('forgets that a column was missing once it is chosen', async () => {
    await person.go('#/products');
    await person.go('#/products/import');
    await giveFile(tab, { name: 'a.csv', bytes: Buffer.from('sku,name,cost\nTEA,Tea,7.49\n') });
    await person.press('Check all rows');
    await person.see('No column is the Price.');
    await tab.evaluate(`document.querySelector('[aria-label="What “cost” is"]').focus()`);
    const down = { key: 'ArrowDown', code: 'ArrowDown', windowsVirtualKeyCode: 40 };
    for (const type of ['keyDown', 'keyUp', 'keyDown', 'keyUp', 'keyDown', 'keyUp'])
      await tab.send('Input.dispatchKeyEvent', { type, ...down });
    await tab.until('document.activeElement.value === "unitPrice"');
    assert.doesNotMatch(await tab.evaluate<string>('document.body.innerText'), /No column is/);
    await person.press('Check all rows');
    await person.see('Unchanged: 1');
  });

  await t.test('leaves no dialog behind when one goes back', async () => {
    await person.go('#/products');
    await person.press('Add a product');
    await tab.until('document.querySelector("dialog[open]")');
    await tab.evaluate('history.back()');
    await tab.until('!document.querySelector("dialog")');
    await tab.until('location.hash === "#/products/import"');
    await person.go('#/customers');
    await tab.press('/');
    await tab.until('document.querySelector("dialog.quick-search")');
    await tab.evaluate('history.back()');
    await tab.until('!document.querySelector("dialog")');
  });

  assert.deepEqual(tab.complaints, []);
});
