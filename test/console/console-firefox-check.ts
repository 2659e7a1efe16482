// The console in Firefox, where it is installed: a shop's day, scans, keys, and what browsers draw differently.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { admin, serviceFor } from '../support/service.ts';
import { Person } from './console-actions.ts';
import { shopDay } from './console-day.ts';
import { fillShop } from './console-shop.ts';
import { openFirefox } from './firefox.ts';

const isMissing = spawnSync(process.env['FIREFOX'] ?? 'firefox-esr', ['--version']).error !== undefined;
const tea = { sku: 'TEA-250', name: 'Green tea', unitPrice: 749, currency: 'EUR', barcode: '4006381333931' };
const row = (id: number): string => `document.querySelector('tr:has([href="#/orders/${id}"])')`;
const line = `document.querySelector('.line')`;

test('Firefox', { timeout: 240_000, skip: isMissing && 'it is not installed' }, async (t) => {
  const empty = await serviceFor(t);
  const service = await serviceFor(t);
  for (const each of [empty, service]) each.clock.now = Date.now();
  const token = await fillShop(service);
  await service.post('/products', { token, body: tea });
  const tab = await openFirefox();
  t.after(() => tab.close());
  await tab.screen(1280, 'light');
  const person = new Person(tab, 'mouse');

  await t.test('has a shop’s day', () => shopDay(person, empty, 'mouse'));

  await t.test('finds, selects and marks orders by keys', async () => {
    await person.signIn(service.url, admin);
    await tab.press('/');
    await tab.until('document.activeElement.closest("dialog")');
    await tab.type('4');
    await tab.until(`document.querySelector('dialog [role="option"]')?.innerText.startsWith('#4 ')`);
    await tab.press('Enter');
    await tab.until('location.hash === "#/orders/4"');
    await person.go('#/orders?status=paid');
    await tab.evaluate(`${row(4)}.querySelector('a').focus()`);
    await tab.press('x');
    await tab.evaluate(`${row(11)}.querySelector('input').click()`);
    await person.press('Mark 2 as shipped');
    await person.see('2 orders are shipped.');
    for (const id of [4, 11])
      assert.equal((await service.get(`/orders/${id}`, { token })).body.status, 'shipped');
  });

  await t.test('recognizes a scan', async () => {
    await person.go('#/new');
    await tab.evaluate(`${line}.querySelector('input').focus()`);
    await tab.scan(tea.barcode);
    await tab.scan(tea.barcode);
    await tab.until(`${line}.querySelector('input').value === 'Green tea' && ${line}.ariaBusy === null`);
    await person.see('Total €14.98');
  });
});
