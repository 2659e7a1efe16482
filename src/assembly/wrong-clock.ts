// A clock that shows a time that can't be: a small machine without a battery begins in 1970, until it has the
// time from the network.
import { minuteMilliseconds } from '../durations.ts';
import { latestEventAt } from '../resources/events/feed-store.ts';
import type { Connection } from '../storage/connection.ts';

/** An earlier time is wrong: this file didn't exist then. */
const earliestMilliseconds = Date.UTC(2026, 0, 1);

export function isBeforeRelease(now: number): boolean {
  return now < earliestMilliseconds;
}

/** Returns a sentence if the clock is certainly wrong. */
export function clockWarnings(db: Connection, now: number): string[] {
  const advice = 'set the clock, or new orders get wrong times.';
  const latest = latestEventAt(db) ?? 0;
  if (latest > now + minuteMilliseconds)
    return [`The clock shows ${timeOf(now)}, but the latest event is of ${timeOf(latest)}: ${advice}`];
  if (isBeforeRelease(now))
    return [`The clock shows ${timeOf(now)}, which is before this program was written: ${advice}`];
  return [];
}

/** Returns the time in UTC, to the second. */
function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
