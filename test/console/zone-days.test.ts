// The days of the shop's time zone, whatever the zone of the device, also where clocks change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZoneDays } from '../../src/console/words/zone-days.ts';
import { bucketBoundaries, LocalClock } from '../../src/features/sales/sales-buckets.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Pacific/Auckland',
  'Asia/Kolkata',
  'Africa/Cairo', // skips midnight in April
  'America/Havana', // has 0 to 1 o'clock twice in November
  'America/Santiago',
  'Pacific/Apia',
  'Australia/Lord_Howe',
];

for (const zone of zones)
  test(`the days, months and years of ${zone} begin when those of the sales do`, () => {
    const days = new ZoneDays(zone);
    const clock = new LocalClock(zone);
    assert.ok(clock !== undefined);
    const from = days.startOf(2025, 0, 1);
    const before = days.startOf(2027, 0, 1);
    for (const [by, next] of [
      ['day', (time: Date) => days.startOfDay(time, 1)],
      ['month', (time: Date) => days.startOfMonth(time, 1)],
      ['year', (time: Date) => days.startOfYear(time, 1)],
    ] as const) {
      const own: number[] = [];
      for (let time = from; time <= before; time = next(time)) own.push(time.getTime());
      const sales = bucketBoundaries({ from: from.getTime(), before: before.getTime(), by, clock });
      assert.deepEqual(own, sales, by);
    }
  });

test('a time has the day and the time of day of the zone', () => {
  const time = new Date('2026-11-22T23:30:15.678Z');
  const shown = (zone: string): string[] => {
    const days = new ZoneDays(zone);
    return [days.dayName(time), days.timeOfDay(time), days.startOfDay(time).toISOString()];
  };
  assert.deepEqual(shown('Pacific/Auckland'), ['2026-11-23', '12:30:15', '2026-11-22T11:00:00.000Z']);
  assert.deepEqual(shown('America/Los_Angeles'), ['2026-11-22', '15:30:15', '2026-11-22T08:00:00.000Z']);
  assert.throws(() => new ZoneDays('Etc/Unknown'), RangeError);
});
