// Drawing a page of the console again, in a real browser, keeps unchanged elements, and with them the focus,
// typed text and a button that is being pressed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin } from '../support/service.ts';
import { network } from './console-actions.ts';
import { openShop } from './console-shop.ts';

test('pages of the console that are drawn again', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  /** The middle of the element, for a mouse. */
  const placeOf = (element: string): Promise<object> =>
    tab.evaluate(`{
      const { x, y, width, height } = ${element}.getBoundingClientRect();
      ({ x: x + width / 2, y: y + height / 2, button: 'left' });
    }`);
  const change = (id: number, body: object): Promise<unknown> =>
    service.patch(`/orders/${id}`, { token, body });

  await t.test('are loaded once, and have what happened before the stream was open', async () => {
    await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: holdStream });
    await person.signIn(service.url, admin);
    await person.go('#/orders');
    await tab.until('window.openStream');
    await change(1, { note: 'Hurry!', status: 'paid' });
    assert.equal(await tab.evaluate(statusOf(1)), 'Open', 'the stream isn’t open yet');
    await tab.evaluate('openStream()');
    await tab.until(`${statusOf(1)} === 'Paid'`);
    await tab.open('about:blank');
    await tab.open(`${service.url}/console#/today`);
    await tab.until('window.openStream');
    await person.settle();
    await tab.evaluate('openStream()');
    await change(1, { status: 'shipped' });
    await tab.until('messages.some((count) => count > 0)');
    assert.ok(!(await tab.evaluate<number[]>('messages')).includes(0), 'it has not to be loaded again');
    await person.see('Order 1 shipped');
  });

  await t.test('are left alone if nothing that they show has changed', async () => {
    for (const hash of ['#/orders', '#/customers', '#/people', '#/system', '#/day']) {
      await person.go(hash);
      await tab.evaluate(watch);
      await tab.evaluate(catchUp);
      await tab.until('loads > 1 && !document.querySelector("[aria-busy]")');
      assert.deepEqual(await tab.evaluate('window.changes'), [], hash);
    }
  });

  await t.test('keep the rows that are the same, in front of which others come', async () => {
    await person.go('#/orders');
    await tab.evaluate(`window.row = ${row(3)}`);
    await change(2, { status: 'paid' });
    const { body } = await service.post('/orders', { token, body: anOrder });
    await tab.until(`${statusOf(2)} === 'Paid'`);
    await person.see('1 new – show');
    assert.equal(await tab.evaluate(row(body.id)), null, 'nothing moves by itself');
    await person.press('1 new – show');
    await tab.until(row(body.id));
    assert.equal(await tab.evaluate(`row.isConnected && row === ${row(3)}`), true);
    assert.equal(
      await tab.evaluate('row.parentElement.rows[0].querySelector("a").textContent'),
      `#${body.id}`,
    );
  });

  await t.test('lose no click between whose two halves they are drawn', async () => {
    await person.go('#/orders/2');
    const at = await placeOf('document.querySelector(".tools .primary")');
    await tab.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at, clickCount: 1 });
    await change(2, { note: 'Wrap it as a present.' });
    await person.see('Wrap it as a present.');
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at, clickCount: 1 });
    await person.see('Mark as delivered');
    assert.ok(
      !(await tab.evaluate<string>('document.body.innerText')).includes('meanwhile'),
      'it is up to date',
    );
  });

  await t.test(
    'are not pressed by a second click or a held key that was meant for what was there',
    async () => {
      await person.go('#/orders');
      const step = (id: number): string => `${row(id)}.querySelector('.action:last-child button')`;
      const statusAt = async (id: number): Promise<unknown> =>
        (await service.get(`/orders/${id}`, { token })).body.status;
      await change(9, { status: 'paid' });
      await tab.until(`${statusOf(9)} === 'Paid'`);
      await tab.evaluate(`${step(9)}.focus()`);
      for (const autoRepeat of [false, true]) {
        const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' };
        await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', ...enter, autoRepeat });
      }
      await tab.until(`${statusOf(9)} === 'Shipped'`);
      await person.settle();
      assert.equal(await statusAt(9), 'shipped');
      assert.equal(await tab.evaluate('document.activeElement.ariaLabel'), 'Mark as delivered: order 9');
    },
  );

  await t.test('keep the focus in the place of the step that was made', async () => {
    const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
    const { body } = await service.post('/orders', {
      token,
      body: { customerId: 1, currency: 'EUR', items },
    });
    await person.go(`#/orders/${body.id}`);
    const focused = 'document.activeElement.textContent';
    await tab.until(`document.querySelector('.payments button')`);
    await tab.evaluate(`document.querySelector('.payments button').focus()`);
    await tab.press('Enter');
    await tab.until(`${focused} === 'Mark as ready'`); // offered at once, in the same place
  });

  await t.test('are right again where something else, such as a translator, has changed them', async () => {
    await person.go('#/orders/11');
    await tab.evaluate(`for (const element of document.querySelectorAll('h1, h2, .events span, .columns')) {
      const font = document.createElement('font');
      font.append(...element.childNodes);
      element.append(font, 'translated');
    }`);
    await change(11, { status: 'shipped', reason: 'With a bicycle.' });
    await person.see('With a bicycle.');
    assert.doesNotMatch(await tab.evaluate('document.querySelector(".columns").textContent'), /translated/);
    assert.equal(await tab.evaluate('document.querySelectorAll(".columns .card").length'), 6);
  });

  await t.test('keep the focus where another day or span is shown, or give it to the heading', async () => {
    await person.go('#/day');
    const day = 'document.querySelector("input[type=date]")';
    await tab.evaluate(`${day}.focus()`);
    for (const date of ['0002-11-20', '2026-11-20']) {
      await tab.evaluate(`{ ${day}.value = '${date}'; ${day}.dispatchEvent(new Event('change')); }`);
      await person.settle();
    }
    assert.equal(await tab.evaluate('location.hash'), '#/day?date=2026-11-20');
    assert.ok(await tab.evaluate(`document.activeElement === ${day}`));
    await person.go('#/figures');
    await tab.evaluate('document.querySelector("[href=\\"#/figures?by=year\\"]").focus()');
    await tab.press('Enter');
    await tab.until('location.hash === "#/figures?by=year"');
    await person.settle();
    assert.equal(await tab.evaluate('document.activeElement.localName'), 'h1');
  });

  await t.test('show the new day after midnight, if they show today', async () => {
    const figure = `document.querySelector('.tile:nth-child(2) .figure')?.textContent`;
    await person.go('#/today');
    const before = await tab.evaluate<string>(`document.querySelector('.tools a[href^="#/day"]').hash`);
    assert.ok(await tab.evaluate(`Number(${figure}) > 0`));
    await tab.evaluate(nextDay);
    await tab.until(`${figure} === '0'`);
    for (const link of ['.tools a[href^="#/day"]', '.tile[href^="#/day"]'])
      assert.notEqual(await tab.evaluate(`document.querySelector('${link}').hash`), before, link);
    await tab.evaluate(sameDay);
    await person.go('#/orders');
    const placed = `document.querySelector('td time').textContent`;
    const time = await tab.evaluate(placed);
    await tab.evaluate(nextDay);
    await tab.until(`${placed} !== ${JSON.stringify(time)}`);
    await tab.evaluate('openStream()');
    await service.post('/orders', { token, body: anOrder });
    await person.see('1 new – show');
    await tab.evaluate(sameDay);
    await service.post('/orders', { token, body: anOrder });
    await person.see('2 new – show'); // a clock that is set back holds nothing up
  });

  await t.test('keep what was typed, chosen and opened', async () => {
    await service.signIn(admin.email, admin.password);
    await person.go('#/account');
    await person.enter('Current password', 'half of it');
    const sessions = 'document.querySelectorAll("[aria-label^=\\"End session\\"]").length';
    const before = await tab.evaluate<number>(sessions);
    await person.press('End session');
    await tab.until(`${sessions} === ${before - 1}`);
    assert.equal(await tab.evaluate('document.querySelector("[type=password]").value'), 'half of it');
    await person.go('#/people/2');
    await person.press('Change');
    await tab.evaluate('document.querySelector("dialog select").value = "admin"');
    await service.patch('/api/users/2', { token, body: { name: 'Till the Second' } });
    await tab.until('document.querySelector("h1").textContent === "Till the Second"');
    assert.equal(await tab.evaluate('document.querySelector("dialog select").value'), 'admin');
    await person.see('Administrator has changed Name meanwhile.');
    await person.press('Save');
    await person.see('Till the Second is changed.');
    await person.see('Role Staff → Administrator');
  });

  await t.test('stay while the service rejects their load, and come back', async () => {
    await person.go('#/orders');
    await tab.evaluate(`{
      const send = fetch;
      const headers = { 'Retry-After': '5' };
      window.fetch = async (path, options) =>
        path.startsWith('/orders?') ? new Response(problem, { status: 429, headers }) : send(path, options);
      const problem = JSON.stringify({ code: 'quota-exceeded', status: 429, detail: 'Too many requests.' });
      window.restore = () => { window.fetch = send; };
    }`);
    await change(3, { note: 'Broken.', status: 'delivered' });
    await person.see('This page may be out of date. Too many requests.');
    assert.equal(await tab.evaluate(statusOf(3)), 'Shipped');
    await tab.evaluate('restore()');
    await tab.until(`${statusOf(3)} === 'Delivered'`);
  });

  await t.test('stay where the service can’t be reached, and are said to be out of date', async () => {
    await person.go('#/orders');
    await network(tab, { offline: true });
    await person.search('grace');
    await tab.until('document.querySelector("#banner p")');
    await tab.until('!document.querySelector("[aria-busy]")');
    assert.ok(await tab.evaluate(`${row(3)} !== null`));
    await network(tab, {});
    await tab.until('!document.querySelector("#banner p")');
    await tab.until(`${row(2)} === null`);
  });
});

const anOrder = { customerId: 1, currency: 'EUR', items: [{ name: 'Tea', quantity: 1, unitPrice: 749 }] };

/**
 * Holds the request of the stream back until the page calls `openStream`, and collects how many events its messages have:
 * none where some may have been missed.
 */
const holdStream = `{
  window.messages = [];
  new BroadcastChannel('orderly-events-2').onmessage = ({ data }) => messages.push(data.events?.length);
  const send = fetch;
  const { promise: opened, resolve: open } = Promise.withResolvers();
  window.fetch = async (path, options) => {
    if (options?.headers?.get?.('Accept') === 'text/event-stream') {
      window.openStream = open; // also for one that comes after it, as after a clock that was set
      await opened;
    }
    return send(path, options);
  };
}`;

/** Collects the changes of the page, and counts those of its loading mark. */
const watch = `{
  window.changes = [];
  window.loads = 0;
  const options = { childList: true, attributes: true, characterData: true, subtree: true };
  window.observer?.disconnect();
  window.observer = new MutationObserver((records) => {
    for (const { type, target, attributeName } of records)
      if (attributeName === 'aria-busy') loads += 1;
      else changes.push([type, target.nodeName, attributeName]);
  });
  observer.observe(document.querySelector('main'), options);
}`;
/** Lets the page’s clock be a day later, as on a device that has slept, and shows the page. */
const sameDay = `{
  window.Date = Today;
  Headers.prototype.get = window.headerOf;
}`;
/** Also by the service's clock, which decides. */
const nextDay = `{
  window.Today = Date;
  window.headerOf ??= Headers.prototype.get;
  Headers.prototype.get = function (name) {
    const text = window.headerOf.call(this, name);
    return name === 'date' ? new Today(Today.parse(text) + 86_400_000).toUTCString() : text;
  };
  const now = () => Today.now() + 86_400_000;
  window.Date = class extends Today {
    static now = now;
    constructor(...given) { super(...(given.length === 0 ? [now()] : given)); }
  };
  document.dispatchEvent(new Event('visibilitychange'));
}`;
/** Makes the page load again, as after a stream that could not be resumed. */
const catchUp = `new BroadcastChannel('orderly-events-2').postMessage({ events: [] })`;

const row = (id: number): string => `document.querySelector('tr:has([href="#/orders/${id}"])')`;
const statusOf = (id: number): string => `${row(id)}?.querySelector('td.wide .pill').textContent`;
