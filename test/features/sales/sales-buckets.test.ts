// When hours, days, weeks and months begin, in time zones whose clocks change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketBoundaries, LocalClock, type Span } from '../../../src/features/sales/sales-buckets.ts';

/** A span, a time zone and times: the first bucket begins at the first of these, the last one ends at the last. */
const cases: readonly (readonly [what: string, texts: string])[] = [
  ['days, of 23 hours in spring', 'day Europe/Berlin 2026-03-28T23:00 2026-03-29T22:00 2026-03-30T22:00'],
  ['days, of 25 hours in autumn', 'day Europe/Berlin 2026-10-24T22:00 2026-10-25T23:00 2026-10-26T23:00'],
  [
    'hours, none of them at 02:00 in spring',
    'hour Europe/Berlin 2026-03-29T00:00 2026-03-29T01:00 2026-03-29T02:00 2026-03-29T03:00',
  ],
  [
    'hours, two of them at 02:00 in autumn',
    'hour Europe/Berlin 2026-10-24T23:30 2026-10-25T00:00 2026-10-25T01:00 2026-10-25T02:00 2026-10-25T02:30',
  ],
  [
    'days, beginning at 01:00 where midnight is skipped',
    'day America/Sao_Paulo 2018-11-03T03:00 2018-11-04T03:00 2018-11-05T02:00 2018-11-06T02:00',
  ],
  ['years', 'year Europe/Berlin 2026-06-30T22:00 2026-12-31T23:00 2027-12-31T23:00 2028-06-30T22:00'],
  [
    'days, where midnight comes twice',
    'day America/Sao_Paulo 2018-02-16T02:00 2018-02-17T02:00 2018-02-18T03:00 2018-02-19T03:00',
  ],
  ['days, beginning at 01:00', 'day Africa/Cairo 2026-04-22T22:00 2026-04-23T22:00 2026-04-24T21:00'],
  ['days, one of them left out', 'day Pacific/Apia 2011-12-29T10:00 2011-12-30T10:00 2011-12-31T10:00'],
  [
    'hours, at half past where the offset has half an hour',
    'hour Asia/Kolkata 2026-03-01T09:00 2026-03-01T09:30 2026-03-01T10:30 2026-03-01T11:00',
  ],
  ['hours, at a quarter', 'hour Asia/Kathmandu 2026-03-01T09:15 2026-03-01T10:15 2026-03-01T11:15'],
  [
    'hours, one of 90 minutes where clocks are set back by 30',
    'hour Australia/Lord_Howe 2026-04-04T13:00 2026-04-04T14:00 2026-04-04T15:30 2026-04-04T16:30 2026-04-04T17:30',
  ],
  [
    'hours, one of 30 minutes where they are set forward',
    'hour Australia/Lord_Howe 2026-10-03T14:30 2026-10-03T15:30 2026-10-03T16:00 2026-10-03T17:00',
  ],
  [
    'weeks, on Monday',
    'week Europe/Berlin 2026-03-18T12:00 2026-03-22T23:00 2026-03-29T22:00 2026-04-01T12:00',
  ],
  ['months', 'month America/New_York 2026-01-31T12:00 2026-02-01T05:00 2026-03-01T05:00 2026-04-01T04:00'],
  ['days of an offset', 'day +05:45 2026-03-01T18:15 2026-03-02T18:15 2026-03-03T18:15'],
];
for (const [what, texts] of cases) {
  const [by = '', timeZone = '', ...times] = texts.split(' ');
  test(`buckets begin with the time zone’s ${what} (${timeZone})`, () => {
    const expected = times.map((time) => Date.parse(`${time}Z`));
    const [from = 0, before = 0] = [expected[0], expected.at(-1)];
    const clock = new LocalClock(timeZone);
    assert.deepEqual(bucketBoundaries({ from, before, by: by as Span, clock }), expected); // the table is ours
  });
}

for (const timeZone of [
  'UTC',
  'Europe/Berlin',
  'Africa/Cairo',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'America/Caracas',
  'Antarctica/Troll',
]) {
  for (const by of ['hour', 'day', 'week', 'month'] as const) {
    test(`every bucket follows the one before it, ${by} in ${timeZone}, at times from 2000 to 2030`, () => {
      const clock = new LocalClock(timeZone);
      const hours = by === 'hour' ? 200 : 900;
      for (let from = Date.UTC(2000, 0, 1, 5, 7); from < Date.UTC(2030); from += 5_003 * 3_600_000) {
        const before = from + hours * 3_600_000;
        const times = bucketBoundaries({ from, before, by, clock });
        assert.ok(
          times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0)),
          String(from),
        );
        assert.deepEqual([times[0], times.at(-1)], [from, before]);
      }
    });
  }
}
