// Lists as files in the console, in a real browser: what the page shows, for a German spreadsheet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin } from '../support/service.ts';
import { keepSaved } from './console-actions.ts';
import { openShop } from './console-shop.ts';

test('a list as a file', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  await tab.send('Network.setUserAgentOverride', { userAgent: 'check', acceptLanguage: 'de-DE' });
  await tab.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Berlin' });
  const items = [
    { name: 'Sencha; loose', quantity: 1, unitPrice: 749 },
    { name: '=Matcha', quantity: 2, unitPrice: 1200 },
  ];
  const order = { customerId: 1, currency: 'EUR', items, note: 'Zwei "Dosen"' };
  await service.post('/orders', { token, body: order });
  await service.patch('/orders/16', { token, body: { status: 'paid', payment: 'cash' } });
  await service.post('/orders', { token, body: order });
  await tab.open(`${service.url}/console`);
  await tab.evaluate("localStorage.setItem('orderly-language', 'en')"); // words in English, numbers as in Germany
  await person.signIn(service.url, admin);
  await keepSaved(tab);

  async function savedLines(): Promise<readonly string[]> {
    await person.press('CSV');
    await person.see('was saved.');
    await person.press('Dismiss');
    const bytes = await tab.evaluate<number[]>('saved.bytes().then((bytes) => [...bytes])');
    return Buffer.from(bytes).toString('utf8').split('\r\n');
  }

  await t.test(
    'has a byte-order mark, the region’s signs, words, names and zone, and totals once',
    async () => {
      await person.go('#/orders?q=sencha');
      const [heading = '', first = '', second = '', ...others] = await savedLines();
      assert.match(
        heading,
        /^\ufeffNumber;Status;Payment;Created \(Europe\/Berlin\);Changed \(Europe\/Berlin\);/,
      );
      assert.match(heading, /;Customer;.*;Total;Line;SKU;Item;Quantity;Price;Sum$/);
      const { body } = await service.get('/orders/17', { token });
      const time = new Date(body.createdAt).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' });
      assert.equal(first.slice(0, 30), `17;open;;${time};${time}`.slice(0, 30));
      assert.match(first, /;Grace Hopper;1;EUR;"Zwei ""Dosen""";.*;31,49;1;;"Sencha; loose";1;7,49;7,49$/);
      assert.match(second, /;;2;;'=Matcha;2;12,00;24,00$/);
      assert.equal(others.length, 3, 'the rows of order 16, and the end');
    },
  );

  await t.test('has what is shown, with words for statuses and payments', async () => {
    await person.go('#/orders?status=paid&payment=cash&q=sencha');
    const [, first = '', ...others] = await savedLines();
    assert.match(first, /^16;paid;Cash;.*;31,49;1;;"Sencha; loose";1;7,49;7,49$/);
    assert.equal(others.length, 2);
  });

  await t.test('is there of customers and of products', async () => {
    await service.post('/products', {
      token,
      body: { sku: 'T', name: 'Tee', unitPrice: 5, currency: 'EUR' },
    });
    for (const [hash, expected] of [
      ['#/customers?q=grace', /^1;1;Grace Hopper;customer@example\.com;\+49 441 1234;/],
      ['#/products', /^1;T;Tee;0,05;EUR;;Yes;/],
    ] as const) {
      await person.go(hash);
      assert.match((await savedLines())[1] ?? '', expected, hash);
    }
  });

  await t.test('has the figures of a day as they are shown', async () => {
    await person.go('#/day');
    const lines = await savedLines();
    const day = new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' });
    assert.equal(lines[0], '\ufeffDay;Currency;Group;Name;Orders;Amount');
    const expected = [
      `${day};EUR;Money;Refunded;2;-107,96`,
      `${day};EUR;Money;Received;;301,39`,
      `${day};EUR;Received, by payment;Cash;1;31,49`,
      `${day};EUR;Orders placed, by their status now;Sold, not yet paid;6;1234568984,91`,
    ];
    for (const line of expected) assert.ok(lines.includes(line), lines.join('\n'));
  });
});
