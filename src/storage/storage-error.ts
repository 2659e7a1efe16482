// Errors of the storage: classifies SQLite's errors, and turns them into sentences for the operator.
import { isSystemError, systemErrorText, systemSentence } from '../base/system-error.ts';
import { errnoOfWrites } from './file-systems.ts';
import { lacksRoomToShare, lacksSharedMemory, sqliteCode, sqliteCodes } from './sqlite-codes.ts';

const busyCodes: readonly number[] = [sqliteCodes.busy, sqliteCodes.locked];
const transientCodes: readonly number[] = [
  ...busyCodes,
  sqliteCodes.noMemory,
  sqliteCodes.full,
  sqliteCodes.cantOpen,
];
const environmentCodes: readonly number[] = [
  ...transientCodes,
  sqliteCodes.readOnly,
  sqliteCodes.interrupt,
  sqliteCodes.ioError,
];
const damageCodes: readonly number[] = [sqliteCodes.corrupt, sqliteCodes.notADatabase];

/** Whether the disk may have failed: SQLite reports a page that it can't read as damage. */
export function isDiskFailure(error: unknown): boolean {
  return isDamage(error) || sqliteCode(error) === sqliteCodes.ioError;
}

/** An error whose message tells the operator what is wrong with the storage and what to do. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** Whether another connection's lock is the cause. */
export function isBusy(error: unknown): boolean {
  return busyCodes.includes(sqliteCode(error));
}

/** Whether a retry may succeed, and nothing is broken: a lock, a lack of memory or files, a full disk. */
export function isTransient(error: unknown): boolean {
  return transientCodes.includes(sqliteCode(error));
}

/** Whether the cause is the storage, not the request that failed. */
export function isEnvironment(error: unknown): boolean {
  return environmentCodes.includes(sqliteCode(error));
}

export function isFull(error: unknown): boolean {
  return sqliteCode(error) === sqliteCodes.full;
}

/** Whether there is no room for a write to the database: SQLite calls a quota and a limit an I/O error. */
export function lacksRoom(error: unknown, file: string): boolean {
  const isUnclear = sqliteCode(error) === sqliteCodes.ioError;
  return isFull(error) || (isUnclear && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(errnoOfWrites(file)));
}

/** Whether the file is damaged or is no database. */
export function isDamage(error: unknown): boolean {
  return damageCodes.includes(sqliteCode(error));
}

const sentences: Readonly<Record<number, string>> = {
  [sqliteCodes.busy]: 'is locked by another process',
  [sqliteCodes.locked]: 'is locked by another process',
  [sqliteCodes.protocol]: 'is locked by another process',
  [sqliteCodes.noMemory]: systemSentence('ENOMEM') ?? '',
  [sqliteCodes.readOnly]: 'is read-only, but the service must write to it',
  [sqliteCodes.ioError]: "can't be read or written: the disk reports an I/O error",
  // SQLite reports a read that failed as damage, too
  [sqliteCodes.corrupt]: "is damaged, or its disk can't be read: check the disk, then restore a backup",
  [sqliteCodes.full]: systemSentence('ENOSPC') ?? '',
  [sqliteCodes.cantOpen]: "can't be opened: check the folder's permissions, and that its disk can be written",
  [sqliteCodes.notADatabase]: 'is not a database',
};

/** Returns a `StorageError` if there is a sentence for the cause, otherwise the error itself. */
export function toStorageError(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const sentence = sentenceOf(error, file);
  if (sentence !== undefined)
    return new StorageError(`${file} ${sentence} (${error.message}).`, { cause: error });
  if (!isSystemError(error)) return error;
  return new StorageError(`${error.path ?? file} ${systemErrorText(error)}.`, { cause: error });
}

/** The errors for which a write beside the file tells more: SQLite doesn't report the errno. */
const unclearCodes: readonly number[] = [
  sqliteCodes.full,
  sqliteCodes.ioError,
  sqliteCodes.cantOpen,
  sqliteCodes.readOnly,
];

function sentenceOf(error: Error, file: string): string | undefined {
  if (lacksSharedMemory(error)) return "is where the file system can't share memory: use a local disk";
  const code = lacksRoomToShare(error) ? sqliteCodes.full : sqliteCode(error);
  const told = unclearCodes.includes(code) ? systemSentence(errnoOfWrites(file)) : undefined;
  return told ?? sentences[code];
}
