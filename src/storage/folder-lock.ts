// The lock that lets one process at a time serve a data folder.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { giveToFolderOwner, makeFolder, makePrivate } from './private-files.ts';
import { isBusy, StorageError, toStorageError } from './storage-error.ts';

/**
 * Takes the folder for this process until the function returned is called. The lock is the operating system's
 * on a file of its own, so it ends with the process, and commands beside a live service can still open the
 * database.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'lock.db');
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(folder);
    makePrivate(file); // or anybody who may read it could lock it, too
    giveToFolderOwner(file);
    lock = new DatabaseSync(file);
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); // a journal file would need room on the disk
    return () => lock?.close();
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw toStorageError(error, file);
    throw new StorageError(
      `Another process uses the data folder ${folder}. Stop it first, or choose another folder.`,
    );
  }
}
