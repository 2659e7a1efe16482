// Times as responses and the log show them.

/** Formats milliseconds since 1970. Throws a RangeError if Date can't represent them. */
export function timestampOf(time: number): string {
  return new Date(time).toISOString();
}

export function timestampOrNull(time: number | null): string | null {
  return time === null ? null : timestampOf(time);
}
