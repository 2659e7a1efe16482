// The console's requests while others work, in a real browser: only for what an event may have changed, one
// load at a time, and none while the page is hidden.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn } from './console-shop.ts';

test('the console’s requests', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);
  const change = (id: number, body: object): Promise<unknown> =>
    service.patch(`/orders/${id}`, { token, body });
  const order = { customerId: 1, currency: 'EUR', items: [{ name: 'Tea', quantity: 1, unitPrice: 749 }] };

  /** Makes a change as another user, waits until the page shows it, and returns the requests meanwhile. */
  async function requestsOf(work: () => Promise<unknown>, shown: string): Promise<readonly string[]> {
    await person.settle();
    await tab.evaluate('performance.clearResourceTimings()');
    await work();
    await person.see(shown);
    await person.settle();
    const urls = await tab.evaluate<string[]>(
      'performance.getEntriesByType("resource").map(({ name }) => name)',
    );
    return urls
      .map((url) => new URL(url))
      .map(({ pathname, searchParams: of }) => [pathname, of.get('status') ?? of.get('of')].join(' ').trim())
      .sort();
  }

  const latest = ['/api/users', '/customers', '/events', '/orders'];
  const waiting = ['/orders open', '/orders paid'];
  const sums = ['/orders/counts', '/sales placed', '/sales received'];
  await t.test('are on Today for what an event can have changed', async () => {
    await person.go('#/today');
    await person.see('Latest');
    for (const [what, work, shown, expected] of [
      [
        'a payment',
        () => change(8, { status: 'paid', note: 'Hurry!' }),
        'Order 8 paid',
        [...latest, ...waiting, ...sums],
      ],
      [
        'a new customer',
        () => service.post('/customers', { token, body: { name: 'Lise' } }),
        'Customer Lise created',
        latest,
      ],
      [
        'an order that is on its way',
        () => change(3, { note: 'Ring.' }),
        'Order 3 changed: Note',
        [...latest, ...waiting, ...sums],
      ],
      [
        'a new order',
        () => service.post('/orders', { token, body: order }),
        'Order 16 created',
        [...latest, ...waiting, ...sums],
      ],
      [
        'a delivery',
        () => change(3, { status: 'delivered' }),
        'Order 3 delivered',
        [...latest, ...waiting, ...sums],
      ],
      [
        'a cancellation',
        () => change(16, { status: 'cancelled' }),
        'Order 16 cancelled',
        [...latest, ...waiting, ...sums],
      ],
      [
        'a customer’s name',
        () => service.patch('/customers/2', { token, body: { name: 'Ada King' } }),
        'Ada King',
        [...latest, ...waiting],
      ],
    ] as const)
      assert.deepEqual(await requestsOf(work, shown), expected, what);
  });

  await t.test('for a page that is visited again are those for what it shows', async () => {
    await person.go('#/orders');
    const requests = await requestsOf(() => person.go('#/today'), 'Latest');
    assert.deepEqual(requests, [
      '/api/users',
      '/customers',
      '/events',
      '/metrics',
      '/orders',
      '/orders open',
      '/orders paid',
      '/orders/counts',
      '/sales placed',
      '/sales received',
      '/webhooks',
    ]);
  });

  await t.test(
    'are for what is there; 404 says that an account is not suspended, or has no codes',
    async () => {
      await tab.evaluate('performance.clearResourceTimings()');
      for (const hash of [
        '#/today',
        '#/orders/3',
        '#/orders/1/change',
        '#/new?copy=3',
        '#/customers/1',
        '#/products',
        '#/people/2',
        '#/system',
        '#/account',
        '#/day',
        '#/figures',
      ]) {
        await person.go(hash);
        await person.settle();
      }
      const refused = await tab.evaluate<string[]>(
        `performance.getEntriesByType('resource').filter(({ responseStatus }) => responseStatus >= 400)
        .map(({ name }) => new URL(name).pathname).sort()`,
      );
      assert.deepEqual(refused, ['/api/users/1/totp', '/api/users/2/suspension', '/api/users/2/totp']);
    },
  );

  await t.test('begin when those before have ended, and see all that happened', async () => {
    await person.go('#/orders');
    await tab.evaluate(holdLists);
    await change(5, { note: 'one' });
    await tab.until('held.length === 1');
    const { body } = await service.post('/orders', { token, body: order });
    await tab.until(`messages.includes('/orders/${body.id}')`);
    const { body: latest } = await service.post('/orders', { token, body: order });
    await tab.until(`messages.includes('/orders/${latest.id}')`);
    await tab.evaluate('new Promise((done) => setTimeout(done, 2_500))');
    assert.equal(await tab.evaluate('held.length'), 1);
    await tab.evaluate('release()');
    await person.see('2 new – show');
    assert.equal(await tab.evaluate('held.length'), 2);
    await person.press('2 new – show');
    await person.see(`#${latest.id}`);
  });

  await t.test('wait while the page is hidden, and are made once when it is shown', async () => {
    await person.go('#/orders');
    await person.settle();
    await tab.evaluate('held.length = 0');
    await tab.evaluate(hide(true));
    for (const id of [10, 11]) await change(id, { note: 'unseen' });
    const { body } = await service.post('/orders', { token, body: order });
    await tab.until(`messages.includes('/orders/${body.id}')`);
    await tab.evaluate('new Promise((done) => setTimeout(done, 1_500))');
    assert.equal(await tab.evaluate('held.length'), 0);
    await tab.evaluate(hide(false));
    await person.see('1 new – show');
    assert.equal(await tab.evaluate('held.length'), 1);
    await person.press('1 new – show');
    await person.see(`#${body.id}`);
  });
});

/** Lists wait until the page calls `release`; `messages` are the subjects of the events that came. */
const holdLists = `{
  const gate = Promise.withResolvers();
  window.held = [];
  window.messages = [];
  window.release = gate.resolve;
  new BroadcastChannel('orderly-events-2').onmessage = ({ data }) => 
    messages.push(...(data.events ?? []).map(({ subject }) => subject));
  const send = fetch;
  window.fetch = async (path, options) => {
    if (!path.startsWith('/orders?')) return send(path, options);
    held.push(path);
    await gate.promise;
    return send(path, options);
  };
}`;

function hide(isHidden: boolean): string {
  return `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`;
}
