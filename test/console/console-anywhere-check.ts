// Scans anywhere, in a real browser: whatever has the focus, by fast and slow scanners, while answers are slow; what a
// code contains presses nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { cup, isSettled, lines, openTill, quickly, slowly, tea } from './console-till.ts';

const price = { sku: 'OLD', name: 'Camomile', unitPrice: 350, currency: 'EUR' };

/** The separator of GS1, for which some scanners press F8. */
const separator = '\u001d';
/** All that is entered but for the lines. */
const others = `[...document.querySelectorAll('main input, main select, main textarea')]
  .filter((each) => each.closest('.line') === null && each.type !== 'search')
  .map((each) => each.type === 'checkbox' ? each.checked : each.value)`;
const places = `[...document.querySelectorAll('main :is(input, select, textarea, button, h1, a)')]
  .filter((each) => each.checkVisibility())`;

test('scans anywhere', async (t) => {
  const { service, token, tab, person, begin, type } = await openTill(t);

  for (const scanner of [
    { milliseconds: 5, end: 'Tab', places: 2 },
    { milliseconds: 30, end: 'Enter', places: 6 },
    { milliseconds: 80, end: 'Enter', places: 6 },
    { milliseconds: 80, end: 'Tab', places: 7 },
  ] as const)
    await t.test(
      `a scan with ${scanner.milliseconds} ms a key and ${scanner.end} at its end adds one, whatever has the focus`,
      async () => {
        await begin();
        await type('grace');
        await tab.press('Enter');
        await tab.until('document.querySelector("[data-pointer=\'/shippingAddress/city\']").value !== ""');
        await tab.scan(tea.barcode);
        await tab.until(`${isSettled} && (${lines}).length === 1`);
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
          await tab.until(`${isSettled} && document.querySelector('.line input') !== null`);
          const shown = `(${lines}).map((line) => line.join('|')).join()`;
          const wanted = `Green tea, 250 g|TEA-250|${quantity}|7.49`;
          await tab
            .until(`(${shown}) === ${JSON.stringify(wanted)}`)
            .catch(async () => assert.equal(await tab.evaluate(shown), wanted, place));
          assert.deepEqual(await tab.evaluate(others), before, place);
          assert.equal(await tab.evaluate('location.hash'), '#/new', place);
        }
      },
    );

  await t.test(
    'two scans during a slow search for the customer are items, and the customer is found',
    async () => {
      await begin();
      await tab.evaluate(slowly);
      await type('louis');
      await tab.press('Enter');
      await wait(200);
      await tab.scan(tea.sku, { milliseconds: 30 });
      await tab.scan(cup.sku, { milliseconds: 30 });
      await tab.until(`${isSettled} && (${lines}).length === 2`);
      assert.deepEqual(
        (await tab.evaluate<string[][]>(lines)).map(([name]) => name),
        [tea.name, cup.name],
      );
      await tab.until('document.querySelector("[data-pointer=\'/customerId\']").value === "louis"');
      await tab.evaluate(quickly);
    },
  );

  await t.test('what is typed while a scan waits for its answer stands in a line of its own', async () => {
    await begin();
    await tab.evaluate(slowly);
    await tab.scan(tea.barcode);
    await tab.press('Enter'); // from the customer
    await type('Honey, 350 g');
    await tab.until(isSettled);
    await tab.until(`(${lines})[0]?.[1] === 'TEA-250'`);
    assert.deepEqual(
      (await tab.evaluate<string[][]>(lines)).map(([name]) => name),
      [tea.name, 'Honey, 350 g'],
    );
    await tab.evaluate(quickly);
  });

  await t.test('a slow scanner’s code is no name of a customer', async () => {
    await begin();
    await tab.scan('4999999999999', { milliseconds: 80 });
    await wait(300);
    assert.equal(
      await tab.evaluate(`document.querySelector('[data-pointer="/customer/phone"]').checkVisibility()`),
      false,
    );
    assert.ok(!(await tab.evaluate<string>('document.body.innerText')).includes('New customer “4'));
  });

  await t.test(
    'scans on other pages begin an order, extend it, open one, and choose the customer',
    async () => {
      await begin();
      await tab.evaluate(slowly);
      for (const page of ['today', 'orders/3', 'customers']) {
        await person.go('#/new');
        await person.startOver();
        await person.go(`#/${page}`);
        await tab.scan(tea.sku, { milliseconds: 30 });
        await tab.scan(cup.barcode, { milliseconds: 30, end: 'Tab' });
        await tab.scan('C1', { milliseconds: 30 });
        await tab.until(`location.hash === '#/new' && ${isSettled} && (${lines}).length === 2`);
        await tab.until('document.querySelector("[role=combobox]").value === "Grace Hopper"');
        assert.deepEqual(
          (await tab.evaluate<string[][]>(lines)).map(([name]) => name),
          [tea.name, cup.name],
          page,
        );
      }
      await person.go('#/today');
      await tab.scan(tea.sku);
      await tab.until(`location.hash === '#/new' && ${isSettled} && (${lines})[0]?.[2] === '2'`);
      await person.go('#/today');
      await tab.scan('12');
      await tab.until(`location.hash === '#/orders/12'`);
      await tab.scan('can-005', { milliseconds: 80 });
      await person.see('Nothing has the code “can-005”.');
      assert.equal(await tab.evaluate('location.hash'), '#/orders/12');
      await tab.scan('CUPß010');
      await tab.until(`location.hash === '#/new' && ${isSettled} && (${lines})[1]?.[2] === '2'`);
      await tab.evaluate(quickly);
    },
  );

  await t.test(
    'a slow scan into the search of a list begins an order; what a hand types is searched for',
    async () => {
      for (const [page, end] of [
        ['orders', 'Enter'],
        ['customers', 'Tab'],
      ] as const) {
        await person.go('#/new');
        await person.startOver();
        await person.go(`#/${page}`);
        await tab.evaluate('document.querySelector("main [type=search]").focus()');
        await tab.scan(tea.barcode, { milliseconds: 80, end });
        await tab.until(`location.hash === '#/new' && ${isSettled} && (${lines})[0]?.[1] === 'TEA-250'`);
      }
      await service.post('/customers', { token, body: { name: 'Mary Shelley', email: 'mary7@example.com' } });
      await person.go('#/customers');
      await tab.evaluate('document.querySelector("main [type=search]").focus()');
      await tab.scan('mary7@example.com', { milliseconds: 80 });
      await tab.until(`location.hash.startsWith('#/customers/')`);
      await person.go('#/orders');
      await tab.evaluate('document.querySelector("main [type=search]").focus()');
      await tab.scan(tea.barcode, { milliseconds: 130 });
      await wait(500);
      assert.equal(await tab.evaluate('location.hash'), `#/orders?q=${tea.barcode}`);
    },
  );

  await t.test(
    'three sales over the counter take a key each beside their scans, however slow the answers',
    async () => {
      await person.go('#/new');
      await person.startOver();
      await person.go('#/today');
      await tab.evaluate(slowly);
      for (let sale = 0; sale < 3; sale += 1) {
        await tab.scan(tea.barcode, { milliseconds: 30 });
        await tab.scan(cup.sku, { milliseconds: 30 });
        await tab.until(`${isSettled} && (${lines}).filter(([, sku, , price]) => sku && price).length === 2`);
        await tab.press('F2');
        await tab.until(`(${lines}).length === 0 && !document.querySelector('form [aria-disabled]')`);
      }
      await tab.evaluate(quickly);
      const { body } = await service.get('/orders?limit=4&include=customer', { token });
      const sales = body.data.slice(0, 3);
      type Sale = {
        status: string;
        payment: string;
        total: number;
        shippingAddress: null;
        customer: { name: string };
      };
      assert.deepEqual(
        sales.map(({ status, payment, total, shippingAddress, customer }: Sale) => [
          status,
          payment,
          total,
          shippingAddress,
          customer.name,
        ]),
        sales.map(() => ['delivered', 'card', 4649, null, 'Walk-in']),
      );
      assert.notEqual(body.data[3].total, 4649);
    },
  );

  await t.test('no scan and no Enter confirms what can’t be taken back', async () => {
    const { body } = await service.get('/orders?status=open&limit=1', { token });
    const [{ id }] = body.data;
    await person.go(`#/orders/${id}`);
    for (const milliseconds of [5, 80]) {
      await person.press('Cancel order …');
      await tab.scan(tea.barcode, { milliseconds });
      await tab.press('Enter');
      await wait(200);
      assert.equal((await service.get(`/orders/${id}`, { token })).body.status, 'open');
      await person.press('Keep it');
    }
    await person.press('Cancel order …');
    await person.press('Cancel the order');
    await person.see('Cancelled');
  });

  await t.test('a scan while a product is changed alters only the field of its code', async () => {
    await person.go('#/products');
    await person.press(`Change ${tea.name}`);
    await tab.until('document.activeElement.dataset.pointer === "/name"');
    await tab.scan(cup.barcode);
    assert.equal(await tab.evaluate('document.activeElement.value'), tea.name);
    await tab.evaluate('document.querySelector("[data-pointer=\'/barcode\']").focus()');
    await tab.scan('4000000000017', { milliseconds: 80 });
    assert.equal(await tab.evaluate('document.activeElement.value'), '4000000000017');
    assert.equal(
      (await service.get('/products/1', { token })).body.barcode,
      tea.barcode,
      'nothing was saved',
    );
    await tab.evaluate('document.activeElement.value = "TEA"');
    await tab.scan('-251', { milliseconds: 130 }); // as a hand may type the rest
    assert.equal(await tab.evaluate('document.activeElement.value'), 'TEA-251');
    await person.press('Cancel');
    await tab.evaluate('document.activeElement.blur()');
    await tab.scan(cup.barcode);
    await tab.until('document.querySelectorAll("tbody tr").length === 1');
  });

  await t.test('a second click doesn’t save over a change that nobody has read', async () => {
    await person.go('#/products?q=cup-010');
    await person.press(`Change ${cup.name}`);
    await tab.until('document.activeElement.dataset.pointer === "/name"');
    await service.patch('/products/2', { token, body: { name: 'Cup, red' } });
    await person.enter('Name', 'Cup, blue');
    const at = await tab.evaluate<object>(`{
      const { x, y } = document.querySelector('dialog [type=submit]').getBoundingClientRect();
      ({ x: x + 5, y: y + 5, button: 'left' });
    }`);
    for (const clickCount of [1, 2]) {
      await tab.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at, clickCount });
      await tab.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at, clickCount });
      await person.see('Now Name: Cup, red');
    }
    assert.equal((await service.get('/products/2', { token })).body.name, 'Cup, red');
    await person.press('Save'); // the next one goes, however soon
    await person.see('Cup, blue is changed.');
  });

  await t.test('a product’s price wins over what was once sold', async () => {
    const items = [{ name: price.name, sku: price.sku, quantity: 1, unitPrice: price.unitPrice }];
    const { body: order } = await service.post('/orders', {
      token,
      body: { customerId: 1, currency: 'EUR', items },
    });
    await service.patch(`/orders/${order.id}`, { token, body: { status: 'paid' } });
    await service.post('/products', { token, body: { ...price, name: 'Camomile, 20 bags', unitPrice: 349 } });
    await begin();
    await tab.evaluate('document.querySelector(".line input").focus()');
    await tab.type('camomile');
    const offered = `[...document.querySelectorAll('.line [role=option]')].map((each) => each.innerText)`;
    await tab.until(`(${offered}).length > 0`);
    const texts = await tab.evaluate<string[]>(offered);
    assert.match(texts[0] ?? '', /Camomile, 20 bags\s+OLD · €3\.49/);
    assert.doesNotMatch(texts.join(), /3\.50/, 'no old price is offered');
    await tab.press('Enter');
    await tab.until(`(${lines})[0]?.[3] === '3.49'`);
  });

  await t.test('nothing is said to be still here where nothing is', async () => {
    await begin();
    await tab.evaluate('document.querySelectorAll(".notice").forEach((each) => each.remove())');
    await type('g');
    const backspace = { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 };
    await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', ...backspace });
    await person.go('#/today');
    await person.go('#/new');
    await tab.until('document.activeElement.role === "combobox"');
    assert.ok(!(await tab.evaluate<string>('document.body.innerText')).includes('still here'));
  });

  // a customer may hold any code before the scanner
  const orders = async (): Promise<number> =>
    (await service.get('/orders?total=true&limit=1', { token })).body.total;
  const beginWithTea = async (): Promise<void> => {
    await begin();
    await tab.scan(tea.barcode);
    await tab.until(`${isSettled} && (${lines}).length === 1`);
  };
  const count = await orders();

  for (const [name, code] of [
    ['a second Enter', `${tea.barcode}\r`],
    ['Tabs and letters after its end', `${tea.barcode}\t\t7\t0,01\t\t\t\t\t`],
    ['a separator that is a key of the form', `0104006381333931${separator}10ABC`],
    ['separators alone after its end', `${tea.barcode}\r${separator}${separator}`],
  ] as const)
    await t.test(`a scan with ${name} places no order and enters nothing`, async () => {
      await beginWithTea();
      await tab.evaluate(`document.querySelector('.bar .primary').focus()`);
      await tab.scan(code);
      await wait(500);
      await tab.until(isSettled);
      assert.equal(await tab.evaluate('location.hash'), '#/new');
      assert.equal(await orders(), count);
      const [[item, sku, quantity, price] = []] = await tab.evaluate<string[][]>(lines);
      assert.deepEqual([item, sku, quantity, price], [tea.name, tea.sku, '2', '7.49']); // also by its GTIN in GS1 form
    });

  for (const [name, code] of [
    ['wide digits, as an input method has them,', '４００６３８１３３３９３１'],
    ['what the keys of the digits say on a Persian keyboard', '۴۰۰۶۳۸۱۳۳۳۹۳۱'],
  ] as const)
    await t.test(`${name} are the digits of the code`, async () => {
      await beginWithTea();
      await tab.scan(code);
      await tab.until(`${isSettled} && (${lines})[0]?.[2] === '2'`);
    });

  await t.test('a scan that comes too soon after another one is said to be lost', async () => {
    await beginWithTea();
    await tab.scan(`${tea.barcode}\r4012345678901`);
    await person.see('“4012345678901” came too soon after another code: scan it again.');
    assert.equal((await tab.evaluate<string[][]>(lines)).length, 1);
  });

  await t.test('what is said of a code of hundreds of letters has room, with its button', async () => {
    await person.go('#/today');
    await tab.scan('https://example.com/'.padEnd(400, 'x'));
    await person.see('Nothing has the code “https://example.com/xxx');
    const button = `document.querySelector('.notice button').getBoundingClientRect()`;
    assert.equal(await tab.evaluate(`${button}.right <= innerWidth && ${button}.top >= 0`), true);
  });

  await t.test('a second Enter answers no question', async () => {
    await person.go('#/customers/1');
    await person.press('Change');
    await tab.until('document.querySelector("dialog input")');
    await person.enter('Name', 'Grace');
    await tab.scan(`${tea.barcode}\r`);
    await wait(500);
    assert.equal((await service.get('/customers/1', { token })).body.name, 'Grace Hopper');
    assert.equal(await tab.evaluate('document.querySelector("dialog input").value'), 'Grace');
  });
});
