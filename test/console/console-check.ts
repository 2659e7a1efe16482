// The console in a real browser: `npm run check:console`. A shop's day by mouse and by keyboard only, on a
// screen and on a phone.
import { test } from 'node:test';
import { serviceFor } from '../support/service.ts';
import { Person } from './console-actions.ts';
import { shopDay } from './console-day.ts';
import { openConsole } from './console-shop.ts';

for (const [hand, width] of [
  ['keyboard', 1280],
  ['mouse', 390],
] as const)
  test(`a shop’s day by ${hand}, ${width} pixels wide`, { timeout: 120_000 }, async (t) => {
    const service = await serviceFor(t);
    const { tab } = await openConsole(t, service);
    await tab.screen(width, 'light');
    const person = new Person(tab, hand);
    await shopDay(person, service, hand);
  });
