// SQLite's result codes by name (https://sqlite.org/rescode.html), and the code of an error.

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
  protocol: 15,
  notADatabase: 26,
} as const;

/** An extended code of `ioError`: there is no room for the 32 KiB of the -shm file. */
const ioErrorShmSize = 4874;

/** An extended code of `ioError`: the -shm file can't be mapped. */
const ioErrorShmMap = 5386;

/** Extended codes of `ioError`: a read failed, for one of two reasons, or returned too few bytes. */
const failedReads: readonly number[] = [266, 8458, 522];

/** Returns the primary result code of an error; 0, which SQLite's errors never have, for any other error. */
export function sqliteCode(error: unknown): number {
  return extendedCode(error) & 0xff;
}

export function lacksRoomToShare(error: unknown): boolean {
  return extendedCode(error) === ioErrorShmSize;
}

export function lacksSharedMemory(error: unknown): boolean {
  return extendedCode(error) === ioErrorShmMap;
}

export function isFailedRead(error: unknown): boolean {
  return failedReads.includes(extendedCode(error));
}

/** Extended codes of a constraint: of a foreign key, at once (RESTRICT) or at the end of the statement. */
const foreignKeys: readonly number[] = [787, 1811];

/** Whether a row can't be deleted, since others refer to it. */
export function isReferredTo(error: unknown): boolean {
  return foreignKeys.includes(extendedCode(error));
}

function extendedCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : 0;
}
