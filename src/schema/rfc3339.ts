// Times as clients send them (RFC 3339 section 5.6), with any fraction and offset.
import { minuteMilliseconds } from '../base/durations.ts';
import { timestampOf } from '../base/timestamp.ts';

const form = new RegExp(
  String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)T(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)` +
    String.raw`(?:\.(?<fraction>\d+))?(?:Z|(?<sign>[+\-])(?<offsetHour>[01]\d|2[0-3]):(?<offsetMinute>[0-5]\d))$`,
  'i',
);

/**
 * Returns milliseconds since 1970; finer fractions are truncated. Returns NaN for a text that isn't a time,
 * and for a leap second, which no clock of the service shows.
 */
export function toTime(text: string): number {
  const parts = form.exec(text)?.groups;
  return parts === undefined ? NaN : millisecondsOf(parts);
}

/** Returns the first millisecond that isn't before the time, for comparisons with stored times. */
export function timeAtOrAfter(text: string): number {
  const isBetween = /\.\d{3}\d*[1-9]/.test(text);
  return toTime(text) + (isBetween ? 1 : 0);
}

/** Returns `timeAtOrAfter` as responses show times; returns a text after the last such time unchanged. */
export function canonicalTime(text: string): string {
  const time = timeAtOrAfter(text);
  return time > lastTime ? text : timestampOf(time);
}

/** Returns a sentence if there is no such time, or none that responses can show, otherwise undefined. */
export function timeIssue(text: string): string | undefined {
  const time = toTime(text);
  if (Number.isNaN(time)) return `${text} is no date and time.`;
  if (time >= firstTime && time <= lastTime) return undefined;
  return `${text} is not a time of the years 0000 to 9999 in UTC.`;
}

/** The first and the last time in UTC whose year has four digits. */
export const firstTime = Date.parse('0000-01-01T00:00:00.000Z');
export const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

function millisecondsOf(parts: Readonly<Record<string, string | undefined>>): number {
  const { year, month, day, hour, minute, second, fraction = '' } = parts;
  const { sign, offsetHour = '00', offsetMinute = '00' } = parts;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`);
  // Date takes the 30th of February for a day in March, and 24:00 for the next day
  if (new Date(local).getUTCDate() !== Number(day)) return NaN;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * minuteMilliseconds;
  return sign === '-' ? local + offset : local - offset;
}
