// Today and Day's end of the console, in a real browser: money, the orders that wait longest, and what an
// administrator has to look after.
import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dayMilliseconds } from '../../src/base/durations.ts';
import { Receiver } from '../features/webhooks/receiver.ts';
import { admin, password } from '../support/service.ts';
import { openShop } from './console-shop.ts';

test('Today and Day’s end', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t, { settings: { 'webhook-allow': '127.0.0.1' } });
  const order = (unitPrice: number, currency = 'EUR'): object => ({
    customerId: 1,
    currency,
    items: [{ name: 'Tea', quantity: 1, unitPrice }],
  });
  const place = async (body: object, by = token): Promise<number> =>
    (await service.post('/orders', { token: by, body })).body.id;
  const set = (id: number, status: string, how: object = {}): Promise<unknown> =>
    service.patch(`/orders/${id}`, { token, body: { status, ...how } });
  /** A token for the time of the clock, which may be earlier: a later one isn't good then. */
  const tokenOfThen = async (): Promise<string> => (await service.signIn(admin.email, admin.password)).token;
  /** The cells of the first table below the element, row by row. */
  const cells = (element: string): Promise<string[]> =>
    tab.evaluate(`[...${element}.querySelectorAll('tbody tr')].map((row) =>
      [...row.cells].map((cell) => cell.innerText.trim().replaceAll(/\\s+/g, ' ')).join(' | '))`);

  // placed yesterday, paid today
  service.clock.now = Date.now() - dayMilliseconds;
  const yesterday = await tokenOfThen();
  const late = await place(order(10_000), yesterday);
  const corrected = await place(order(700), yesterday);
  const pounds = await place(order(44_350, 'GBP'), yesterday);
  await service.patch(`/orders/${pounds}`, { token: yesterday, body: { status: 'paid' } });
  service.clock.now = Date.now();
  await set(late, 'paid', { payment: 'cash' });
  await set(corrected, 'paid', { payment: 'card' });
  await set(corrected, 'open', { reason: 'The wrong row.' });
  const returned = await place(order(2_000));
  await set(returned, 'paid', { payment: 'card' });
  await set(returned, 'refunded');
  await set(await place(order(3_000)), 'paid', { payment: 'card' });
  const yen = await place(order(500, 'JPY'));
  await set(yen, 'paid');
  await person.signIn(service.url, admin);

  await t.test('show the money of the day by when it was paid, for each currency', async () => {
    await person.go('#/today');
    await person.see('Received today');
    const received = await tab.evaluate<string>(
      `document.querySelector('.tile .figure').firstChild.textContent`,
    );
    await person.press('Received today');
    await tab.until('location.hash.startsWith("#/day")');
    await person.see('Marked as paid by mistake');
    const day = await cells(`document.querySelector('.day table')`);
    assert.ok(day.includes('Marked as paid by mistake | 1 | −€7.00'), day.join('\n'));
    assert.ok(day.includes('Refunded | 3 | −€127.96'), day.join('\n'));
    assert.ok(day.includes(`Received |  | ${received}`), day.join('\n'));
    assert.deepEqual(
      await tab.evaluate(`[...document.querySelectorAll('.day caption')].map((each) => each.innerText)`),
      ['EUR', 'USD', 'JPY'],
    );
    await person.go(`#/day?date=${new Date(Date.now() - dayMilliseconds).toLocaleDateString('sv')}`);
    await person.see('€7.00');
    const before = await cells(`document.querySelector('.day table')`);
    for (const line of [
      'Received |  | €0.00',
      'Sold and paid | 1 | €100.00',
      'Sold, not yet paid | 1 | €7.00',
    ])
      assert.ok(before.includes(line), before.join('\n'));
    await person.go('#/day?date=2026-13-77x');
    await person.see('Marked as paid by mistake');
  });

  await t.test('compare by payment with terminal, drawer and bank, and unpaid orders apart', async () => {
    await person.go('#/day');
    const day = await cells(`document.querySelector('.day table')`);
    const start = day.indexOf('Received, by payment');
    assert.deepEqual(day.slice(start, start + 4), [
      'Received, by payment',
      'Card | 1 | €30.00',
      'Cash | 1 | €100.00',
      'Not said | 5 | €269.90',
    ]);
    assert.ok(day.includes('Received |  | €399.90'), day.join('\n'));
    assert.ok(day.includes('Sold and paid | 6 | €299.90'), day.join('\n'));
    assert.ok(day.includes('Sold, not yet paid | 5 | €1,234,568,953.42'), day.join('\n'));
  });

  await t.test('count a payment at once', async () => {
    await person.go('#/today');
    const others = `document.querySelector('.tile small').title`;
    await tab.until(`${others}.includes('¥500')`);
    await set(await place(order(300, 'JPY')), 'paid');
    await tab.until(`${others}.includes('¥800')`);
  });

  await t.test('subtract what was refunded in another currency', async () => {
    await set(pounds, 'refunded');
    await person.go('#/orders');
    await person.go('#/today');
    await tab.until(`[...document.querySelectorAll('small')].some((each) => each.innerText.includes('£'))`);
    const more = await tab.evaluate<string>(
      `[...document.querySelectorAll('small')].find((each) => each.innerText.includes('£')).title`,
    );
    assert.match(more, /−£443\.50/);
    assert.doesNotMatch(more, /\+ -/);
  });

  await t.test(
    'say of a sale that it is one, whose and of what amount, though its first step is older than what is shown',
    async () => {
      const sale = { ...order(100), status: 'delivered' };
      const sold = await place(sale);
      for (let count = 0; count < 4; count += 1) await place(sale);
      await service.post('/customers', { token, body: { name: 'Edsger Dijkstra' } });
      await person.go('#/orders');
      await person.go('#/today');
      await person.see(`Order ${sold} sold`);
      const events = `document.querySelector('.events').innerText`;
      assert.doesNotMatch(await tab.evaluate(events), new RegExp(`Order ${sold} (paid|shipped|delivered)`));
      const about = `[...document.querySelectorAll('.events li')]
        .find((each) => each.innerText.includes('Order ${sold} sold'))
        .querySelector('.about').innerText.replaceAll(/\\s+/g, ' ')`;
      assert.equal(await tab.evaluate(about), 'Grace Hopper €1.00');
      await set(sold, 'refunded');
      await person.see(`Order ${sold} refunded`);
      assert.doesNotMatch(await tab.evaluate(about), /Refunded/, 'a sale of before is none');
    },
  );

  await t.test('have what waits longest first, with its age, and all of it', async () => {
    service.clock.now = Date.now() - 3 * dayMilliseconds;
    const oldest = await place(order(100), await tokenOfThen());
    service.clock.now = Date.now();
    await set(oldest, 'paid');
    for (let count = 0; count < 7; count += 1) await place(order(100 + count));
    await person.go('#/orders');
    await person.go('#/today');
    const rows = `[...document.querySelectorAll('.flush tbody tr')]`;
    assert.equal(await tab.evaluate(`${rows}[0].querySelector('a').textContent`), `#${oldest}`);
    assert.match(await tab.evaluate(`${rows}[0].innerText`), /3 days/);
    const statuses = await tab.evaluate<string[]>(
      `${rows}.map((row) => row.querySelector('.pill').textContent)`,
    );
    assert.deepEqual(statuses, statuses.toSorted().toReversed(), 'Paid before Open');
    assert.equal(statuses.filter((each) => each === 'Open').length, 6);
    const { total } = (await service.get('/orders?status=open&total=true&limit=1', { token })).body;
    await person.press('All that are to be paid');
    await person.settle();
    assert.equal(await tab.evaluate(`document.querySelectorAll('main tbody tr').length`), total);
    assert.equal(await tab.evaluate(`document.querySelector('main tbody a').textContent`), `#${corrected}`);
  });

  await t.test(
    'say to administrators that a backup is missing and that a webhook fails, and why',
    async () => {
      const receiver = await Receiver.start(t);
      await service.post('/webhooks', { token, body: { url: receiver.url(), types: ['order.changed'] } });
      await service.patch('/orders/1', { token, body: { note: 'sent to the receiver' } });
      (await receiver.next()).answer(503, { 'Retry-After': '3600' });
      for (let tries = 0; tries < 1_000; tries += 1) {
        if ((await service.get('/webhooks/1', { token })).body.failingSince !== null) break;
        if (service.clock.hasTimer(1_000)) service.clock.advance(1_000);
      }
      await person.go('#/today');
      await person.see('There is no backup: if this machine fails, all orders and customers are lost.');
      await person.see(`${new URL(receiver.url()).host} has received no events since `);
      await person.see(': it answers with status 503. Next attempt: ');
      await person.press(new URL(receiver.url()).host);
      await tab.until('location.hash === "#/webhooks/1"');
      await person.see('It answers with status 503');
      await person.go('#/system');
      await person.see('There is no backup');
      await person.see(`${new URL(receiver.url()).host} has received no events since `);
    },
  );

  await t.test('say that the last backup is old, and nothing of a new one', async () => {
    const trace = join(service.folder, 'last-backup');
    const daysAgo = (days: number): Date => new Date(Date.now() - days * dayMilliseconds);
    writeFileSync(trace, '');
    utimesSync(trace, daysAgo(5), daysAgo(5));
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 500, y: 500 }); // over the orders
    await person.go('#/today');
    await person.see('The last backup is 5 days old');
    utimesSync(trace, daysAgo(0), daysAgo(0));
    await service.patch('/webhooks/1', { token, body: { status: 'paused' } });
    await person.go('#/system');
    await person.see('Nothing has to be done, if the newest backup is on another disk, too.');
  });

  await t.test('say none of that to staff, who can do nothing about it', async () => {
    const till = await service.person('staff', 'Second till');
    await person.press('Sign out');
    await person.signIn(service.url, { email: till.email, password });
    await person.see('Received today');
    assert.equal(await tab.evaluate('document.querySelector(".alerts")'), null);
    await person.see('Latest');
    assert.doesNotMatch(await tab.evaluate('document.body.innerText'), /Account \d/, 'they can read no name');
  });
});
