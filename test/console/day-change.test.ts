// The change of the day on a page of the console.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

// the module is imported by a computed URL, without its types: those are of browsers
const { watchDay }: { watchDay(signal: AbortSignal, dayNow: () => string, watcher: () => void): void } =
  await import(new URL('../../src/console/parts/day-change.ts', import.meta.url).href);

const minuteMilliseconds = 60_000;

type Page = {
  /** How often the watcher was called. */
  readonly changes: () => number;
  /** Lets the time pass, with timers. */
  readonly pass: (minutes: number) => void;
  /** Lets the time pass as on a device that sleeps: timers stand still. */
  readonly sleep: (minutes: number) => void;
  readonly show: (isShown: boolean) => void;
  readonly leave: () => void;
};

/** A page that is open since an evening. The test must not wait: the clock is global. */
function pageSinceEvening(t: TestContext): Page {
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
  return {
    changes: () => changes,
    pass: (minutes) => t.mock.timers.tick(minutes * minuteMilliseconds),
    sleep: (minutes) => t.mock.timers.setTime(Date.now() + minutes * minuteMilliseconds),
    show: (isShown) => {
      document.hidden = !isShown;
      document.dispatchEvent(new Event('visibilitychange'));
    },
    leave: () => leaving.abort(),
  };
}

test('a page learns of the new day within a minute of midnight, once', (t) => {
  const page = pageSinceEvening(t);
  page.pass(179);
  assert.equal(page.changes(), 0);
  page.pass(2);
  assert.equal(page.changes(), 1);
  page.pass(20 * 60);
  assert.equal(page.changes(), 1);
});

test('a page learns of the new day as soon as it is shown after the device slept', (t) => {
  const page = pageSinceEvening(t);
  page.show(false);
  page.sleep(10 * 60);
  assert.equal(page.changes(), 0);
  page.show(true);
  assert.equal(page.changes(), 1);
});

test('a page that stayed visible learns of the new day soon after the device slept', (t) => {
  const page = pageSinceEvening(t);
  page.sleep(10 * 60);
  page.pass(1);
  assert.equal(page.changes(), 1);
});

test('a hidden page learns of the new day when it is shown, and once', (t) => {
  const page = pageSinceEvening(t);
  page.show(false);
  page.pass(30 * 60);
  assert.equal(page.changes(), 0);
  page.show(true);
  page.show(false);
  page.show(true);
  assert.equal(page.changes(), 1);
});

test('a page that was left learns of no new day', (t) => {
  const page = pageSinceEvening(t);
  page.leave();
  page.pass(10 * 60);
  page.show(true);
  assert.equal(page.changes(), 0);
});
