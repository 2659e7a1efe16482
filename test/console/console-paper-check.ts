// What the console prints, in Chromium and Firefox: packing slips and a day's end, on A4 and on rolls.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { admin, type TestService } from '../support/service.ts';
import type { Paper, Tab } from '../support/browser.ts';
import { openFirefox } from './firefox.ts';
import { Person } from './console-actions.ts';
import { openShop } from './console-shop.ts';

const papers: Readonly<Record<string, Paper>> = {
  a4: [210, 297],
  roll: [80, 297],
};
const isInstalled = (program: string): boolean => spawnSync(program, ['-v']).error === undefined;
const needed = ['pdftotext', process.env['FIREFOX'] ?? 'firefox-esr'];
const missing = needed.filter((program) => !isInstalled(program));

test(
  'paper from the console',
  { timeout: 240_000, skip: missing.length > 0 && `without ${missing.join(' and ')}` },
  async (t) => {
    const { service, token, tab, person } = await openShop(t, {
      settings: {
        'shop-name': 'Tea House',
        'shop-address': 'Lange Straße 1, 26122 Oldenburg',
        'default-country': 'DE',
      },
    });
    const folder = mkdtempSync(join(tmpdir(), 'orderly-paper-'));
    t.diagnostic(`the papers are in ${folder}`);
    const long = await placeLongOrder(service, token);
    const abroad = await placeOrderAbroad(service, token);
    const broken = await placeBrokenOrder(service, token);
    await person.signIn(service.url, admin);
    const firefox = await openFirefox();
    t.after(() => firefox.close());
    await firefox.screen(1280, 'light');
    await new Person(firefox, 'mouse').signIn(service.url, admin);

    for (const [browser, shown] of [
      ['chromium', tab],
      ['firefox', firefox],
    ] as const)
      for (const [name, paper] of Object.entries(papers)) {
        const printed = (what: string): Promise<readonly string[]> =>
          pagesOf(shown, paper, join(folder, `${what}-${browser}-${name}.pdf`));
        await t.test(`a long slip on ${name} in ${browser}`, async () => {
          await new Person(shown, 'mouse').go(`#/orders/${long}`);
          const pages = await printed('long');
          for (const [index, text] of pages.entries()) {
            assert.match(text, new RegExp(`Tea House · Order ${long}\\b`), `page ${index + 1}`);
            if (browser === 'chromium' && name !== 'roll')
              assert.match(text, new RegExp(`\\b${index + 1} ?/ ?${pages.length}\\b`));
          }
          for (let item = 1; item <= 60; item += 1)
            assert.equal(pages.join('').split(`Item ${item},`).length, 2, `item ${item}`);
          assert.match(pages.at(-1) ?? '', /the last word/);
        });
        await t.test(`line breaks of a note don’t fill the paper on ${name} in ${browser}`, async () => {
          await new Person(shown, 'mouse').go(`#/orders/${broken}`);
          const pages = await printed('broken');
          assert.ok(pages.length <= 2, `${pages.length} pages`);
          assert.match(pages.join(''), /first[^]*last/);
        });
        await t.test(`an ordinary slip is one page on ${name} in ${browser}`, async () => {
          await new Person(shown, 'mouse').go('#/orders/3');
          const [text = '', ...others] = await printed('slip');
          assert.equal(others.length, 0);
          assert.match(text, /Tea House, Lange Straße 1/);
          assert.doesNotMatch(text, /Mark as|Sign out|Germany/);
        });
        await t.test(`an order confirmation on ${name} in ${browser} has prices, no receipt`, async () => {
          const by = new Person(shown, 'mouse');
          await by.go(`#/orders/${abroad}`);
          await by.see('London\nSW1A 3AA');
          await shown.evaluate('window.print = () => { window.isPrinting = true; }');
          await by.press('Order confirmation');
          await shown.until('window.isPrinting');
          const [text = '', ...others] = await printed('confirmation');
          await shown.evaluate('dispatchEvent(new Event("afterprint"))');
          assert.equal(others.length, 0);
          assert.match(text, /Tea House, Lange Straße 1/);
          assert.match(text, /Order confirmation/);
          assert.match(text, /London\s+SW1A 3AA/);
          for (const part of ['Assam', 'TEA-1', '€7.49 each', '€14.98']) assert.ok(text.includes(part), part);
          assert.match(text, /Total, 3 pieces\s+€53\.98/);
          assert.match(text, /This is neither a receipt nor an\s+invoice\./);
          assert.doesNotMatch(text, /Packing slip|Mark as/);
          await by.go('#/orders'); // iPads send `afterprint` before they print: the paper stays that of the page
          await by.go(`#/orders/${abroad}`);
          const [slip = ''] = await printed('slip-abroad');
          assert.match(slip, /Packing slip[^]*London\s+SW1A 3AA\s+UNITED KINGDOM[^]*To pay: €53\.98/);
          assert.doesNotMatch(slip, /€7\.49|€14\.98|receipt/);
        });
        await t.test(
          `a list on ${name} in ${browser} has no buttons, and its columns on wide paper`,
          async () => {
            await new Person(shown, 'mouse').go('#/orders');
            const [text = ''] = await printed('list');
            assert.doesNotMatch(text, /CSV|Mark as|Search|handed over Cancelled/);
            if (name !== 'roll') assert.match(text, /No\. +Placed +Customer +Items +Status +Total/);
          },
        );
        await t.test(`a day’s end has one page, or two short ones, on ${name} in ${browser}`, async () => {
          await new Person(shown, 'mouse').go('#/day');
          await shown.evaluate(
            'for (const name of ["beforeprint", "afterprint"]) dispatchEvent(new Event(name))',
          );
          const pages = await printed('day'); // iPads send both before they print
          assert.match(pages.join(''), /Tea House · /);
          assert.ok(pages.length <= (name === 'a4' ? 1 : 2), `${pages.length} pages`);
        });
      }
    assert.deepEqual(firefox.complaints, []);
  },
);

async function placeOrderAbroad(service: TestService, token: string): Promise<number> {
  const items = [
    { sku: 'TEA-1', name: 'Assam', quantity: 2, unitPrice: 749 },
    { name: 'Teapot', quantity: 1, unitPrice: 3900 },
  ];
  const shippingAddress = {
    line1: '1 Old Palace Yard',
    city: 'London',
    postalCode: 'SW1A 3AA',
    country: 'GB',
  };
  const { body } = await service.post('/orders', {
    token,
    body: { customerId: 1, currency: 'EUR', items, shippingAddress },
  });
  return body.id;
}

/** Its note has as many lines as a note can have, half of them blank. */
async function placeBrokenOrder(service: TestService, token: string): Promise<number> {
  const items = [{ name: 'Teapot', quantity: 1, unitPrice: 3900 }];
  const note = `first\n${'x\n\n'.repeat(660)}last`;
  const { body } = await service.post('/orders', {
    token,
    body: { customerId: 1, currency: 'EUR', items, note },
  });
  return body.id;
}

async function placeLongOrder(service: TestService, token: string): Promise<number> {
  const items = Array.from({ length: 60 }, (_, index) => ({
    sku: `TEA-${index + 1}`,
    name: `Item ${index + 1}, ${'a name that needs two lines of most papers '.repeat(index % 7 === 0 ? 3 : 1)}`,
    quantity: 1,
    unitPrice: 749,
  }));
  const note = `${'Please ring twice. '.repeat(30)}\nthe last word`;
  const { body } = await service.post('/orders', {
    token,
    body: { customerId: 1, currency: 'EUR', items, note },
  });
  return body.id;
}

/** The text of each page. */
async function pagesOf(tab: Tab, paper: Paper, file: string): Promise<readonly string[]> {
  writeFileSync(file, await tab.print(paper));
  const { stdout } = spawnSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' });
  return stdout.normalize('NFKC').split('\f').slice(0, -1); // fonts have a letter for fi
}
