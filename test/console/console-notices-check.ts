// What the console says over its pages, in a real browser: failed steps, and that the service is away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { middleOf, network } from './console-actions.ts';
import { openSignedIn } from './console-shop.ts';

const timeToReadMilliseconds = 6_000;
const warnings = `[...document.querySelectorAll('.warning')].map((each) => each.querySelectorAll('p').length)`;

/** Runs in the page: returns whether two elements that are shown have a place in common. */
const overlap = `(one, other) => {
  const [a, b] = [one, other].map((each) => each.getBoundingClientRect());
  const isApart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  return a.width > 0 && b.width > 0 && !isApart;
}`;

test('what the console says over its pages', { timeout: 180_000 }, async (t) => {
  const { service, token, tab, person } = await openSignedIn(t);

  await t.test('is one warning for several failures, which goes with the page once it was read', async () => {
    await person.go('#/orders');
    // the changes by others stay unseen
    await tab.evaluate(`{
      window.later = setTimeout;
      window.setTimeout = (run, ms) => later(run, ms < 1100 ? 8000 : ms);
    }`);
    for (const id of [1, 2]) {
      await service.patch(`/orders/${id}`, { token, body: { status: 'cancelled' } });
      await person.press(`Mark as paid …: order ${id}`);
      await person.press('Paid: Card');
      await person.see(`Order ${id} was not marked as paid.`);
    }
    await tab.evaluate('window.setTimeout = later');
    assert.deepEqual(await tab.evaluate(warnings), [2]);
    await person.go('#/customers');
    assert.deepEqual(await tab.evaluate(warnings), [2], 'nobody has had the time to read it');
    await wait(timeToReadMilliseconds);
    await person.go('#/today');
    assert.deepEqual(await tab.evaluate(warnings), []);
  });

  await t.test('goes with the page that it is said on', async () => {
    const startOvers = `[...document.querySelectorAll('main button')]
      .filter((each) => each.textContent === 'Start over' && each.checkVisibility()).length`;
    await person.go('#/new');
    await person.enter('Item', 'Tea');
    await person.go('#/orders');
    await person.go('#/new');
    await person.see('What you had entered is still here.');
    assert.equal(await tab.evaluate(startOvers), 1);
    await person.go('#/orders?status=open');
    await person.miss('What you had entered is still here.');
    await person.go('#/customers/new');
    await person.enter('Name', 'Ida Noddack');
    await person.go('#/customers');
    await person.go('#/customers/new');
    await person.see('What you had entered is still here.');
    assert.equal(await tab.evaluate(startOvers), 1);
    assert.ok(await tab.evaluate('document.querySelector("main [role=status] button")'), 'it is read out');
    await person.seeEntered('/name', 'Ida Noddack');
    await person.press('Start over');
    await person.miss('What you had entered is still here.');
    await person.enter('Name', 'Lise Meitner');
    await person.press('Add customer');
    await tab.until('/^#.customers.[0-9]+$/.test(location.hash)');
    await person.see('Lise Meitner is a customer now.');
    await person.go('#/new');
    await person.miss('Lise Meitner is a customer now.');
    await person.startOver();
    await person.see('What was entered is given up.');
  });

  for (const width of [1280, 820, 390])
    await t.test(`covers nothing while the service is away, at ${width}`, async () => {
      await tab.screen(width, 'light');
      await person.go('#/new');
      await network(tab, { offline: true });
      await person.enter('Customer', 'grace');
      await tab.until('document.querySelector("#banner p")');
      await tab.evaluate('scrollTo(0, 0)');
      const covered = `[...document.querySelectorAll('main, main .bar, .side a, .account')]
        .filter((each) => (${overlap})(each, document.querySelector('#banner p')))
        .map((each) => each.className || each.tagName)`;
      assert.deepEqual(await tab.evaluate(covered), []);
      const { top, bottom } = await tab.evaluate<{ top: number; bottom: number }>(
        '(({ top, bottom }) => ({ top, bottom }))(document.querySelector("#banner p").getBoundingClientRect())',
      );
      assert.ok(top >= 0 && bottom <= 900, 'it is in sight');
      await network(tab, {});
      await tab.until('!document.querySelector("#banner p")');
      await person.enter('Customer', '');
    });

  await t.test('in a form is to send it again, once the service is back', async () => {
    await tab.screen(1280, 'light');
    await person.go('#/customers/1');
    await person.press('Change');
    await person.enter('Name', 'Grace Brewster');
    await network(tab, { offline: true });
    await person.press('Save');
    const message = 'document.querySelector(".form-issue:not(:empty)")?.textContent';
    await tab.until(`${message}?.startsWith('The service couldn’t be reached.')`);
    await network(tab, {});
    await tab.until(`!document.querySelector("#banner p") && ${message} === undefined`);
    await person.press('Save');
    await person.see('Grace Brewster');
  });

  await t.test('is above the shade of a dialog, and stays when that is closed', async () => {
    await person.press('Change');
    await tab.until('document.activeElement.closest("dialog")');
    await tab.scan('4006381333931');
    const button = `document.querySelector('.notice button')`;
    await tab.until(button);
    const { x, y } = await middleOf(tab, button);
    assert.ok(await tab.evaluate(`${button}.contains(document.elementFromPoint(${x}, ${y}))`));
    await tab.press('Escape');
    await tab.until('document.querySelector("dialog") === null');
    await person.see('was scanned while a question was open');
  });
});
