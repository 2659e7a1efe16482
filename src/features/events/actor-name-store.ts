// The names of the accounts behind events, for pages that show them.
import { allows, type RowAccess } from '../../auth/access.ts';
import type { Connection } from '../../storage/connection.ts';

/** Finds the names by the ids of the events, in one statement, for all accounts that the access covers. */
export function findActorNames(
  db: Connection,
  eventIds: readonly number[],
  access: RowAccess,
): ReadonlyMap<number, string> {
  const rows = db.all<[eventId: number, userId: number, name: string]>(
    'SELECT events.id, users.id, users.name ' +
      'FROM json_each(?) AS ids CROSS JOIN events ON events.id = ids.value ' +
      'CROSS JOIN users ON users.id = events.actorId',
    JSON.stringify(eventIds),
  );
  const visible = rows.filter(([, userId]) => allows(access, userId));
  return new Map(visible.map(([eventId, , name]) => [eventId, name]));
}
