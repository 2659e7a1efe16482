// Where a reader of the feed is: the id of the last event before what comes next, in a cursor.
import type { Cursors } from '../http/cursor.ts';
import { Problem } from '../problem.ts';
import type { Connection } from '../storage/connection.ts';
import type { Position } from '../storage/keyset.ts';
import { feedBounds, feedEpoch } from '../resources/events/event-store.ts';

export const feedPath = '/events';

/** Bound to the feed alone: a reader may go on with other types. */
export function cursorAfter(db: Connection, id: number, cursors: Cursors): string {
  return cursors.encode(feedPath, {}, [feedEpoch(db), id]);
}

/** Throws where the cursor is none, or events after it were removed or may never have been here. */
export function idOf(db: Connection, cursor: string, cursors: Cursors): number {
  const position = cursors.open(feedPath, { cursor });
  return position === undefined ? 0 : eventAt(db, position);
}

function eventAt(db: Connection, [epoch, id]: Position): number {
  const { removed, latest } = feedBounds(db);
  if (epoch === feedEpoch(db) && id >= removed && id <= latest) return id;
  throw new Problem(
    'events-gone',
    epoch === feedEpoch(db)
      ? 'Events after this cursor were removed; read the objects again, then follow from=latest.'
      : 'The database was restored; read the objects again, then follow from=latest.',
  );
}
