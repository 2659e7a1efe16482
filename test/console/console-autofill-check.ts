// What Chromium would save of the console's forms: its own page of internals says what it has found in a form that
// was sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { admin } from '../support/service.ts';
import { openShop } from './console-shop.ts';

/** Slower than a scanner, whose keys the console takes for a code. */
const keyMilliseconds = 150;
/** Runs in the page of internals: returns how many addresses were found in each form. */
const counts = `[...document.body.innerText.matchAll(/Number of imported address profiles: (\\d+)/g)].map((each) => each[1])`;

test('what Chromium would save of the console', { timeout: 120_000 }, async (t) => {
  const { service, tab, person } = await openShop(t, { settings: { 'default-country': 'DE' } });
  const internals = await tab.another();
  await internals.open('chrome://autofill-internals');
  await tab.send('Page.bringToFront');
  await person.signIn(service.url, admin);

  await t.test('is no address of a customer', async () => {
    await person.go('#/customers/new');
    await enter('Name', 'Rosalind Franklin');
    await enter('Street and number', 'Haarenufer 9');
    await enter('Postal code', '26122');
    await enter('City', 'Oldenburg');
    const before = await internals.evaluate<string[]>(counts);
    await person.press('Add customer');
    await tab.until('document.querySelector("h1").textContent === "Rosalind Franklin"');
    await internals.until(`${counts}.length > ${before.length}`);
    const after = await internals.evaluate<string[]>(counts);
    assert.ok(
      after.every((count) => count === '0'),
      after.join(),
    );
  });

  /** By keys: Chromium heeds only what somebody types. */
  async function enter(label: string, text: string): Promise<void> {
    await person.enter(label, '');
    for (const key of text) {
      await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text: key });
      await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
      await wait(keyMilliseconds);
    }
  }
});
