// The figures of months and years in the console, and what sold best in one of them, in a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tab } from '../support/browser.ts';
import { admin, serviceFor, type TestService } from '../support/service.ts';
import { newCustomer } from '../support/resource-support.ts';
import { keepSaved } from './console-actions.ts';
import { openConsole } from './console-shop.ts';

const tea = { sku: 'TEA-250', name: 'Green tea, 250 g', unitPrice: 749 };
const pot = { name: '=Teapot', unitPrice: 3900 };

/** The cells of the table with this number in the page. */
function rowsOf(tab: Tab, number: number): Promise<string[]> {
  return tab.evaluate(`[...document.querySelectorAll('main table.plain')[${number}].querySelectorAll('tbody tr')]
    .map((row) => [...row.querySelectorAll(':scope > :not(.share)')].map((cell) => cell.innerText.trim()).join(' | '))`);
}

/** An order of that time, which is paid at once. */
async function sell(service: TestService, time: Date, items: readonly object[]): Promise<void> {
  service.clock.now = time.getTime();
  const { token } = await service.signIn(admin.email, admin.password);
  const { id: customerId } = await newCustomer(service, token);
  const body = { customerId, currency: 'EUR', items, status: 'paid', payment: 'cash' };
  assert.equal((await service.post('/orders', { token, body })).status, 201);
}

test('the figures in the console', { timeout: 120_000 }, async (t) => {
  const service = await serviceFor(t);
  const now = new Date();
  const thisMonth = new Date(now.getFullYear(), now.getMonth(), 1, 0, 0, 1);
  const lastMonth = new Date(now.getFullYear(), now.getMonth() - 1, 10);
  const lastYear = new Date(now.getFullYear() - 1, 2, 10);
  await sell(service, lastYear, [{ ...tea, quantity: 10 }]);
  await sell(service, lastMonth, [
    { ...tea, quantity: 2 },
    { ...pot, quantity: 1 },
  ]);
  await sell(service, lastMonth, [{ ...tea, quantity: 1 }]);
  await sell(service, thisMonth, [{ ...pot, quantity: 2 }]);
  const { tab, person } = await openConsole(t, service);
  await person.signIn(service.url, admin);
  await keepSaved(tab);
  const month = (time: Date): string => time.toLocaleDateString('en', { month: 'short', year: 'numeric' });

  await t.test('months show what was sold and received, and the items of the newest', async () => {
    await person.press('Figures');
    await person.see('What sold best');
    assert.deepEqual(await rowsOf(tab, 0), [
      `${month(thisMonth)} | 1 | €78.00 | €78.00`,
      `${month(lastMonth)} | 2 | €61.47 | €61.47`,
      `${month(lastYear)} | 1 | €74.90 | €74.90`,
    ]);
    assert.deepEqual(await rowsOf(tab, 1), ['=Teapot | 2 | €78.00']);
    const widths = `[...document.querySelectorAll('.share rect')].map((each) => Math.round(each.getAttribute('width')))`;
    assert.deepEqual(await tab.evaluate(widths), [100, 79, 96]);
  });

  await t.test('a month shows what sold best in it, also as a file without formulas', async () => {
    await person.press(month(lastMonth));
    await person.see(`What sold best, ${month(lastMonth)}`);
    await tab.until(`document.querySelectorAll('main table.plain')[1].rows.length === 3`);
    assert.deepEqual(await rowsOf(tab, 1), ['=Teapot | 1 | €39.00', 'Green tea, 250 g TEA-250 | 3 | €22.47']);
    await person.press('Save the items as CSV');
    await person.see(' was saved.');
    const file = await tab.evaluate<string>('saved.text()');
    assert.deepEqual(file.split('\r\n'), [
      'Currency,SKU,Name,Orders,Quantity,Amount',
      "EUR,,'=Teapot,1,1,39.00",
      'EUR,TEA-250,"Green tea, 250 g",2,3,22.47',
      '',
    ]);
  });

  await t.test('on a phone the items of a chosen month are above the table', async () => {
    await tab.screen(390, 'light');
    const tops = `[...document.querySelectorAll('.figures > *')].map((each) => each.getBoundingClientRect().top)`;
    const [table = 0, items = 0] = await tab.evaluate<number[]>(tops);
    assert.ok(items < table, `the items begin at ${items}, the table at ${table}`);
    const broken = `[...document.querySelectorAll('.figures .soft, .figures .sku')].filter((each) =>
      each.textContent.includes('TEA-250') && (each.getClientRects().length > 1 || each.clientHeight > 30)).length`;
    for (const width of [390, 375, 360, 340, 320]) {
      await tab.screen(width, 'light');
      assert.equal(await tab.evaluate(broken), 0, `a SKU is whole at ${width}`);
    }
    await tab.screen(1280, 'light');
    await person.see('an order that was imported as paid is sold, and not received');
  });

  await t.test('years have the same sums, and their file', async () => {
    await person.press('Years');
    const year = now.getFullYear();
    await tab.until(`document.querySelector('main table.plain tbody')?.innerText.startsWith('${year}')`);
    const isSameYear = lastMonth.getFullYear() === year;
    if (isSameYear)
      assert.deepEqual(await rowsOf(tab, 0), [
        `${year} | 3 | €139.47 | €139.47`,
        `${year - 1} | 1 | €74.90 | €74.90`,
      ]);
    await person.press('Save the sales as CSV');
    await person.see('years.csv was saved.');
    const file = await tab.evaluate<string>('saved.text()');
    const lines = file.split('\r\n');
    assert.equal(lines[0], 'Currency,From,Orders,Sold,Received');
    if (isSameYear) assert.equal(lines[1], `EUR,${year}-01-01,3,139.47,139.47`);
  });

  await t.test('the shop’s currency and two others are shown', async () => {
    const { token } = await service.signIn(admin.email, admin.password);
    const { id: customerId } = await newCustomer(service, token);
    for (const currency of ['USD', 'GBP', 'JPY', 'CHF']) {
      const body = { customerId, currency, items: [{ ...tea, quantity: 1 }] };
      await service.post('/orders', { token, body });
    }
    await person.see('The file has 2 more currencies.');
    const captions = `[...document.querySelectorAll('.figures > :first-child table.plain caption')]`;
    assert.equal(await tab.evaluate(`${captions}.length`), 3);
    assert.equal(await tab.evaluate(`${captions}[0].textContent`), 'EUR');
  });

  await t.test('staff have them, users don’t', async () => {
    const ada = await service.person('user', 'Ada');
    await person.press('Sign out');
    await tab.until('document.querySelector(".sign-in")');
    await person.signIn(service.url, { email: ada.email, password: 'a password for tests' });
    await person.go('#/figures');
    await person.see('Not allowed');
  });
});
