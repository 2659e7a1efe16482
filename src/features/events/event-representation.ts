// The representation of an event, with the name of its actor if `include=actorName` asks for it.
import { checkScope, rowAccessOf, type Caller } from '../../auth/access.ts';
import { represent, type Included, type Representation } from '../../http/responses/representation.ts';
import { array, oneOf, optional, type ObjectOf } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { findActorNames } from './event-store.ts';
import type { Event } from './event.ts';

export function representEvent(event: Event): Representation<Event> {
  return represent(event, { id: event.id, ownerId: null });
}

/** The parameter of all pages of events. */
export const eventIncludes = {
  include: optional(
    array(oneOf(['actorName']), {
      minItems: 1,
      maxItems: 1,
      description:
        '`actorName` adds the name of the account that made each change. ' +
        'An API key needs the scope `users:read` for it.',
      examples: [['actorName']],
    }),
  ),
};

type LoadedPage = { readonly caller: Caller; readonly db: Connection; readonly ids: readonly number[] };

/**
 * Returns the names of the actors of events: all names for staff, for users only their own. Returns undefined if the
 * query doesn't ask for names. Throws if an API key may not read users.
 */
export function includedActorNames(
  { include }: ObjectOf<typeof eventIncludes>,
  { caller, db, ids }: LoadedPage,
): Included | undefined {
  if (include === undefined) return undefined;
  checkScope(caller, 'users:read');
  return { member: 'actorName', values: findActorNames(db, ids, rowAccessOf(caller)) };
}
