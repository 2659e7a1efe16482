// Buckets of sales: when hours, days, weeks, months and years begin in a time zone, even if its clocks change. Node
// 24 has no Temporal; Intl knows the offsets of time zones.
import { dayMilliseconds, hourMilliseconds } from '../../base/durations.ts';

/** Bounds of one response of sales. */
export const salesBucketsMax = 1_000;

export const spans = ['hour', 'day', 'week', 'month', 'year'] as const;
export type Span = (typeof spans)[number];

type Buckets = {
  /** Milliseconds since 1970; `from` is before `before`. */
  readonly from: number;
  readonly before: number;
  readonly by: Span;
  readonly clock: LocalClock;
};

/**
 * Returns `from`, the beginning of each further bucket, and `before`. The result is truncated if there are
 * more than `salesBucketsMax` buckets.
 */
export function bucketBoundaries({ from, before, by, clock }: Buckets): number[] {
  const boundaries: number[] = [];
  for (let start = from; start < before && boundaries.length <= salesBucketsMax;) {
    boundaries.push(start);
    start = by === 'hour' ? hourAfter(start, clock) : dateAfter(start, by, clock);
  }
  return [...boundaries, before];
}

/**
 * Returns the beginning of the next hour. If clocks are set back by half an hour, the hour lasts 90 minutes.
 */
function hourAfter(time: number, clock: LocalClock): number {
  for (let later = time + hourMilliseconds; ; later += hourMilliseconds) {
    const start = clock.startOfHour(later);
    if (start > time) return start;
  }
}

/** Returns when the next day, week, month or year begins. A day may have 23 or 25 hours, or be left out. */
function dateAfter(time: number, by: DateSpan, clock: LocalClock): number {
  for (let date = nextDate(clock.localTime(time), by); ; date = nextDate(date, by)) {
    const start = clock.startOfDate(date);
    if (start > time) return start;
  }
}

type DateSpan = Exclude<Span, 'hour'>;

/**
 * Returns the first date of the next span. A local time is the number of milliseconds since 1970 that a clock in UTC
 * would have to show the same.
 */
function nextDate(local: number, by: DateSpan): number {
  const date = new Date(floorTo(local, dayMilliseconds));
  if (by === 'year') return date.setUTCFullYear(date.getUTCFullYear() + 1, 0, 1);
  if (by === 'month') return date.setUTCMonth(date.getUTCMonth() + 1, 1);
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return date.setUTCDate(date.getUTCDate() + (by === 'week' ? 7 - sinceMonday : 1));
}

function floorTo(value: number, unit: number): number {
  return Math.floor(value / unit) * unit;
}

/** The clocks on the walls of a time zone. Throws a RangeError if there is no such time zone. */
export class LocalClock {
  readonly #offsets: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#offsets = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  }

  localTime(time: number): number {
    return time + this.#offsetAt(time);
  }

  /** Returns when the clock showed the beginning of this hour, for the first time if it did so twice. */
  startOfHour(time: number): number {
    const local = floorTo(this.localTime(time), hourMilliseconds);
    const start = local - this.#offsetAt(time);
    return local - this.#offsetAt(start);
  }

  /**
   * Returns when the date begins: at midnight, at the first of two midnights, or when the clock skips
   * midnight.
   */
  startOfDate(date: number): number {
    const offset = this.#offsetAt(date - dayMilliseconds);
    const changed = date - this.#offsetAt(date + dayMilliseconds);
    const isChanged = this.localTime(date - offset) !== date && this.localTime(changed) === date;
    return isChanged ? changed : date - offset;
  }

  /** Returns the milliseconds by which the local time is ahead of UTC. */
  #offsetAt(time: number): number {
    // "GMT+05:45", and seconds before a time zone had whole minutes
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(this.#offsets.format(time)) ?? [];
    const offset = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
    return sign === '-' ? -offset : offset;
  }
}
