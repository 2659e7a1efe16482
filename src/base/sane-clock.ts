// A clock that can't be right: a machine without a battery for its clock starts in 1970, until the network sets it.
// What is made then has to be good later, so ends are counted from the later of the clock and `clockFloor`.

/** Before this time there was no such service, in milliseconds since 1970. */
export const clockFloor = Date.UTC(2026, 0, 1);

export function isSane(now: number): boolean {
  return now >= clockFloor;
}

/** Returns the time from which ends are counted. */
export function notBeforeFloor(now: number): number {
  return Math.max(now, clockFloor);
}
