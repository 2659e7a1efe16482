// The rows of suspensions. Every sign-in reads them; the feature `suspension` changes them.
import { schemaIssues } from '../../schema/schema-check.ts';
import { issueUnless } from '../../storage/audit.ts';
import type { Connection } from '../../storage/connection.ts';
import { computed, counter, integer, nullable, table, text, time } from '../../storage/table.ts';
import { Suspension } from './suspension.ts';

/** `version` counts the changes of the reason. */
export type StoredSuspension = Suspension & { readonly version: number };

const shown = { userId: integer, createdAt: time, reason: nullable(text()) };
const columns = { ...shown, version: counter };
export const suspensions = table('suspensions', columns);
const rows = suspensions.select(columns);

export function findSuspension(db: Connection, userId: number): StoredSuspension | undefined {
  return rows.find(db, userId);
}

/** The sessions and keys of a user must have ended with the suspension. */
const credentialsSql =
  '(SELECT count(*) FROM sessions WHERE userId = suspensions.userId) + ' +
  '(SELECT count(*) FROM apiKeys WHERE userId = suspensions.userId)';

export const suspensionAudit = suspensions.audit({
  thing: 'suspension',
  columns: { ...shown, credentials: computed(credentialsSql, integer) },
  issues({ credentials, ...suspension }) {
    return [
      ...schemaIssues(Suspension, suspension),
      ...issueUnless(credentials === 0, '/userId', 'the user still has sessions or API keys.'),
    ];
  },
});
