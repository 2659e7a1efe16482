// Scans, in a real browser: whatever has the focus, by fast and slow scanners, while answers are slow; what they become
// in a new order and on other pages, and what a code contains presses nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fieldAt } from './console-actions.ts';
import {
  cup,
  cupLine,
  cups,
  isSettled,
  lines,
  openTill,
  quickly,
  slowly,
  tea,
  teaLine,
  teas,
} from './console-till.ts';

const mug = { sku: 'MUG', name: 'Mug', unitPrice: 1200, currency: 'USD', barcode: '4099999999999' };
const blueTee = { sku: 'TEE 1 BLUE', name: 'Tee, blue', unitPrice: 1900, currency: 'EUR' };
const wrap = { sku: 'GIFT', name: 'Gift wrap', unitPrice: 200, currency: 'EUR', barcode: null };
const old = { sku: 'OLD', name: 'Old cup', unitPrice: 100, currency: 'EUR', barcode: '4000000000000' };

/** The separator of GS1, for which some scanners press F8. */
const separator = '\u001d';
/** All that is entered but for the lines. */
const others = `[...document.querySelectorAll('main input, main select, main textarea')]
  .filter((each) => each.closest('.line') === null && each.type !== 'search')
  .map((each) => each.type === 'checkbox' ? each.checked : each.value)`;
const places = `[...document.querySelectorAll('main :is(input, select, textarea, button, h1, a)')]
  .filter((each) => each.checkVisibility())`;
const focusSearch = 'document.querySelector("main [type=search]").focus()';
const focusItem = 'document.querySelector(".line input").focus()';
const focused = 'document.activeElement.value';
const complaints = `[...document.querySelectorAll('.line .issue')].map((each) => each.innerText).filter(Boolean)`;

test('scans into a new order', { timeout: 300_000 }, async (t) => {
  const { office, tab, person, orders, begin, type, seeItems } = await openTill(t);
  for (const product of [mug, blueTee, wrap, { ...old, active: false }])
    await office.post('/products', product);
  const { id: ofContainer } = await orders.newest();
  await orders.change(ofContainer, { status: 'paid' });

  for (const scanner of [
    { milliseconds: 5, end: 'Tab', places: 2 },
    { milliseconds: 30, end: 'Enter', places: 6 },
    { milliseconds: 80, end: 'Enter', places: 6 },
    { milliseconds: 80, end: 'Tab', places: 7 },
  ] as const)
    await t.test(
      `with ${scanner.milliseconds} ms a key and ${scanner.end} at its end add one, whatever has the focus`,
      async () => {
        await begin();
        await type('grace', 'Enter');
        await tab.until(`${fieldAt('/shippingAddress/city')}.value !== ''`);
        await tab.scan(tea.barcode);
        await seeItems(teaLine);
        const before = await tab.evaluate(others);
        const count = await tab.evaluate<number>(`(${places}).length`);
        assert.ok(count > 20, `${count} places`);
        let quantity = 1;
        // a slow one at some of them
        for (let index = 0; index < count; index += scanner.places) {
          const place = await tab.evaluate<string>(`{
            const place = (${places})[${index}];
            place?.focus();
            String(place?.dataset.pointer ?? place?.textContent ?? place);
          }`);
          await tab.scan(tea.barcode, scanner);
          quantity += 1;
          await seeItems(teas(quantity));
          assert.deepEqual(await tab.evaluate(others), before, place);
          assert.equal(await tab.evaluate('location.hash'), '#/new', place);
        }
      },
    );

  await t.test('are no texts with blanks, which a text expander types as fast', async () => {
    await person.go('#/customers/new');
    await tab.until(`document.activeElement === ${fieldAt('/name')}`);
    await tab.scan('Patrick Street 12, Cork', { milliseconds: 0, end: 'Enter' });
    await person.seeEntered('/name', 'Patrick Street 12, Cork');
    await person.miss('Nothing has the code');
    await person.press('Cancel');
    await person.go('#/new');
  });

  await t.test('are no words in the middle of a text, unless a product has them as its code', async () => {
    const atNote = (text: string): Promise<unknown> =>
      tab.evaluate(`{
        const note = ${fieldAt('/note')};
        note.value = ${JSON.stringify(text)};
        note.dispatchEvent(new Event('input', { bubbles: true }));
        note.focus();
        note.setSelectionRange(1, 1);
      }`);
    await person.go('#/customers/new');
    await tab.until(`document.activeElement === ${fieldAt('/name')}`);
    await tab.type('Mü');
    await tab.scan('llersen', { milliseconds: 0, end: 'Tab' });
    await person.seeEntered('/name', 'Müllersen');
    await person.miss('Nothing has the code');
    await person.press('Cancel');
    await begin();
    await atNote('Rg');
    await tab.scan('inging', { milliseconds: 0, end: 'Tab' });
    await person.seeEntered('/note', 'Ringingg');
    await seeItems();
    await atNote('Rg');
    await tab.scan('gift', { milliseconds: 0, end: 'Tab' });
    await seeItems(['Gift wrap', 'GIFT', '1', '2.00']);
    await person.seeEntered('/note', 'Rg');
  });

  await t.test('are products whose SKU has blanks', async () => {
    await begin();
    for (const end of ['Enter', 'Tab'] as const) await tab.scan(blueTee.sku, { milliseconds: 5, end });
    await seeItems(['Tee, blue', blueTee.sku, '2', '19.00']);
    await person.seeEntered('/customerId', '');
    await person.go('#/orders');
    await tab.evaluate(focusSearch);
    await tab.scan(blueTee.sku);
    await seeItems(['Tee, blue', blueTee.sku, '3', '19.00']);
  });

  await t.test('fill a line each, and the same one again adds one to it', async () => {
    await begin();
    await tab.evaluate(focusItem);
    for (const code of [tea.barcode, cup.sku, tea.barcode, 'tea-250']) await tab.scan(code);
    await seeItems(teas(3), cupLine);
    await person.see('61.47');
    assert.deepEqual(await tab.evaluate(complaints), [], 'all were found');
    const line = `[...document.querySelectorAll('.line')].findIndex((each) => each.contains(document.activeElement))`;
    assert.equal(await tab.evaluate(line), 2, 'the next item is typed below them');
  });

  await t.test('are all there while the answers are slow, beside what is typed meanwhile', async () => {
    await begin();
    await tab.evaluate(slowly);
    await tab.evaluate(focusItem);
    for (const code of [tea.barcode, cup.barcode, tea.barcode]) await tab.scan(code);
    await tab.type('Ribbon');
    await seeItems(teas(2), cupLine, ['Ribbon', '', '1', '']);
    assert.equal(await tab.evaluate(focused), 'Ribbon', 'the focus stays');
    await begin();
    await type('louis', 'Enter');
    await wait(200);
    for (const code of [tea.sku, cup.sku]) await tab.scan(code, { milliseconds: 30 });
    await seeItems(teaLine, cupLine);
    await person.seeEntered('/customerId', 'louis');
    await tab.evaluate(quickly);
  });

  await t.test('of what no product has stay, with what to do about it', async () => {
    await begin();
    await tab.evaluate(focusItem);
    for (const code of ['9999999999999', old.barcode, mug.barcode, 'TEA-40FT']) await tab.scan(code);
    await person.see('No product that is sold now has the code “9999999999999”: enter its name and price.');
    await person.see('Its price is in USD: enter it in EUR.');
    await seeItems(
      ['9999999999999', '', '1', ''],
      [old.barcode, '', '1', ''],
      ['Mug', 'MUG', '1', ''],
      ['Container of green tea, loose', 'TEA-40FT', '1', '987654.99'], // which was sold before
    );
    await tab.press('F4');
    await person.see('Price is required.');
    await person.see('No product that is sold now has the code “9999999999999”: enter its name and price.');
  });

  await t.test('of what no product has ask for its name, which is typed over the code', async () => {
    const code = '9999999999999';
    const isAsked = `document.activeElement.dataset.pointer === '/items/0/name' && ${focused} === '${code}' &&
      getSelection().toString() === '${code}' && document.activeElement.ariaInvalid === 'true'`;
    await begin();
    await tab.scan(code);
    await tab.until(isAsked);
    await tab.scan(cup.barcode);
    await seeItems([code, '', '1', ''], cupLine);
    await tab.until(isAsked);
    await tab.scan(tea.barcode, { milliseconds: 80 });
    await seeItems([code, '', '1', ''], cupLine, teaLine);
    await tab.until(isAsked);
    await tab.scan('8888888888888', { milliseconds: 80 });
    await seeItems([code, '', '1', ''], cupLine, teaLine, ['8888888888888', '', '1', '']);
    await tab.until(`${focused} === '8888888888888'`);
    await person.press('Remove item 4');
    await tab.evaluate(focusItem);
    await tab.evaluate('document.activeElement.select()');
    await type('Ribbon', 'Enter', '2,50', 'Enter');
    await seeItems(['Ribbon', '', '1', '2,50'], cupLine, teaLine);
    assert.equal(await person.valueOf('/customerId'), '');
  });

  await t.test('of what no product has take no focus from what is typed meanwhile', async () => {
    await begin();
    await tab.evaluate(slowly);
    await tab.scan('9999999999999');
    await wait(200);
    await tab.type('grace');
    await person.see('No product that is sold now has the code “9999999999999”: enter its name and price.');
    await tab.evaluate(quickly);
    assert.equal(await tab.evaluate(focused), 'grace');
  });

  await t.test('are as good as a code that was pasted or typed', async () => {
    await begin();
    await tab.evaluate(focusItem);
    await tab.evaluate(`{
      const control = document.activeElement;
      const pasted = { inputType: 'insertFromPaste', data: 'CUP-010', bubbles: true };
      control.dispatchEvent(new InputEvent('beforeinput', pasted));
      control.value = 'CUP-010';
      control.dispatchEvent(new InputEvent('input', pasted));
    }`);
    await wait(150);
    await tab.press('Enter');
    await type('tea-250', 'Enter');
    await seeItems(cupLine, teaLine);
  });

  await t.test('by a slow scanner are no name of a customer', async () => {
    await begin();
    await tab.scan('4999999999999', { milliseconds: 80 });
    await wait(300);
    assert.equal(await tab.evaluate(`${fieldAt('/customer/phone')}.checkVisibility()`), false);
    await person.miss('New customer “4');
  });

  await t.test('by an input method are one, where it puts a code into a price at once', async () => {
    await begin();
    await tab.evaluate(`document.querySelector('.line [inputmode=decimal]').focus()`);
    await tab.type(tea.barcode);
    await seeItems(teaLine);
  });

  // a customer may hold any code before the scanner
  const count = await orders.count();
  for (const [name, code] of [
    ['a second Enter', `${tea.barcode}\r`],
    ['Tabs and letters after its end', `${tea.barcode}\t\t7\t0,01\t\t\t\t\t`],
    ['a separator that is a key of the form', `0104006381333931${separator}10ABC`],
    ['separators alone after its end', `${tea.barcode}\r${separator}${separator}`],
    ['wide digits, as an input method has them', '４００６３８１３３３９３１'],
    ['what the keys of the digits say on a Persian keyboard', '۴۰۰۶۳۸۱۳۳۳۹۳۱'],
  ] as const)
    await t.test(`with ${name} are one, which places no order and enters nothing`, async () => {
      await begin();
      await tab.scan(tea.barcode);
      await seeItems(teaLine);
      await tab.evaluate(`document.querySelector('.bar [type=submit]').focus()`);
      await tab.scan(code);
      await wait(500);
      await seeItems(teas(2));
      assert.equal(await tab.evaluate('location.hash'), '#/new');
      assert.equal(await orders.count(), count);
    });

  await t.test('with one pause within are whole, wherever their first digits went', async () => {
    for (const pauseAfter of [1, 3, 8, 12]) {
      await begin();
      await tab.scan(tea.barcode, { pauseAfter });
      await seeItems(teaLine);
      assert.equal(await tab.evaluate('document.querySelector(".bar output").textContent'), '€7.49');
    }
    await person.go('#/products');
    await person.press('Add a product');
    await tab.evaluate(`${fieldAt('/barcode')}.focus()`);
    await tab.scan('4012345678901', { milliseconds: 18, pauseAfter: 8 });
    assert.equal(await tab.evaluate(focused), '4012345678901');
    await person.press('Cancel');
  });

  await t.test('that come too soon after another one are said to be lost', async () => {
    await begin();
    await tab.scan(`${tea.barcode}\r4012345678901`);
    await person.see('“4012345678901” came too soon after another code: scan it again.');
    await seeItems(teaLine);
  });
});

test('scans on other pages', { timeout: 300_000 }, async (t) => {
  const { office, tab, person, orders, begin, seeItems } = await openTill(t);
  const product = async (id: number) => (await office.get(`/products/${id}`)).body;

  await t.test('begin an order, extend it, open one, and choose the customer', async () => {
    await begin();
    await tab.evaluate(slowly);
    for (const page of ['today', 'orders/3', 'customers']) {
      await begin();
      await person.go(`#/${page}`);
      await tab.scan(tea.sku, { milliseconds: 30 });
      await tab.scan(cup.barcode, { milliseconds: 30, end: 'Tab' });
      await tab.scan('C1', { milliseconds: 30 });
      await tab.until('location.hash === "#/new"');
      await seeItems(teaLine, cupLine);
      await person.seeEntered('/customerId', 'Grace Hopper');
    }
    await person.go('#/today');
    await tab.scan(tea.sku);
    await tab.until('location.hash === "#/new"');
    await seeItems(teas(2), cupLine);
    await person.go('#/today');
    await tab.scan('12');
    await tab.until(`location.hash === '#/orders/12'`);
    await tab.scan('can-005', { milliseconds: 80 });
    await person.see('Nothing has the code “can-005”.');
    assert.equal(await tab.evaluate('location.hash'), '#/orders/12');
    await tab.scan('CUPß010');
    await tab.until('location.hash === "#/new"');
    await seeItems(teas(2), cups(2));
    await tab.evaluate(quickly);
  });

  await t.test('begin an order from the search of a list; what a hand types is searched for', async () => {
    for (const [page, end] of [
      ['orders', 'Enter'],
      ['customers', 'Tab'],
    ] as const) {
      await begin();
      await person.go(`#/${page}`);
      await tab.evaluate(focusSearch);
      await tab.scan(tea.barcode, { milliseconds: 80, end });
      await tab.until('location.hash === "#/new"');
      await seeItems(teaLine);
    }
    await office.post('/customers', { name: 'Mary Shelley', email: 'mary7@example.com' });
    await person.go('#/customers');
    await tab.evaluate(focusSearch);
    await tab.scan('mary7@example.com', { milliseconds: 80 });
    await tab.until(`location.hash.startsWith('#/customers/')`);
    await person.go('#/orders');
    await tab.evaluate(focusSearch);
    await tab.scan(tea.barcode, { milliseconds: 130 });
    await wait(500);
    assert.equal(await tab.evaluate('location.hash'), `#/orders?q=${tea.barcode}`);
  });

  await t.test('take the place of what was typed in the search over all', async () => {
    for (const end of ['Enter', 'Tab'] as const) {
      await person.go('#/orders');
      await tab.evaluate('document.activeElement.blur()');
      await tab.press('/');
      await tab.until('document.activeElement.closest("dialog") !== null');
      await tab.type('grace');
      await wait(200); // it is a scan of its own
      await tab.scan(tea.barcode, { end });
      if (end === 'Tab') {
        assert.equal(await tab.evaluate(focused), tea.barcode); // Enter may have closed the dialog already
        await person.see(tea.name);
        await tab.press('Enter');
      }
      await tab.until('location.hash === "#/products?q=TEA-250"');
    }
  });

  await t.test('answer no question, nor does the Enter after them', async () => {
    const open = (await office.get('/orders?status=open&limit=1')).body.data[0].id;
    await person.go(`#/orders/${open}`);
    for (const milliseconds of [5, 80]) {
      await person.press('Cancel order …');
      await tab.scan(tea.barcode, { milliseconds });
      await tab.press('Enter');
      await wait(200);
      assert.equal((await orders.read(open))['status'], 'open');
      await person.press('Keep it');
    }
    await person.press('Cancel order …');
    await person.press('Cancel the order');
    await person.see('Cancelled');
    await person.go('#/customers/1');
    await person.press('Change');
    await person.enter('Name', 'Grace');
    await tab.scan(`${tea.barcode}\r`);
    await wait(500);
    assert.equal(await tab.evaluate('document.querySelector("dialog input").value'), 'Grace');
    await person.press('Cancel');
  });

  await t.test('alter only the field of its code while a product is changed', async () => {
    await person.go('#/products');
    await person.press(`Change ${tea.name}`);
    await tab.until('document.activeElement.dataset.pointer === "/name"');
    await tab.scan(cup.barcode);
    assert.equal(await tab.evaluate(focused), tea.name);
    await tab.evaluate(`${fieldAt('/barcode')}.focus()`);
    await tab.scan('4000000000017', { milliseconds: 80 });
    assert.equal(await tab.evaluate(focused), '4000000000017');
    assert.equal((await product(1)).barcode, tea.barcode, 'nothing was saved');
    await tab.evaluate('document.activeElement.value = "TEA"');
    await tab.scan('-251', { milliseconds: 130 }); // as a hand may type the rest
    assert.equal(await tab.evaluate(focused), 'TEA-251');
    await person.press('Cancel');
    await tab.evaluate('document.activeElement.blur()');
    await tab.scan(cup.barcode);
    await tab.until('document.querySelectorAll("tbody tr").length === 1');
  });

  await t.test('of hundreds of letters are said to be nothing’s, and what is said has room', async () => {
    await person.go('#/today');
    await tab.scan('https://example.com/'.padEnd(400, 'x'));
    await person.see('Nothing has the code “https://example.com/xxx');
    const button = `document.querySelector('.notice button').getBoundingClientRect()`;
    assert.equal(await tab.evaluate(`${button}.right <= innerWidth && ${button}.top >= 0`), true);
  });

  await t.test('have the price of the product, not the one of what was once sold', async () => {
    const items = [{ name: 'Camomile', sku: 'TEA-9', quantity: 1, unitPrice: 350 }];
    await orders.place({ items, status: 'paid' });
    await office.post('/products', {
      sku: 'TEA-9',
      name: 'Camomile, 20 bags',
      unitPrice: 349,
      currency: 'EUR',
    });
    await begin();
    await tab.evaluate(focusItem);
    await tab.type('camomile');
    const offered = `[...document.querySelectorAll('.line [role=option]')].map((each) => each.innerText)`;
    await tab.until(`(${offered}).length > 0`);
    const texts = await tab.evaluate<string[]>(offered);
    assert.match(texts[0] ?? '', /Camomile, 20 bags\s+TEA-9 · €3\.49/);
    assert.doesNotMatch(texts.join(), /3\.50/, 'no old price is offered');
    await tab.press('Enter');
    await tab.until(`${isSettled} && (${lines})[0]?.[3] === '3.49'`);
  });
});
