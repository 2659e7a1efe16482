// The console in a real browser: `npm run check:console`. A shop's day by mouse and by keyboard only, on a
// screen and on a phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor } from '../support/service.ts';
import { openTab } from '../support/browser.ts';
import { Person } from './console-actions.ts';
import { shopDay } from './console-day.ts';

for (const [hand, width] of [
  ['keyboard', 1280],
  ['mouse', 390],
] as const)
  test(`a shop’s day by ${hand}, ${width} pixels wide`, { timeout: 120_000 }, async (t) => {
    const service = await serviceFor(t);
    service.clock.now = Date.now(); // the browser’s clock is the real one
    const tab = await openTab();
    t.after(() => tab.close());
    await tab.screen(width, 'light');
    const person = new Person(tab, hand);
    await shopDay(person, service, hand);
    assert.deepEqual(tab.complaints, []);
  });
