// Browsers that lack or deny something to the console, and connections that die in silence.
import assert from 'node:assert/strict';
import { createServer, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { admin, type TestService } from '../support/service.ts';
import { openShop, openSignedIn } from './console-shop.ts';

const withoutStorage = `Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('denied', 'SecurityError'); },
});
LockManager.prototype.request = () => Promise.reject(new DOMException('denied', 'SecurityError'));`;
const fullStorage = `Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };`;

const gaps = [
  ['denies cookies and site data', withoutStorage, 'cookies or site data are denied'],
  [
    'has null as its storage',
    `Object.defineProperty(window, 'localStorage', { value: null })`,
    'cookies or site data are denied',
  ],
  ['has the language C', languages('C'), 'Sign in'],
  ['has the language en-US@posix', languages('en-US@posix'), 'Sign in'],
  [
    'has no language',
    `Object.defineProperty(navigator, 'languages', { value: undefined });
    Object.defineProperty(navigator, 'language', { value: undefined });`,
    'Sign in',
  ],
  [
    'is Chromium 109',
    `delete Promise.withResolvers;
    for (const name of ['toReversed', 'toSorted', 'toSpliced', 'with']) delete Array.prototype[name];
    delete Array.fromAsync; delete Object.groupBy; delete Map.groupBy; delete AbortSignal.any;
    delete Promise.try; delete window.Iterator; delete URL.canParse; delete URL.parse;
    for (const name of ['union', 'intersection', 'difference', 'isSubsetOf']) delete Set.prototype[name];`,
    'Sign in',
  ],
] as const;

function languages(code: string): string {
  return `Object.defineProperty(navigator, 'language', { value: '${code}' });
    Object.defineProperty(navigator, 'languages', { value: ['${code}'] });`;
}

for (const [what, source, said] of gaps)
  test(`the console works in a browser that ${what}`, { timeout: 120_000 }, async (t) => {
    const { service, tab, person } = await openShop(t);
    const { identifier } = await tab.send('Page.addScriptToEvaluateOnNewDocument', { source });
    await tab.open(`${service.url}/console`);
    await person.see(said);
    await person.signIn(service.url, admin);
    for (const hash of ['#/today', '#/orders', '#/new', '#/figures', '#/account', '#/system']) {
      await person.go(hash);
      await tab.until('document.querySelector("main h1")');
      assert.equal(await tab.evaluate('document.querySelector("main .empty[role=alert]")'), null, hash);
    }
    await tab.send('Page.removeScriptToEvaluateOnNewDocument', { identifier });
  });

test('a full storage doesn’t keep anybody from signing in', { timeout: 120_000 }, async (t) => {
  const { service, tab, person } = await openShop(t);
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: fullStorage });
  await person.signIn(service.url, admin);
  await person.see('signing in lasts until the page is loaded again');
  await person.go('#/orders');
  await person.see('Grace Hopper');
});

test('a page whose script doesn’t run says so, in both languages', { timeout: 60_000 }, async (t) => {
  const { service, tab, person } = await openShop(t);
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: 'delete window.Promise;' });
  await tab.send('Animation.enable');
  await tab.send('Animation.setPlaybackRate', { playbackRate: 20 });
  await tab.send('Page.navigate', { url: `${service.url}/console` });
  await person.see('the browser is too old');
  await person.see('Der Browser ist zu alt');
});

/** Passes everything on until it is frozen: then nothing comes any more, and nothing ends. */
async function silentProxy(t: Pick<TestContext, 'after'>, service: TestService) {
  const sockets = new Set<Socket>();
  const streams = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((socket) => {
    const other = connect(service.port, '127.0.0.1');
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (chunk.includes('text/event-stream') && from === other) streams.add(other);
        if (!isFrozen) to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** The streams that are there stay silent; those that come later work. */
    swallow(): void {
      for (const socket of streams) socket.pause();
    },
    freeze(is: boolean): void {
      isFrozen = is;
    },
  };
}

test('a connection that dies in silence', { timeout: 240_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  const proxy = await silentProxy(t, service);
  await person.signIn(proxy.url, admin);

  await t.test('is replaced within a minute, so that others’ changes are seen', async () => {
    await person.go('#/customers');
    proxy.swallow();
    await service.post('/customers', { token, body: { name: 'Lise Meitner' } });
    const isSeen = `/Meitner|1 new/.test(document.body.innerText)`;
    for (let tries = 0; tries < 6; tries += 1) await tab.until(isSeen).catch(() => undefined);
    await tab.until(isSeen);
  });

  await t.test(
    'is said after ten seconds without an answer, and nothing has to be done once it is back',
    async () => {
      proxy.freeze(true);
      await tab.evaluate(`location.hash = '#/orders'`);
      await tab.until('!document.body.innerText.includes("can’t be reached")');
      await tab.until('document.body.innerText.includes("can’t be reached")').catch(() => undefined);
      await person.see('The service can’t be reached.');
      proxy.freeze(false);
      proxy.swallow();
      for (let tries = 0; tries < 4; tries += 1)
        await tab.until('document.body.innerText.includes("Grace Hopper")').catch(() => undefined);
      await person.see('Grace Hopper');
    },
  );
});

test('a recovery code can be typed on a phone', { timeout: 60_000 }, async (t) => {
  const { service, token, tab, person } = await openShop(t);
  await service.post('/api/users/1/totp', { token, body: {} });
  await tab.open(`${service.url}/console`);
  const field = `document.querySelector('[data-pointer="/code"]')`;
  await tab.until(field);
  await tab.evaluate(`${field}.closest('.field').hidden = false`);
  assert.equal(await tab.evaluate(`${field}.inputMode`), 'numeric');
  await person.press('Use a recovery code');
  assert.equal(await tab.evaluate(`${field}.inputMode`), 'text');
});

test('input methods and long texts', { timeout: 120_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);

  await t.test('the Enter that ends a word of an input method chooses nothing', async () => {
    await person.go('#/orders');
    await tab.evaluate(`document.activeElement.blur()`);
    await tab.press('/');
    await tab.until('document.querySelector("dialog [role=combobox]")');
    await tab.type('grace');
    await tab.until('document.querySelector("dialog [role=option]")');
    await tab.evaluate(`document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }))`);
    assert.equal(await tab.evaluate('location.hash'), '#/orders');
    await tab.press('Escape');
  });

  await t.test('a code that an input method puts into a price or a quantity at once is a scan', async () => {
    const barcode = '4006381333931';
    const product = { sku: 'TEA-250', name: 'Green tea', unitPrice: 749, currency: 'EUR', barcode };
    await service.post('/products', { token, body: product });
    await person.go('#/new');
    const price = `document.querySelector('.line [inputmode=decimal]')`;
    await tab.until(price);
    await tab.evaluate(`${price}.focus()`);
    await tab.type(barcode);
    const shown = `[...document.querySelectorAll('.line input')].map((each) => each.value)`;
    await tab.until(`${shown}.includes('Green tea')`);
    assert.equal(await tab.evaluate(`${shown}.includes('${barcode}')`), false);
  });

  await t.test('what is too long stays as it is, and is said', async () => {
    const sku = 'X'.repeat(80);
    await person.go('#/new');
    await tab.until(`document.querySelector('.line [data-scan=item]')`);
    await tab.evaluate(`[...document.querySelectorAll('.line [data-scan=item]')].at(-1).focus()`);
    await tab.type(sku);
    assert.equal(await tab.evaluate('document.activeElement.value'), sku);
  });
});
