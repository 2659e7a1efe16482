// Times as clients send them (RFC 3339 section 5.6), with any fraction and offset.
import { minuteMilliseconds } from '../base/durations.ts';
import { timestampOf } from '../base/timestamp.ts';

const form = new RegExp(
  String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)T(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)` +
    String.raw`(?:\.(?<fraction>\d+))?(?:Z|(?<sign>[+\-])(?<offsetHour>\d\d):(?<offsetMinute>\d\d))$`,
  'i',
);

/**
 * Returns milliseconds since 1970; finer fractions are truncated. Returns NaN for a text that isn't a time,
 * and for a leap second, which no clock of the service shows.
 */
export function toTime(text: string): number {
  const parts = form.exec(text)?.groups;
  return parts === undefined || rangeIssue(parts) !== undefined ? NaN : millisecondsOf(parts);
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

/** Returns a sentence if a part of a well-formed time is out of range, otherwise undefined. */
export function timeIssue(text: string): string | undefined {
  const parts = form.exec(text)?.groups ?? {};
  const issue = rangeIssue(parts);
  if (issue !== undefined) return `${text} is not a time: ${issue}.`;
  const time = millisecondsOf(parts);
  if (time >= firstTime && time <= lastTime) return undefined;
  return `${text} is not a time of the years 0000 to 9999 in UTC.`;
}

/** The first and the last time in UTC whose year has four digits. */
export const firstTime = Date.parse('0000-01-01T00:00:00.000Z');
export const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

type Parts = Readonly<Record<string, string | undefined>>;

function rangeIssue(parts: Parts): string | undefined {
  const { month = '', day = '', hour = '', minute = '', second = '' } = parts;
  const { year = '', offsetHour = '00', offsetMinute = '00' } = parts;
  if (month < '01' || month > '12') return 'its month must be 01 to 12';
  const days = daysIn(Number(year), Number(month));
  if (day < '01' || Number(day) > days) return `its day must be 01 to ${days}`;
  if (hour > '23') return 'its hour must be 00 to 23';
  if (minute > '59') return 'its minute must be 00 to 59';
  if (second > '59') return 'its second must be 00 to 59, also where a leap second was';
  if (offsetHour > '23' || offsetMinute > '59') return 'its offset must be -23:59 to +23:59';
  return undefined;
}

function daysIn(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return isLeapYear ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function millisecondsOf(parts: Parts): number {
  const { year, month, day, hour, minute, second, fraction = '' } = parts;
  const { sign, offsetHour = '00', offsetMinute = '00' } = parts;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`);
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * minuteMilliseconds;
  return sign === '-' ? local + offset : local - offset;
}
