// The lock that allows only one process at a time to serve a data folder.
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { claimFolder, createFolder, makePrivate } from './private-files.ts';
import { isBusy, isDamage, StorageError, toStorageError } from './storage-error.ts';

/**
 * Locks the folder for this process, and returns a function that unlocks it. The lock is an operating
 * system's lock on a separate file: it ends with the process, and commands beside a live service can still
 * open the database.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'lock.db');
  try {
    createFolder(folder);
    claimFolder(folder);
    makePrivate(file); // anybody who may read the file could also lock it
    const lock = lockFile(file);
    return () => lock.close();
  } catch (error) {
    if (!isBusy(error)) throw toStorageError(error, file);
    throw new StorageError(
      `Another process uses the data folder ${folder}. Stop it first, or choose another folder.`,
    );
  }
}

function lockFile(file: string): DatabaseSync {
  const lock = new DatabaseSync(file);
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); // a journal file would need space on the disk
    return lock;
  } catch (error) {
    lock.close();
    if (!isDamage(error)) throw error;
    truncateSync(file); // it has no content but what a power cut left, and keeps the locks of others
    return lockFile(file);
  }
}
