// Errors of the storage: classifies SQLite's errors, and turns them into sentences for the operator.
import { dirname } from 'node:path';
import { isSystemError, systemErrorText, systemSentence } from '../base/system-error.ts';
import { refusalToWrite } from './file-systems.ts';

/** SQLite's result codes that the service tells apart (https://sqlite.org/rescode.html). */
const codes = {
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
  // extended codes: of I/O errors, and of foreign keys that are checked at once or at the end of a statement
  failedRead: 266,
  shortRead: 522,
  damagedRead: 8458,
  noRoomForShm: 4874,
  noSharedMemory: 5386,
  referredAtOnce: 1811,
  referred: 787,
} as const;

/** Whether an error is SQLite's, with one of these codes, primary or extended. */
export function isSqliteError(error: unknown, ...expected: readonly (keyof typeof codes)[]): boolean {
  const code = codeOf(error);
  return expected.some((name) => codes[name] === code || codes[name] === (code & 0xff));
}

/** 0, which SQLite's errors never have, for any other error. */
function codeOf(error: unknown): number {
  const isOfSqlite = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
  return isOfSqlite ? Number(error.errcode) : 0;
}

/** An error whose message tells the operator what is wrong with the storage and what to do. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** Whether another connection's lock is the cause. */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error, 'busy', 'locked');
}

/** Whether a retry may succeed, and nothing is broken: a lock, a lack of memory or files, a full disk. */
export function isTransient(error: unknown): boolean {
  return isBusy(error) || isSqliteError(error, 'noMemory', 'full', 'cantOpen');
}

/** Whether the cause is the storage, not the request that failed. */
export function isEnvironment(error: unknown): boolean {
  return isTransient(error) || isSqliteError(error, 'readOnly', 'interrupt', 'ioError');
}

/** Whether the file is damaged or is no database. */
export function isDamage(error: unknown): boolean {
  return isSqliteError(error, 'corrupt', 'notADatabase');
}

const sentences: Readonly<Record<number, string>> = {
  [codes.busy]: 'is locked by another process',
  [codes.locked]: 'is locked by another process',
  [codes.protocol]: 'is locked by another process',
  [codes.noMemory]: systemSentence('ENOMEM') ?? '',
  [codes.readOnly]: 'is read-only, but the service must write to it',
  [codes.ioError]:
    "can't be read or written: the disk reports an I/O error, or a quota or a limit (ulimit -f) is reached",
  // SQLite reports a read that failed as damage, too
  [codes.corrupt]: "is damaged, or its disk can't be read: check the disk, then restore a sound backup",
  [codes.full]: systemSentence('ENOSPC') ?? '',
  [codes.cantOpen]:
    "can't be opened: check the folder's permissions, and that its disk can be written and has inodes left (df -i)",
  [codes.notADatabase]: 'is not a database',
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

function sentenceOf(error: Error, file: string): string | undefined {
  if (isSqliteError(error, 'noSharedMemory'))
    return "is where the file system can't share memory: use a local disk";
  const refusal = isSqliteError(error, 'cantOpen', 'readOnly') ? refusalToWrite(dirname(file)) : '';
  const code = isSqliteError(error, 'noRoomForShm') ? codes.full : codeOf(error) & 0xff;
  return systemSentence(refusal) ?? sentences[code];
}
