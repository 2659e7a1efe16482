// SQLite's result codes by name (https://sqlite.org/rescode.html), and the one that an error carries.

export const sqliteCodes = {
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  interrupt: 9,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
} as const;

/** The -shm file can't be given its 32 KiB: an extended code of `ioError`. */
const ioErrorShmSize = 4874;

/** What was read could not be, or not in full: extended codes of `ioError`. */
const failedReads: readonly number[] = [266, 522];

/** The primary result code; 0, which no error of SQLite has, for errors of another source. */
export function sqliteCode(error: unknown): number {
  return extendedCode(error) & 0xff;
}

export function lacksSharedMemory(error: unknown): boolean {
  return extendedCode(error) === ioErrorShmSize;
}

export function isFailedRead(error: unknown): boolean {
  return failedReads.includes(extendedCode(error));
}

function extendedCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : 0;
}
