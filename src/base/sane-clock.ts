// Recognizes a wrong clock: a machine without a battery for its clock starts in 1970, until the network sets it.
// Certificates and passwords made then must stay valid, so expiry counts from the later of the clock and `clockFloor`.

/** Before this time there was no such service, in milliseconds since 1970. */
export const clockFloor = Date.UTC(2026, 0, 1);

export function isSane(now: number): boolean {
  return now >= clockFloor;
}

/** Returns the time from which ends are counted. */
export function notBeforeFloor(now: number): number {
  return Math.max(now, clockFloor);
}
