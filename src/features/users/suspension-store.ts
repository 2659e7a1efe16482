// A suspension of a user: its schemas, and its rows, which every sign-in reads.
import { accountAccessOf } from '../../auth/access.ts';
import { id, sentTimestamp, singleLine, timestamp } from '../../schema/members.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import { named, nullable, object, optional, type Infer } from '../../schema/schema.ts';
import { issueUnless } from '../../storage/audit.ts';
import type { ObjectSource, Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import * as column from '../../storage/table.ts';
import { table } from '../../storage/table.ts';
import { recordEvent } from '../events/event-store.ts';
import { checkNotLastAdmin, type StoredUser } from './user-store.ts';

const why = 'Why, for other administrators. The user never sees it.';
const reason = nullable(singleLine(200, why, 'Laptop stolen'));
export const Suspension = named('Suspension', object({ userId: id, createdAt: timestamp, reason }));
export type Suspension = Infer<typeof Suspension>;

const sent = { reason: optional(reason), userId: optional(id), createdAt: optional(sentTimestamp) };
const replacement = {
  description: 'Read-only members may be sent with their current values.',
  examples: [{ reason: 'Laptop stolen' }],
};
export const SuspensionReplacement = named('SuspensionReplacement', object(sent, replacement));

/** `version` counts the changes of the reason. */
export type StoredSuspension = Suspension & { readonly version: number };

const shown = {
  userId: column.integerColumn,
  createdAt: column.timeColumn,
  reason: column.nullableColumn(column.textColumn()),
};
const columns = { ...shown, version: column.counterColumn };
const suspensions = table('suspensions', columns);
const rows = suspensions.select(columns);
const replaceReason = suspensions.update(['reason', 'version']);

export const findSuspension = rows.find;

/** Suspensions by the ids of their users. */
export const suspensionSource: ObjectSource<StoredSuspension> = {
  name: 'suspension of user',
  find: findSuspension,
  ownerIdOf: ({ userId }) => userId,
  accessOf: accountAccessOf,
};

type SuspensionReason = Suspension['reason'];

/** Adds a suspension. The caller must also end the user's sessions and keys, in the same write. */
export function addSuspension(
  permit: Permit,
  { id }: Owned<StoredUser>,
  reason: SuspensionReason,
): StoredSuspension {
  const { writer: db, origin } = permit;
  const suspension = { userId: id, createdAt: origin.now, reason };
  checkNotLastAdmin(permit, id);
  suspensions.insert(db, suspension);
  recordEvent(permit, { type: 'user.suspended', subjectId: id, ownerId: id });
  db.invalidate({ table: 'users', id });
  return rows.written({ ...suspension, version: 1 });
}

/** Returns the changed suspension. */
export function replaceSuspension(
  permit: Permit,
  current: Owned<StoredSuspension>,
  reason: SuspensionReason,
): StoredSuspension {
  if (reason === current.reason) return current; // no change, so no event
  replaceReason(permit.writer, { reason }, current.userId);
  recordChange(permit, current.userId, 'suspensionReason');
  return { ...current, reason, version: current.version + 1 };
}

export function removeSuspension(permit: Permit, { userId }: Owned<Suspension>): void {
  suspensions.remove(permit.writer, userId);
  recordChange(permit, userId, 'suspension');
}

/** Records the end of a suspension, or a change of its reason; its beginning has another event. */
function recordChange(permit: Permit, userId: number, member: 'suspension' | 'suspensionReason'): void {
  const changes = { [member]: null };
  recordEvent(permit, { type: 'user.changed', subjectId: userId, ownerId: userId, changes });
}

/** The sessions and keys of a user must have ended with the suspension. */
const credentialsSql =
  '(SELECT count(*) FROM sessions WHERE userId = suspensions.userId) + ' +
  '(SELECT count(*) FROM apiKeys WHERE userId = suspensions.userId)';

export const suspensionAudit = suspensions.audit({
  thing: 'suspension',
  columns: { ...shown, credentials: column.computedColumn(credentialsSql, column.integerColumn) },
  issues({ credentials, ...suspension }) {
    return [
      ...schemaIssues(Suspension, suspension),
      ...issueUnless(credentials === 0, '/userId', 'the user still has sessions or API keys.'),
    ];
  },
});
