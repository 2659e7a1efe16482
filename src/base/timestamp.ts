// Times as responses and the log show them.
import { memoizeLast } from './memoize-last.ts';

/**
 * Formats milliseconds since 1970 like `toISOString`, but in a seventh of the time if the last call was for
 * the same day, otherwise in half.
 */
export function timestampOf(time: number): string {
  const day = Math.floor(time / millisecondsPerDay);
  const milliseconds = time - day * millisecondsPerDay;
  const seconds = Math.floor(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  const untilMinute = dayText(day) + minuteTexts[minutes];
  return untilMinute + secondTexts[seconds - minutes * 60] + millisecondTexts[milliseconds - seconds * 1000];
}

export function timestampOrNull(time: number | null): string | null {
  return time === null ? null : timestampOf(time);
}

const millisecondsPerDay = 86_400_000;

/** `day` is the number of days since 1970. Throws if Date can't represent it. */
const dayText = memoizeLast((day: number) => {
  const date = new Date(day * millisecondsPerDay);
  const year = date.getUTCFullYear();
  if (!(year >= 1000 && year <= 9999)) return date.toISOString().slice(0, -'T00:00:00.000Z'.length);
  return `${year}-${padded(date.getUTCMonth() + 1, 2)}-${padded(date.getUTCDate(), 2)}`;
});

const minuteTexts = Array.from({ length: 24 * 60 }, (_, minute) => {
  return `T${padded(Math.floor(minute / 60), 2)}:${padded(minute % 60, 2)}:`;
});
const secondTexts = Array.from({ length: 60 }, (_, second) => `${padded(second, 2)}.`);
const millisecondTexts = Array.from({ length: 1000 }, (_, millisecond) => `${padded(millisecond, 3)}Z`);

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
