// When hours, days, weeks and months begin, in time zones whose clocks change.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bucketBoundaries, LocalClock, type Span } from '../../../src/features/sales/sales-buckets.ts';

/** The beginnings of the buckets and the end of the last one, as `MM-DDTHH:MM`. */
function shown(by: Span, timeZone: string, from: string, before: string): string[] {
  const times = { from: Date.parse(from), before: Date.parse(before) };
  return bucketBoundaries({ ...times, by, clock: new LocalClock(timeZone) }).map((time) =>
    new Date(time).toISOString().slice(5, 16),
  );
}

describe('buckets begin with the time zone’s', () => {
  const cases: readonly (readonly [string, Span, string, string, string, readonly string[]])[] = [
    [
      'days, of 23 hours in spring',
      'day',
      'Europe/Berlin',
      '2026-03-28T23:00:00Z',
      '2026-03-30T22:00:00Z',
      ['03-28T23:00', '03-29T22:00', '03-30T22:00'],
    ],
    [
      'days, of 25 hours in autumn',
      'day',
      'Europe/Berlin',
      '2026-10-24T22:00:00Z',
      '2026-10-26T23:00:00Z',
      ['10-24T22:00', '10-25T23:00', '10-26T23:00'],
    ],
    [
      'hours, none of them at 02:00 in spring',
      'hour',
      'Europe/Berlin',
      '2026-03-29T00:00:00Z',
      '2026-03-29T03:00:00Z',
      ['03-29T00:00', '03-29T01:00', '03-29T02:00', '03-29T03:00'],
    ],
    [
      'hours, two of them at 02:00 in autumn',
      'hour',
      'Europe/Berlin',
      '2026-10-24T23:30:00Z',
      '2026-10-25T02:30:00Z',
      ['10-24T23:30', '10-25T00:00', '10-25T01:00', '10-25T02:00', '10-25T02:30'],
    ],
    [
      'days, beginning at 01:00 where midnight is skipped',
      'day',
      'America/Sao_Paulo',
      '2018-11-03T03:00:00Z',
      '2018-11-06T02:00:00Z',
      ['11-03T03:00', '11-04T03:00', '11-05T02:00', '11-06T02:00'],
    ],
    [
      'years',
      'year',
      'Europe/Berlin',
      '2026-06-30T22:00:00Z',
      '2028-06-30T22:00:00Z',
      ['06-30T22:00', '12-31T23:00', '12-31T23:00', '06-30T22:00'],
    ],
    [
      'days, where midnight comes twice',
      'day',
      'America/Sao_Paulo',
      '2018-02-16T02:00:00Z',
      '2018-02-19T03:00:00Z',
      ['02-16T02:00', '02-17T02:00', '02-18T03:00', '02-19T03:00'],
    ],
    [
      'days, beginning at 01:00 in Cairo',
      'day',
      'Africa/Cairo',
      '2026-04-22T22:00:00Z',
      '2026-04-24T21:00:00Z',
      ['04-22T22:00', '04-23T22:00', '04-24T21:00'],
    ],
    [
      'days, one of them left out',
      'day',
      'Pacific/Apia',
      '2011-12-29T10:00:00Z',
      '2011-12-31T10:00:00Z',
      ['12-29T10:00', '12-30T10:00', '12-31T10:00'],
    ],
    [
      'hours, at half past where the offset has half an hour',
      'hour',
      'Asia/Kolkata',
      '2026-03-01T09:00:00Z',
      '2026-03-01T11:00:00Z',
      ['03-01T09:00', '03-01T09:30', '03-01T10:30', '03-01T11:00'],
    ],
    [
      'hours, at a quarter where the offset has one',
      'hour',
      'Asia/Kathmandu',
      '2026-03-01T09:15:00Z',
      '2026-03-01T11:15:00Z',
      ['03-01T09:15', '03-01T10:15', '03-01T11:15'],
    ],
    [
      'hours, one of 90 minutes where clocks are set back by 30',
      'hour',
      'Australia/Lord_Howe',
      '2026-04-04T13:00:00Z',
      '2026-04-04T17:30:00Z',
      ['04-04T13:00', '04-04T14:00', '04-04T15:30', '04-04T16:30', '04-04T17:30'],
    ],
    [
      'hours, one of 30 minutes where they are set forward',
      'hour',
      'Australia/Lord_Howe',
      '2026-10-03T14:30:00Z',
      '2026-10-03T17:00:00Z',
      ['10-03T14:30', '10-03T15:30', '10-03T16:00', '10-03T17:00'],
    ],
    [
      'weeks, on Monday',
      'week',
      'Europe/Berlin',
      '2026-03-18T12:00:00Z',
      '2026-04-01T12:00:00Z',
      ['03-18T12:00', '03-22T23:00', '03-29T22:00', '04-01T12:00'],
    ],
    [
      'months',
      'month',
      'America/New_York',
      '2026-01-31T12:00:00Z',
      '2026-04-01T04:00:00Z',
      ['01-31T12:00', '02-01T05:00', '03-01T05:00', '04-01T04:00'],
    ],
    [
      'days of an offset',
      'day',
      '+05:45',
      '2026-03-01T18:15:00Z',
      '2026-03-03T18:15:00Z',
      ['03-01T18:15', '03-02T18:15', '03-03T18:15'],
    ],
  ];
  for (const [what, by, timeZone, from, before, expected] of cases) {
    test(`buckets begin with the time zone’s ${what} (${timeZone})`, () => {
      assert.deepEqual(shown(by, timeZone, from, before), expected);
    });
  }
});

describe('every bucket follows the one before it', () => {
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
});
