// The times at which hours, days, weeks and months begin in a time zone, also when its clocks change.
import { salesBucketsMax } from '../../limits.ts';

export const spans = ['hour', 'day', 'week', 'month'] as const;
export type Span = (typeof spans)[number];

export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

type Buckets = {
  /** Milliseconds since 1970; `from` is before `before`. */
  readonly from: number;
  readonly before: number;
  readonly by: Span;
  /** A time zone for which `isTimeZone` returns true. */
  readonly timeZone: string;
};

/**
 * Returns `from`, the beginning of each further bucket, and `before`. The result is truncated if there are
 * more than `salesBucketsMax` buckets.
 */
export function bucketBoundaries({ from, before, by, timeZone }: Buckets): number[] {
  const boundaries = [from];
  const { startOf, after } = calendar[by];
  let start = startOf(Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone));
  for (;;) {
    start = after(start);
    if (start.epochMilliseconds >= before || boundaries.length > salesBucketsMax) break;
    boundaries.push(start.epochMilliseconds);
  }
  boundaries.push(before);
  return boundaries;
}

type Time = Temporal.ZonedDateTime;

/** A day may begin at 01:00, have 23 or 25 hours, or be left out: a step lands within the next one. */
const calendar: Readonly<
  Record<Span, { readonly startOf: (time: Time) => Time; readonly after: (start: Time) => Time }>
> = {
  hour: { startOf: startOfHour, after: hourAfter },
  day: { startOf: (time) => time.startOfDay(), after: (start) => start.add({ days: 1 }).startOfDay() },
  week: { startOf: startOfWeek, after: (start) => startOfWeek(start.add({ weeks: 1 })) },
  month: { startOf: startOfMonth, after: (start) => startOfMonth(start.add({ months: 1 })) },
};

function startOfHour(time: Time): Time {
  return time.round({ smallestUnit: 'hour', roundingMode: 'floor' });
}

/** If clocks are set back by half an hour, the hour by the clock lasts 90 minutes. */
function hourAfter(start: Time): Time {
  const next = startOfHour(start.add({ hours: 1 }));
  const isLater = Temporal.ZonedDateTime.compare(next, start) > 0;
  return isLater ? next : startOfHour(start.add({ hours: 2 }));
}

function startOfWeek(time: Time): Time {
  return time.subtract({ days: time.dayOfWeek - 1 }).startOfDay();
}

function startOfMonth(time: Time): Time {
  return time.with({ day: 1 }).startOfDay();
}
