// The change of the day on a page of the console, in time zones whose clocks are changed.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ZoneDays } from '../../src/console/parts/zone-days.ts';

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

/** A page of a shop in the time zone, open since the time. The test must not wait: the clock is global. */
function pageSince(t: TestContext, { time, zone }: { time: string; zone: string }): Page {
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.parse(time) });
  const document = Object.assign(new EventTarget(), { hidden: false });
  Object.assign(globalThis, { document });
  t.after(() => {
    Reflect.deleteProperty(globalThis, 'document');
  });
  const leaving = new AbortController();
  let changes = 0;
  const days = new ZoneDays(zone);
  watchDay(
    leaving.signal,
    () => days.dayName(new Date()),
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

for (const [what, zone, time, minutes] of [
  ['in UTC', 'UTC', '2026-11-22T23:00Z', 60],
  ['in New York', 'America/New_York', '2026-11-22T23:00-05:00', 60],
  ['an hour earlier by UTC as summer time begins', 'Europe/Berlin', '2026-03-29T00:00+01:00', 23 * 60],
  ['an hour later by UTC as it ends', 'Europe/Berlin', '2026-10-25T00:00+02:00', 25 * 60],
  ['where the clock skips midnight', 'Africa/Cairo', '2026-04-23T23:00+02:00', 60],
] as const)
  test(`a page learns of the new day within a minute of midnight ${what}`, (t) => {
    const page = pageSince(t, { time, zone });
    page.pass(minutes - 1);
    assert.equal(page.changes(), 0);
    page.pass(2);
    assert.equal(page.changes(), 1);
    page.pass(20 * 60);
    assert.equal(page.changes(), 1);
  });

const evening = { time: '2026-11-22T21:00Z', zone: 'UTC' };

test('a page learns of the new day as soon as it is shown after the device slept', (t) => {
  const page = pageSince(t, evening);
  page.show(false);
  page.sleep(10 * 60);
  assert.equal(page.changes(), 0);
  page.show(true);
  assert.equal(page.changes(), 1);
});

test('a page that stayed visible learns of the new day soon after the device slept', (t) => {
  const page = pageSince(t, evening);
  page.sleep(10 * 60);
  page.pass(1);
  assert.equal(page.changes(), 1);
});

test('a hidden page learns of the new day when it is shown, and once', (t) => {
  const page = pageSince(t, evening);
  page.show(false);
  page.pass(30 * 60);
  assert.equal(page.changes(), 0);
  page.show(true);
  page.show(false);
  page.show(true);
  assert.equal(page.changes(), 1);
});

test('a page that was left learns of no new day', (t) => {
  const page = pageSince(t, evening);
  page.leave();
  page.pass(10 * 60);
  page.show(true);
  assert.equal(page.changes(), 0);
});
