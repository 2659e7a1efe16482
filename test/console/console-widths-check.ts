// The console between a phone and a desk, in a real browser: what its lists show on tablets, and money on phones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tab } from '../support/browser.ts';
import { admin } from '../support/service.ts';
import { openShop } from './console-shop.ts';

const tabletWidths = [768, 800, 820, 900, 1024, 1152, 1280];
const namePixelsMin = 88;

/** Runs in the page: returns what is cut off, overprinted, or broken over lines in the tables of lists. */
const faultsOfTables = `(() => {
  const faults = [];
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  const range = document.createRange();
  for (const cell of shown('main .scroller thead th:not(.select, .action)')) {
    range.selectNodeContents(cell);
    const text = range.getBoundingClientRect();
    const box = cell.getBoundingClientRect();
    if (text.right > box.right + 1 || text.height > 30) faults.push('heading ' + cell.textContent);
  }
  for (const each of shown('main .scroller :is(button, .number)')) {
    const { right } = each.closest('.scroller').getBoundingClientRect();
    if (each.getBoundingClientRect().right > right + 1) faults.push('cut off ' + each.textContent);
  }
  for (const name of shown('main .scroller td > .clip:not(.soft)'))
    if (name.clientWidth < ${namePixelsMin}) faults.push('narrow ' + name.textContent + ' ' + name.clientWidth);
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push('scrolls sideways by ' + (scrollWidth - innerWidth));
  return faults;
})()`;

/** Runs in the page: returns the amounts that are broken over lines. */
const brokenAmounts = `[...document.querySelectorAll('main :is(.number, .amount, .figure, .total)')].filter((each) => {
  const walker = document.createTreeWalker(each, NodeFilter.SHOW_TEXT);
  const lines = new Set();
  while (walker.nextNode()) {
    if (walker.currentNode.parentElement.closest('small, .phone') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const { top, width } of range.getClientRects()) if (width > 0) lines.add(Math.round(top));
  }
  return lines.size > 1 && each.checkVisibility();
}).map((each) => each.textContent)`;

for (const language of ['en-GB', 'de-DE'])
  test(`the console on tablets and phones, in ${language}`, { timeout: 180_000 }, async (t) => {
    const { service, token, tab, person } = await openShop(t);
    const items = [{ name: 'Boat', quantity: 1, unitPrice: 129_100 }];
    await service.post('/orders', { token, body: { customerId: 3, currency: 'NOK', items } });
    const email = 'alexandria.johannsson-lindqvist@example.com';
    await service.post('/customers', { token, body: { name: 'Alexandria', email } });
    await person.signIn(service.url, admin);
    await speak(tab, language, service.url);

    for (const hash of ['#/today', '#/orders', '#/customers', '#/customers/3'])
      await t.test(`shows the lists of ${hash} whole at every width`, async () => {
        for (const width of tabletWidths) {
          await tab.screen(width, 'light');
          await person.go('#/more');
          await person.go(hash);
          assert.deepEqual(await tab.evaluate(faultsOfTables), [], `${hash} at ${width}`);
        }
      });

    for (const hash of ['#/today', '#/orders', '#/orders/15', '#/day', '#/customers/3', '#/products'])
      await t.test(`breaks no amount of ${hash} over lines on a phone`, async () => {
        for (const width of [390, 360]) {
          await tab.screen(width, 'light');
          await person.go('#/more');
          await person.go(hash);
          assert.deepEqual(await tab.evaluate(brokenAmounts), [], `${hash} at ${width}`);
        }
      });

    await t.test('cuts no e-mail address off, and has tiles of one size in each row', async () => {
      const cut = `[...document.querySelectorAll('.list td .clip')].filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => each.textContent)`;
      const tilesInRows = `Object.values(Object.groupBy([...document.querySelectorAll('.tile')], (each) =>
        each.getBoundingClientRect().top)).map((row) => row.length)`;
      for (const width of tabletWidths) {
        await tab.screen(width, 'light');
        await person.go('#/customers');
        assert.deepEqual(await tab.evaluate(cut), [], `at ${width}`);
        await person.go('#/today');
        assert.deepEqual(await tab.evaluate(tilesInRows), [5], `at ${width}`);
      }
      await tab.screen(390, 'light');
      assert.deepEqual(await tab.evaluate(tilesInRows), [2, 3]);
    });

    await pause(8_000); // Chromium drops what a page navigates beyond 200 times in 10 seconds
    await t.test('has names and what is below them in their columns on a phone', async () => {
      await tab.screen(390, 'light');
      const wide = `[...document.querySelectorAll('main td .phone')].filter((each) =>
        each.checkVisibility() && each.scrollWidth > each.clientWidth && getComputedStyle(each).overflow === 'visible')
        .map((each) => each.textContent)`;
      for (const hash of ['#/customers', '#/people', '#/orders', '#/today']) {
        await person.go(hash);
        assert.deepEqual(await tab.evaluate(wide), [], hash);
      }
      await person.go('#/orders');
      const lines = `[...document.querySelectorAll('main td .clip')].filter((each) => each.textContent === 'Grace Hopper')
        .map((each) => Math.round(each.getBoundingClientRect().height / 20))`;
      assert.deepEqual(new Set(await tab.evaluate<number[]>(lines)), new Set([1]));
    });

    await t.test('has the steps of what is to be done, and the tabs in one row, on a phone', async () => {
      await tab.screen(390, 'light');
      await person.go('#/today');
      await tab.until('document.querySelector("main td.action button")?.checkVisibility()');
      await person.go('#/orders');
      const tabs = `[...document.querySelectorAll('.tabs a')].map((each) => each.getBoundingClientRect().top)`;
      assert.equal(new Set(await tab.evaluate<number[]>(tabs)).size, 1);
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    });

    await t.test('has a bar of selected orders that leaves a phone most of its height', async () => {
      await tab.screen(390, 'light');
      await tab.send('Emulation.setTouchEmulationEnabled', { enabled: true });
      await person.go('#/orders');
      await tab.evaluate('document.querySelector("[data-key=select-all]").click()');
      await tab.until('document.querySelector(".selection")?.checkVisibility()');
      const height = await tab.evaluate<number>('document.querySelector(".selection").offsetHeight');
      assert.ok(height <= 844 / 3.5, `${height} pixels`);
      const first = `document.querySelector('.selection .quiet').getBoundingClientRect().bottom`;
      const second = `document.querySelector('.selection .primary').getBoundingClientRect().top`;
      assert.ok(await tab.evaluate(`${first} <= ${second}`), 'the steps are below its first line');
      await tab.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    });

    await t.test('has a bar of selected orders that is one line on a tablet, with three steps', async () => {
      await tab.screen(820, 'light');
      await person.go('#/customers');
      await person.go('#/orders');
      await tab.evaluate('document.querySelector("[data-key=select-all]").click()');
      await tab.until('document.querySelectorAll(".selection .primary").length === 3');
      const tops = `[...document.querySelectorAll('.selection button')].map((each) => each.getBoundingClientRect().top)`;
      await tab.until(`new Set(${tops}).size === 1`); // Chromium may still be a phone
    });

    await t.test('has a bar of a tenth of a phone, which says what its payments are', async () => {
      await tab.screen(390, 'light');
      await person.go('#/new');
      await tab.until('document.querySelector(".bar .ends span")?.checkVisibility()');
      assert.ok(await tab.evaluate(`document.querySelector('.bar').offsetHeight <= innerHeight / 10`));
    });

    await t.test('has the names of the filters in one line', async () => {
      await tab.screen(1280, 'light');
      await person.go('#/orders');
      await tab.evaluate('document.querySelector(".filters").open = true');
      const tops = `[...document.querySelectorAll('.filters label')].map((each) => each.getBoundingClientRect().top)`;
      assert.equal(new Set(await tab.evaluate<number[]>(tops)).size, 1);
    });
  });

async function speak(tab: Tab, language: string, url: string): Promise<void> {
  const userAgent = await tab.evaluate<string>('navigator.userAgent');
  await tab.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: language });
  await tab.open('about:blank');
  await tab.open(`${url}/console`);
  await tab.until('document.querySelector(".frame")');
}
