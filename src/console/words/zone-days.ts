// Days, months and years of a time zone, whatever zone the device is in.

const partNames = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
const utcDayMilliseconds = 86_400_000;

export class ZoneDays {
  readonly zone: string;
  readonly #clock: Intl.DateTimeFormat;

  /** Throws a RangeError if there is no such time zone. */
  constructor(zone: string) {
    this.zone = zone;
    const numeric = Object.fromEntries(partNames.map((name) => [name, 'numeric']));
    const locale = 'en-u-ca-gregory-nu-latn';
    this.#clock = new Intl.DateTimeFormat(locale, { ...numeric, hourCycle: 'h23', timeZone: zone });
  }

  /** Returns the beginning of the day of this time, or of one that comes so many days later. */
  startOfDay(time: Date, daysLater = 0): Date {
    const local = this.#localTime(time.getTime());
    return this.startOf(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate() + daysLater);
  }

  startOfMonth(time: Date, monthsLater: number): Date {
    const local = this.#localTime(time.getTime());
    return this.startOf(local.getUTCFullYear(), local.getUTCMonth() + monthsLater, 1);
  }

  startOfYear(time: Date, yearsLater: number): Date {
    return this.startOf(this.#localTime(time.getTime()).getUTCFullYear() + yearsLater, 0, 1);
  }

  /**
   * Returns when a date begins: at midnight, at the first of two midnights, or when the clocks skip midnight. Months
   * begin with 0, as in `Date`.
   */
  startOf(year: number, month: number, day: number): Date {
    const midnight = Date.UTC(year, month, day);
    const starts = [-utcDayMilliseconds, utcDayMilliseconds]
      .map((distance) => midnight - this.#offsetAt(midnight + distance))
      .sort((a, b) => a - b);
    const first = starts.find((start) => this.#localTime(start).getTime() >= midnight);
    return new Date(first ?? midnight);
  }

  /** Formats the day of this time: `2026-11-22`. */
  dayName(time: Date): string {
    return this.#localTime(time.getTime()).toISOString().slice(0, 10);
  }

  /** Formats the time of day: `09:30:00`. */
  timeOfDay(time: Date): string {
    return this.#localTime(time.getTime()).toISOString().slice(11, 19);
  }

  #offsetAt(time: number): number {
    return this.#localTime(time).getTime() - time;
  }

  /** Returns the time at which a clock in UTC would show the same. */
  #localTime(time: number): Date {
    const parts = new Map(this.#clock.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 1, day, hour, minute, second] = partNames.map((name) => parts.get(name) ?? 0);
    const whole = Date.UTC(year, month - 1, day, hour, minute, second);
    return new Date(whole + (((time % 1_000) + 1_000) % 1_000));
  }
}
