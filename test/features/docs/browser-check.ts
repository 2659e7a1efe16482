// The documentation page in a real browser: `npm run check:docs`. Signs in, places an order, reads the
// explanation of an issue, and takes screenshots.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { admin, serviceFor } from '../../support/service.ts';
import { focused, isSignedIn, outcome, signIn } from '../../support/browser-actions.ts';
import { openTab } from '../../support/browser.ts';

const schemes = ['light', 'dark'] as const;
const rates = {
  'rate-default': '600/60',
  'rate-anonymous': '600/60',
  'rate-login-account': '5/60',
  'rate-login-address': '20/60',
};

test('the documentation works in a browser', { timeout: 120_000 }, async (t) => {
  const service = await serviceFor(t, { settings: rates });
  const { token: observer } = await service.signIn(admin.email, admin.password);
  const tab = await openTab();
  t.after(() => tab.close());
  const folder = mkdtempSync(join(tmpdir(), 'orderly-pictures-'));
  const picture = (name: string): Promise<void> => tab.screenshot(join(folder, `${name}.png`));
  t.diagnostic(`pictures are in ${folder}`);

  await t.test('a person gets through it by keyboard', async () => {
    await tab.screen(1280, 'light');
    await tab.open(`${service.url}/docs`);
    assert.deepEqual(await focused(tab, 5), [
      'a.skip',
      'a.brand',
      'a.aside',
      'a#sign-in-link',
      'a[href="#introduction"]',
    ]);
    await tab.screen(390, 'light');
    await tab.open(`${service.url}/docs`);
    assert.deepEqual(await focused(tab, 2), ['a.skip', 'button.menu']);
    await tab.press('Enter');
    await tab.until('document.querySelector("#contents").matches(":popover-open")');
    await picture('narrow-contents');
    assert.deepEqual(await focused(tab, 1), ['a[href="#introduction"]']);
    await tab.press('Enter');
    await tab.until('!document.querySelector("#contents").matches(":popover-open")');
  });

  await t.test('a person signs in, makes a customer and places an order', async () => {
    await tab.screen(1280, 'light');
    await tab.open(`${service.url}/docs`);
    await signIn(tab, 'not the password');
    await tab.until('document.querySelector("#sign-in-outcome.bad")');
    await signIn(tab, admin.password);
    await tab.until('document.querySelector("#sign-in-outcome.good")');
    assert.equal(await tab.evaluate('document.querySelector("#who").textContent'), admin.email);
    await picture('signed-in');
    assert.match(await outcome(tab, 'createCustomer'), /^201 Created, in \d+ ms$/);
    assert.match(await outcome(tab, 'createOrder'), /^201 Created, in \d+ ms$/);
    await tab.evaluate('document.querySelector("#createOrder .outcome").scrollIntoView()');
    await picture('order-placed');
    assert.equal(
      await tab.evaluate(
        'JSON.parse(document.querySelector("#createOrder .response pre").textContent).total',
      ),
      1498,
    );
    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
    assert.equal(await tab.evaluate(kept), '[{},{},""]');
  });

  await t.test('issues are explained beside what they are about', async () => {
    const bad = {
      customerId: 1,
      currency: 'EUR',
      items: [
        { name: 'Tea', quantity: 0, unitPrice: 749 },
        { quantity: 1, unitPrice: 1 },
      ],
      colour: 'green',
    };
    assert.match(
      await outcome(tab, 'createOrder', { body: JSON.stringify(bad) }),
      /^422 Unprocessable Entity, in \d+ ms: The request has 3 errors/,
    );
    const explained = await tab.evaluate<string>(
      'document.querySelector("#createOrder .response .sample pre").textContent',
    );
    assert.match(explained, /"quantity": 0,\nitems\[0\]\.quantity must be at least 1\./);
    assert.match(explained, /\{\nitems\[1\]\.name is required\./);
    assert.match(explained, /"colour": "green"\nUnknown member "colour"/);
    for (const width of [1280, 360, 390]) {
      for (const scheme of schemes) {
        await tab.screen(width, scheme);
        await tab.evaluate(
          'document.querySelector("#createOrder .outcome").scrollIntoView({ block: "start" })',
        );
        await picture(`issues-${width}-${scheme}`);
        assert.ok(
          await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'),
          `the response at ${width} scrolls sideways`,
        );
        assert.deepEqual(
          await tab.evaluate(`(${faint})()`),
          [],
          `the response at ${width}, ${scheme}: too little contrast`,
        );
      }
    }
    await tab.screen(1280, 'light');
    assert.match(
      await outcome(tab, 'listOrders', { limit: '1000' }),
      /^422 .*: limit must be at most 200\.$/,
    );
    assert.equal(await tab.evaluate('document.querySelector("#listOrders-limit").ariaInvalid'), 'true');
    assert.match(
      await tab.evaluate('document.querySelector("#listOrders-limit-issue").textContent'),
      /at most 200/,
    );
    assert.match(await outcome(tab, 'getOrder', { id: '1', 'If-None-Match': '*' }), /^304 /);
    assert.match(await outcome(tab, 'updateOrder', { id: '1', 'If-Match': '"stale"' }), /^412 /);
    assert.match(await outcome(tab, 'updateOrder', { id: '1', 'If-Match': '' }), /^200 /);
  });

  await t.test('a token that has ended is renewed', async () => {
    await tab.evaluate('{ const later = Date.now() + 900_000; Date.now = () => later; }');
    assert.match(await outcome(tab, 'getOrder', { id: '1', 'If-None-Match': '' }), /^200 /);
    assert.ok(
      await tab.evaluate(
        'performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/tokens"))',
      ),
    );
  });

  await t.test('leaving the page ends the session', async () => {
    const sessions = async (): Promise<number> =>
      (await service.get('/api/sessions', { token: observer })).body.data.length;
    assert.equal(await sessions(), 2);
    await tab.open('about:blank');
    for (let attempt = 0; attempt < 100 && (await sessions()) > 1; attempt += 1)
      await new Promise((done) => setTimeout(done, 20));
    assert.equal(await sessions(), 1);
    await tab.open(`${service.url}/docs`);
    assert.equal(await tab.evaluate(isSignedIn), false);
    await signIn(tab, admin.password);
    await tab.until(isSignedIn);
  });

  await t.test('signing out ends the session', async () => {
    await tab.evaluate('document.querySelector("#sign-out").click()');
    await tab.until('document.activeElement.id === "sign-in-link"');
    assert.match(await outcome(tab, 'listOrders', { limit: '' }), /^401 /);
  });

  await t.test('every page fits and has contrast, wide and narrow, light and dark', async () => {
    for (const [name, path] of [
      ['docs', '/docs'],
      ['orders', '/docs#orders'],
      ['users', '/docs#updateUser'],
      ['problems', '/problems'],
      ['problem', '/problems/invalid-transition'],
    ] as const) {
      for (const width of [1280, 390, 360]) {
        for (const scheme of schemes) {
          await tab.screen(width, scheme);
          await tab.open('about:blank#');
          await tab.open(service.url + path);
          await tab.evaluate('new Promise((done) => setTimeout(done, 100))');
          await picture(`${name}-${width}-${scheme}`);
          assert.ok(
            await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'),
            `${path} at ${width} scrolls sideways`,
          );
          if (path.includes('#')) continue;
          await tab.evaluate(
            'for (const details of document.querySelectorAll("details"))' +
              ' Object.assign(details, { name: "", open: true })',
          );
          assert.ok(
            await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'),
            `${path} at ${width} scrolls sideways`,
          );
          assert.deepEqual(
            await tab.evaluate(`(${faint})()`),
            [],
            `${path} at ${width}, ${scheme}: too little contrast`,
          );
        }
      }
    }
  });

  await t.test('without JavaScript it can be read, and shows no form that would do nothing', async () => {
    await tab.send('Emulation.setScriptExecutionDisabled', { value: true });
    await tab.open(`${service.url}/docs`);
    assert.deepEqual(
      await tab.evaluate(
        '[".try", "#sign-in-forms", ".account", ".noscript", "#createOrder h3"]' +
          '.map((each) => document.querySelector(each).checkVisibility())',
      ),
      [false, false, false, true, true],
    );
    await tab.send('Emulation.setScriptExecutionDisabled', { value: false });
  });

  assert.deepEqual(tab.complaints, []);

  await t.test('this check sees faint text and rejected scripts', async () => {
    await tab.open(`${service.url}/problems`);
    await tab.evaluate('document.querySelector("h1").style.color = "light-dark(#999, #555)"');
    assert.deepEqual(await tab.evaluate<string[]>(`(${faint})()`).then((found) => found.length), 1);
    const addScript =
      'document.body.append(Object.assign(document.createElement("script"), { textContent: "1" }))';
    await assert.rejects(tab.evaluate(addScript), /TrustedScript/);
    await tab.evaluate('new Promise((done) => setTimeout(done, 200))');
    assert.ok(tab.complaints.length > 0);
  });
});

/** Runs in the page: every text whose contrast with its background is below WCAG AA. */
const faint = String.raw`() => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgba = (color) => {
    if (!known.has(color)) known.set(color, measured(color));
    return known.get(color);
  };
  const measured = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const mixed = (above, beneath, share) => above * share + beneath * (1 - share);
  const over = ([r, g, b, a], [R, G, B]) => [mixed(r, R, a), mixed(g, G, a), mixed(b, B, a), 1];
  const backs = new Map();
  const behind = (element) => {
    if (element === null) return rgba('white');
    if (!backs.has(element)) {
      const color = rgba(getComputedStyle(element).backgroundColor);
      backs.set(element, over(color, behind(element.parentElement)));
    }
    return backs.get(element);
  };
  const linear = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) =>
    0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === '' || !element.checkVisibility()) continue;
    if (element.closest('style, script, svg')) continue;
    const back = behind(element);
    const color = over(rgba(getComputedStyle(element).color), back);
    const [one, other] = [light(color), light(back)].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    if (contrast < 4.5) found.add(element.localName + '.' + element.className + ' ' + contrast.toFixed(2));
  }
  return [...found];
}`;
