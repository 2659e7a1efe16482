// What a code contains presses nothing, in a real browser: a customer may hold any code before the scanner.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { admin } from '../support/service.ts';
import { openShop } from './console-shop.ts';

const tea = { sku: 'TEA-250', name: 'Green tea', unitPrice: 749, currency: 'EUR', barcode: '4006381333931' };
const lines = `[...document.querySelectorAll('.line')].map((line) =>
  [...line.querySelectorAll('input')].map(({ value }) => value)).filter(([name]) => name !== '')`;
const isSettled = '!document.querySelector(".line[aria-busy]")';
/** The separator of GS1, for which some scanners press F8. */
const separator = '\u001d';

test('what a code contains presses nothing', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  await service.post('/products', { token, body: tea });
  await person.signIn(service.url, admin);
  const orders = async (): Promise<number> =>
    (await service.get('/orders?total=true&limit=1', { token })).body.total;
  const begin = async (): Promise<void> => {
    await person.go('#/new');
    await person.startOver();
    await tab.until('document.activeElement.role === "combobox"');
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
      await begin();
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
      await begin();
      await tab.scan(code);
      await tab.until(`${isSettled} && (${lines})[0]?.[2] === '2'`);
    });

  await t.test('a scan that comes too soon after another one is said to be lost', async () => {
    await begin();
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

  assert.deepEqual(tab.complaints, []);
});
