// The documentation page in a real browser: `npm run check:docs`. Reads it by keyboard, wide and narrow, light and dark,
// and with axe, and takes screenshots.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { serviceFor } from '../../support/service.ts';
import { folderWith } from '../../tools/check-api/outside-tools.ts';
import { openTab, type Tab } from '../../support/browser.ts';

const pages = ['/docs', '/docs#updateUser', '/problems', '/problems/invalid-transition'];

test('the documentation works in a browser', { timeout: 300_000 }, async (t) => {
  const service = await serviceFor(t);
  const tab = await openTab();
  t.after(() => tab.close());
  const folder = mkdtempSync(join(tmpdir(), 'orderly-pictures-'));
  t.diagnostic(`pictures are in ${folder}`);
  const focusIsIn = (id: string): Promise<boolean> =>
    tab.evaluate(`document.getElementById("${id}").contains(document.activeElement)`);
  const isShown = (selector: string): Promise<boolean> =>
    tab.evaluate(`document.querySelector('${selector}').checkVisibility()`);

  await t.test('Enter on an entry of the contents leads the next Tab into the content', async () => {
    for (const [width, id] of [
      [1440, 'createOrder'],
      [1440, 'listUsers'],
      [390, 'createOrder'],
    ] as const) {
      await tab.screen(width, 'light');
      await tab.open('about:blank');
      await tab.open(`${service.url}/docs`);
      if (width < 900) {
        assert.deepEqual(await focused(tab, 2), ['.skip', '.menu']);
        assert.equal(await isShown('#contents'), false);
        await tab.press('Enter');
        await tab.until('document.querySelector("#contents").checkVisibility()');
        await tab.screenshot(join(folder, 'narrow-contents.png'));
      }
      await tab.evaluate(`document.querySelector("#contents a[href='#${id}']").focus()`);
      await tab.press('Enter');
      await tab.until(`location.hash === "#${id}"`);
      assert.equal(await isShown('#contents'), width >= 900);
      await tab.press('Tab');
      assert.ok(await focusIsIn(id), `${id} at ${width}`);
      const top = await tab.evaluate<number>(`document.getElementById("${id}").getBoundingClientRect().top`);
      assert.ok(Math.abs(top - 80) < 120, `${id} at ${width} is at ${top}`);
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

  await t.test('every page fits and has contrast, wide and narrow, light and dark', async () => {
    for (const path of pages)
      for (const width of [1280, 390, 360])
        for (const scheme of ['light', 'dark'] as const) {
          const what = `${path} at ${width}, ${scheme}`;
          await tab.screen(width, scheme);
          await tab.open('about:blank#');
          await tab.open(service.url + path);
          await tab.evaluate('new Promise((done) => setTimeout(done, 100))');
          await tab.screenshot(join(folder, `${what.replaceAll(/\W+/g, '-')}.png`));
          assert.ok(
            await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'),
            `${what}: scrolls sideways`,
          );
          assert.deepEqual(await tab.evaluate(`(${faint})()`), [], `${what}: too little contrast`);
        }
  });

  await t.test('axe finds nothing against the pages', async () => {
    const tools = mkdtempSync(join(tmpdir(), 'orderly-axe-'));
    const source = readFileSync(join(folderWith('axe', tools), 'node_modules/axe-core/axe.min.js'), 'utf8');
    rmSync(tools, { recursive: true });
    for (const path of pages.filter((each) => !each.includes('#')))
      for (const [width, scheme] of [
        [1440, 'light'],
        [390, 'dark'],
      ] as const) {
        await tab.screen(width, scheme);
        await tab.open('about:blank');
        await tab.open(service.url + path);
        await tab.evaluate(layOutAll);
        await tab.evaluate(`${source}; undefined`);
        const found = await tab.evaluate<string[]>(
          `axe.run(${axeOptions}).then(({ violations }) => ` +
            'violations.map(({ id, nodes }) => ' +
            'id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" ")))',
        );
        assert.deepEqual(found, [], `${path} at ${width}`);
      }
  });

  assert.deepEqual(tab.complaints, []);

  await t.test('this check sees faint text and rejected scripts', async () => {
    await tab.open(`${service.url}/problems`);
    await tab.evaluate('document.querySelector("h1").style.color = "light-dark(#999, #555)"');
    assert.deepEqual(await tab.evaluate<string[]>(`(${faint})()`).then((found) => found.length), 1);
    await tab.evaluate(
      'document.body.append(Object.assign(document.createElement("script"), { textContent: "1" }))',
    );
    await tab.evaluate('new Promise((done) => setTimeout(done, 200))');
    assert.ok(tab.complaints.length > 0);
  });
});

/** The class of the focused element after each of so many presses of Tab. */
async function focused(tab: Tab, presses: number): Promise<string[]> {
  const names: string[] = [];
  for (let index = 0; index < presses; index += 1) {
    await tab.press('Tab');
    names.push(await tab.evaluate('"." + document.activeElement.className'));
  }
  return names;
}

/** Minimum target sizes are a rule of WCAG 2.2, which axe disables by default. `faint` has looked at contrast. */
const axeOptions =
  '{ resultTypes: ["violations"], rules: { "target-size": { enabled: true }, "color-contrast": { enabled: false } } }';

/** Runs in the page. Elements far from the visible part have no position yet, so axe would find overlaps. */
const layOutAll = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { content-visibility: visible !important; }");
  document.adoptedStyleSheets.push(sheet);
}`;

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
