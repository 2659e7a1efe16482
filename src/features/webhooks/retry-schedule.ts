// The delays after which a failed delivery is retried.
import {
  dayMilliseconds as day,
  hourMilliseconds as hour,
  minuteMilliseconds as minute,
  secondMilliseconds as second,
} from '../../base/durations.ts';

/** The delays after the first failure, the second, and so on. */
const delays: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  day,
];
const delayMax = day;
/** Each delay varies by this share, so that receivers that were down are not all called at the same time. */
const jitter = 0.1;
/** A retry is never later than this after its failure, unless the clock was ahead. */
export const retryMillisecondsMax = delayMax * (1 + jitter);

/**
 * Returns the milliseconds until the next attempt, or undefined after the last one. With Retry-After a
 * receiver can delay the attempt by up to a day. Retry-After can't bring an attempt forward, or all retries
 * could be over in a minute.
 */
export function retryDelay(
  failures: number,
  retryAfter: string | undefined,
  now: number,
): number | undefined {
  const delay = delays[failures - 1];
  if (delay === undefined) return undefined;
  const wanted = Math.min(delayMax, Math.max(delay, retryAfterDelay(retryAfter, now)));
  return Math.round(wanted * (1 + jitter * Math.random()));
}

/** Parses seconds or an HTTP date (RFC 9110 section 10.2.3); 0 for anything else. */
function retryAfterDelay(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * second;
  const date = /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
