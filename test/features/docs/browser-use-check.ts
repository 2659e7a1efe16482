// The documentation page in a real browser, used by keyboard, for copying and printing.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { newKey } from '../../support/resource-support.ts';
import { codeOf, personWithCodes } from '../../support/totp-support.ts';
import { admin, serviceFor } from '../../support/service.ts';
import { folderWith } from '../../tools/check-api/outside-tools.ts';
import { fill, focused, isSignedIn, outcome, signIn } from '../../support/browser-actions.ts';
import { openTab } from '../../support/browser.ts';

const printedPagesMax = 40;

test('the documentation can be used as people do', { timeout: 600_000 }, async (t) => {
  const service = await serviceFor(t);
  const tab = await openTab();
  t.after(() => tab.close());
  const focusIsIn = (id: string): Promise<boolean> =>
    tab.evaluate(`document.getElementById("${id}").contains(document.activeElement)`);
  const top = (id: string): Promise<number> =>
    tab.evaluate(`Math.round(document.getElementById("${id}").getBoundingClientRect().top)`);

  await t.test('Enter on an entry of the contents leads the next Tab into the content', async () => {
    for (const [width, id] of [
      [1440, 'createOrder'],
      [1440, 'listUsers'],
      [390, 'createOrder'],
    ] as const) {
      await tab.screen(width, 'light');
      await tab.open(`${service.url}/docs`);
      if (width < 900) await tab.evaluate('document.querySelector("#contents").showPopover()');
      await tab.evaluate(`document.querySelector("#contents a[href='#${id}']").focus()`);
      await tab.press('Enter');
      await tab.until(`location.hash === "#${id}"`);
      await tab.press('Tab');
      assert.ok(await focusIsIn(id), `${id} at ${width}`);
      assert.ok(Math.abs((await top(id)) - 80) < 120, `${id} at ${width} is at ${await top(id)}`);
    }
  });

  await t.test('the skip link leads past the contents', async () => {
    await tab.screen(1440, 'light');
    await tab.open('about:blank');
    await tab.open(`${service.url}/docs`);
    await focused(tab, 1);
    await tab.press('Enter');
    await tab.press('Tab');
    assert.ok(await focusIsIn('main'));
  });

  await t.test('the language is chosen once, for all samples and the next visit', async () => {
    const shown = (id: string): Promise<string[]> =>
      tab.evaluate(
        `[...document.querySelectorAll("#${id} [data-language]")].filter((each) => each.checkVisibility())` +
          '.map((each) => each.dataset.language)',
      );
    assert.deepEqual(await shown('createOrder'), ['curl']);
    await tab.evaluate('document.querySelector("#getOrder-Python").click()');
    assert.deepEqual([await shown('createOrder'), await shown('getOrder')], [['Python'], ['Python']]);
    await tab.open('about:blank');
    await tab.open(`${service.url}/docs`);
    assert.deepEqual(await shown('createOrder'), ['Python']);
    await tab.evaluate('document.querySelector("#createOrder-curl").click()');
  });

  await t.test('the samples have the token of a sign-in, until one signs out', async () => {
    await signIn(tab, admin.password);
    await tab.until(isSignedIn);
    const sample = 'document.querySelector("#createOrder [data-language=curl] var").textContent';
    assert.match(await tab.evaluate(sample), /^Authorization: Bearer ey/);
    assert.match(await outcome(tab, 'listUsers'), /^200 /);
    await tab.evaluate('document.querySelector("#sign-out").click()');
    await tab.until('document.activeElement.id === "sign-in-link"');
    assert.equal(await tab.evaluate(sample), 'Authorization: Bearer $TOKEN');
  });

  await t.test('an account with one-time codes is asked for one', async () => {
    const { person, secret } = await personWithCodes(service);
    const isShown = 'document.querySelector("#code").checkVisibility()';
    assert.equal(await tab.evaluate(isShown), false);
    await signIn(tab, person.password, person.email);
    await tab.until(isShown);
    assert.equal(await tab.evaluate('document.activeElement.id'), 'code');
    await tab.type(codeOf(secret, service));
    await tab.press('Enter');
    await tab.until(isSignedIn);
    assert.equal(await tab.evaluate('document.querySelector("#who").textContent'), person.email);
    await tab.evaluate('document.querySelector("#sign-out").click()');
    await tab.until('document.activeElement.id === "sign-in-link"');
    assert.equal(await tab.evaluate(isShown), false);
  });

  await t.test('an API key is accepted as well', async () => {
    const { token } = await service.person();
    const { key } = await newKey(service, token, { scopes: ['orders:read'] });
    await fill(tab, 'api-key', key);
    await tab.press('Enter');
    await tab.until(isSignedIn);
    assert.match(await outcome(tab, 'listOrders'), /^200 /);
    await tab.evaluate('document.querySelector("#sign-out").click()');
    await tab.until('document.activeElement.id === "sign-in-link"');
  });

  await t.test('DELETE asks first', async () => {
    await signIn(tab, admin.password);
    await tab.until(isSignedIn);
    await outcome(tab, 'createCustomer');
    await tab.evaluate('document.querySelector("#deleteCustomer .try").open = true');
    await tab.until('document.querySelector("#deleteCustomer form")');
    await fill(tab, 'deleteCustomer-id', '1');
    const asked = 'document.querySelector("#confirm").open';
    await tab.press('Enter');
    await tab.until(asked);
    assert.equal(
      await tab.evaluate('document.querySelector("#confirm-request").textContent'),
      'DELETE /customers/1',
    );
    await tab.press('Escape');
    await tab.until(`!${asked}`);
    assert.match(await outcome(tab, 'getCustomer', { id: '1' }), /^200 /);
    await fill(tab, 'deleteCustomer-id', '1');
    await tab.press('Enter');
    await tab.until(asked);
    await tab.evaluate('document.querySelector("#confirm-yes").click()');
    await tab.until('document.querySelector("#deleteCustomer .outcome").textContent.startsWith("204")');
  });

  await t.test('values out of a list are chosen, also several', async () => {
    await tab.evaluate('document.querySelector("#listOrders .try").open = true');
    await tab.until('document.querySelector("#listOrders-status").multiple');
    await tab.evaluate(
      'for (const option of document.querySelector("#listOrders-status").options)' +
        ' option.selected = ["open", "paid"].includes(option.value)',
    );
    assert.match(await outcome(tab, 'listOrders'), /^200 /);
    assert.ok(
      await tab.evaluate(
        'performance.getEntriesByType("resource").some(({ name }) => name.endsWith("?status=open%2Cpaid"))',
      ),
    );
  });

  await t.test('copying says so, and ends saying so', async () => {
    const { origin } = new URL(service.url);
    await tab.send('Browser.grantPermissions', {
      origin,
      permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'],
    });
    const button = 'document.querySelector("#createOrder .copy")';
    assert.equal(await tab.evaluate(`${button}.ariaLabel`), 'Copy, Place an order');
    await tab.evaluate(`${button}.focus()`);
    await tab.press('Enter');
    await tab.until('/Copied|Can’t copy/.test(document.querySelector("#announcement").textContent)');
    await tab.until(`${button}.textContent === "Copy"`);
  });

  await t.test(`prints on at most ${printedPagesMax} pages`, async () => {
    const { data } = await tab.send('Page.printToPDF', { preferCSSPageSize: true });
    const pdf = Buffer.from(String(data), 'base64').toString('latin1');
    const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    t.diagnostic(`${pages} pages`);
    assert.ok(pages > 5 && pages <= printedPagesMax, `${pages} pages`);
  });

  await t.test('axe finds nothing against the pages', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orderly-axe-'));
    const source = readFileSync(join(folderWith('axe', folder), 'node_modules/axe-core/axe.min.js'), 'utf8');
    rmSync(folder, { recursive: true });
    for (const path of ['/docs', '/problems', '/problems/invalid-transition']) {
      for (const [width, scheme] of [
        [1440, 'light'],
        [390, 'dark'],
      ] as const) {
        await tab.screen(width, scheme);
        await tab.open('about:blank');
        await tab.open(service.url + path);
        await tab.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
        await tab.evaluate(layOutAll);
        await tab.evaluate(`${source}; undefined`);
        const found = await tab.evaluate<string[]>(
          `axe.run(${axeOptions}).then(({ violations }) => ` +
            'violations.map(({ id, nodes }) => ' +
            'id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" ")))',
        );
        assert.deepEqual(found, [], `${path} at ${width}`);
      }
    }
  });

  assert.deepEqual(tab.complaints, []);
});

/** Minimum target sizes are a rule of WCAG 2.2, which axe disables by default. */
const axeOptions = '{ resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }';

/** Runs in the page. Elements far from the visible part have no position yet, so axe would find overlaps. */
const layOutAll = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { content-visibility: visible !important; }");
  document.adoptedStyleSheets.push(sheet);
}`;
