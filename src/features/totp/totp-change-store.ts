// The changes of rows of one-time codes: set up, confirmed and removed.
import { accountAccessOf } from '../../auth/access.ts';
import { recoveryCodeHash } from '../../auth/one-time-codes.ts';
import type { Sealed } from '../../auth/sealed-secrets.ts';
import type { ObjectSource, Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import type { Totp } from '../users/totp.ts';
import { findTotp, recordTotpChange, removeTotpRows, totpSecrets } from '../users/totp-store.ts';
import type { StoredUser } from '../users/user-store.ts';

/** One-time codes by the ids of their users. */
export const totpSource: ObjectSource<Totp> = {
  name: 'one-time code set-up of user',
  find: findTotp,
  ownerOf: ({ userId }) => userId,
  accessOf: accountAccessOf,
};

/** Replaces a set-up that was never confirmed. No event is recorded, since no sign-in needs a code yet. */
export function addTotp(
  { writer: db, origin }: Permit,
  { id }: Owned<StoredUser>,
  { sealedUnder, bytes }: Sealed,
): void {
  removeTotpRows(db, id);
  totpSecrets.insert(db, { userId: id, sealedUnder, sealed: bytes, lastStep: 0, createdAt: origin.now });
}

/** Turns codes on: from now on each sign-in needs a code. Replaces any earlier recovery codes. */
export function confirmTotp(permit: Permit, { userId }: Owned<Totp>, recoveryCodes: readonly string[]): void {
  const { writer: db, origin } = permit;
  const sql = 'UPDATE totpSecrets SET confirmedAt = coalesce(confirmedAt, ?) WHERE userId = ?';
  db.run(sql, origin.now, userId);
  db.run('DELETE FROM recoveryCodes WHERE userId = ?', userId);
  const insertion = 'INSERT INTO recoveryCodes (userId, hash) VALUES (?, ?)';
  for (const code of recoveryCodes) db.run(insertion, userId, recoveryCodeHash(code));
  recordTotpChange(permit, userId);
}

export function removeTotp(permit: Permit, { userId }: Owned<Totp>): void {
  removeTotpRows(permit.writer, userId);
  recordTotpChange(permit, userId);
}
