// The changes of rows of suspensions.
import { accountAccessOf } from '../../auth/access.ts';
import type { ObjectSource, Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import { recordEvent } from '../events/event-store.ts';
import type { Suspension } from '../users/suspension.ts';
import { findSuspension, suspensions, type StoredSuspension } from '../users/suspension-store.ts';
import { checkNotLastAdmin, type StoredUser } from '../users/user-store.ts';

const replaceReason = suspensions.update(['reason', 'version']);

/** Suspensions by the ids of their users. */
export const suspensionSource: ObjectSource<StoredSuspension> = {
  name: 'suspension of user',
  find: findSuspension,
  ownerOf: ({ userId }) => userId,
  accessOf: accountAccessOf,
};

/** Adds a suspension. The caller must also end the user's sessions and keys, in the same write. */
export function addSuspension(permit: Permit, { id }: Owned<StoredUser>, reason: string | null): void {
  const { writer: db, origin } = permit;
  checkNotLastAdmin(permit, id);
  suspensions.insert(db, { userId: id, createdAt: origin.now, reason });
  recordEvent(permit, { type: 'user.suspended', subjectId: id, ownerId: id });
  db.invalidate({ kind: 'user', id });
}

export function replaceSuspension(
  permit: Permit,
  { userId, reason: current }: Owned<Suspension>,
  reason: string | null,
): void {
  if (reason === current) return; // no change, so no event
  replaceReason(permit.writer, { reason }, userId);
  recordChange(permit, userId);
}

export function removeSuspension(permit: Permit, { userId }: Owned<Suspension>): void {
  permit.writer.run('DELETE FROM suspensions WHERE userId = ?', userId);
  recordChange(permit, userId);
}

function recordChange(permit: Permit, userId: number): void {
  const changes = { suspension: null };
  recordEvent(permit, { type: 'user.changed', subjectId: userId, ownerId: userId, changes });
}
