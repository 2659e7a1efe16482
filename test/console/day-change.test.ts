// The change of the day on a page of the console.
import assert from 'node:assert/strict';
import { test } from 'node:test';

// the module is imported by a computed URL, without its types: those are of browsers
const { watchDay }: { watchDay(signal: AbortSignal, dayNow: () => string, watcher: () => void): void } =
  await import(new URL('../../src/console/browser/day-change.ts', import.meta.url).href);

const minuteMilliseconds = 60_000;

/** What happens to a page that is open since an evening, and how often it has learnt of a new day then. */
const pages = [
  [
    'learns of the new day within a minute of midnight, once',
    ['pass', 179, 0],
    ['pass', 2, 1],
    ['pass', 1_200, 1],
  ],
  [
    'learns of the new day as soon as it is shown after the device slept',
    ['hide', 0, 0],
    ['sleep', 600, 0],
    ['show', 0, 1],
  ],
  [
    'that stayed visible learns of the new day soon after the device slept',
    ['sleep', 600, 0],
    ['pass', 1, 1],
  ],
  [
    'that is hidden learns of the new day when it is shown, and once',
    ['hide', 0, 0],
    ['pass', 1_800, 0],
    ['show', 0, 1],
    ['hide', 0, 1],
    ['show', 0, 1],
  ],
  ['that was left learns of no new day', ['leave', 0, 0], ['pass', 600, 0], ['show', 0, 0]],
] as const;

for (const [title, ...steps] of pages)
  // the clock is global, so it must not wait
  test(`a page ${title}`, (t) => {
    t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.parse('2026-11-22T21:00Z') });
    const document = Object.assign(new EventTarget(), { hidden: false });
    Object.assign(globalThis, { document });
    t.after(() => {
      Reflect.deleteProperty(globalThis, 'document');
    });
    const leaving = new AbortController();
    let changes = 0;
    watchDay(
      leaving.signal,
      () => new Date().toISOString().slice(0, 10),
      () => (changes += 1),
    );
    const happen = {
      pass: (minutes: number) => t.mock.timers.tick(minutes * minuteMilliseconds),
      /** Timers stand still. */
      sleep: (minutes: number) => t.mock.timers.setTime(Date.now() + minutes * minuteMilliseconds),
      hide: () => turn(true),
      show: () => turn(false),
      leave: () => leaving.abort(),
    };
    for (const [what, minutes, expected] of steps) {
      happen[what](minutes);
      assert.equal(changes, expected, `${what} ${minutes}`);
    }

    function turn(isHidden: boolean): void {
      document.hidden = isHidden;
      document.dispatchEvent(new Event('visibilitychange'));
    }
  });
