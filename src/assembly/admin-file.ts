// The file in the data folder with the first administrator's password, until the password is replaced.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { emailKey } from '../schema/email.ts';
import { replacePrivate } from '../storage/private-files.ts';

export function adminFile(folder: string): string {
  return join(folder, 'initial-admin.json');
}

/** Writes the members of a sign-in request, so that the file can be sent as it is. */
export function writeAdminFile(folder: string, credentials: { email: string; password: string }): void {
  replacePrivate(adminFile(folder), `${JSON.stringify(credentials)}\n`);
}

/** Removes the file if it holds this user's password. A file that can't be removed is no error. */
export function removeAdminFile(folder: string, email: string): void {
  const fileEmail = readEmail(folder);
  if (fileEmail === undefined || emailKey(fileEmail) !== emailKey(email)) return;
  try {
    rmSync(adminFile(folder), { force: true });
  } catch {
    // the folder may be read-only for this process; no later start names the file
  }
}

/** Returns undefined if there is no file, or the service didn't write it. */
function readEmail(folder: string): string | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(adminFile(folder), 'utf8'));
    const isOurs = typeof content === 'object' && content !== null && 'email' in content;
    return isOurs && typeof content.email === 'string' ? content.email : undefined;
  } catch {
    return undefined;
  }
}
