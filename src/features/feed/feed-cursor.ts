// Cursors of the feed. A cursor holds the id of the last event that a reader has read.
import { decodeCursor, encodeCursor } from '../../http/lists/cursor.ts';
import { Problem } from '../../problem.ts';
import type { Connection } from '../../storage/connection.ts';
import type { FeedBounds } from '../events/event.ts';
import { feedBounds, feedEpoch } from '../events/feed-store.ts';

export const feedPath = '/events';
const feed = { path: feedPath, order: 'id' };

/**
 * A cursor has the database's epoch in place of a sort key, and the id of the last event read. It is bound to the feed
 * but not to its filters: a reader may continue with other types.
 */
export function cursorAfter(epoch: string, id: number): string {
  return encodeCursor({ ...feed, query: {} }, [epoch, id]);
}

/** The state that cursors are checked against. */
export type FeedState = FeedBounds & { readonly epoch: string };

export function feedState(db: Connection): FeedState {
  return { ...feedBounds(db), epoch: feedEpoch(db) };
}

/**
 * Returns the id in a cursor. Throws if the cursor is invalid or belongs to another epoch, or if events after
 * the id were removed.
 */
export function requireEventId(state: FeedState, cursor: string): number {
  const [epoch, id] = decodeCursor({ ...feed, query: { cursor } }) ?? [state.epoch, 0];
  if (epoch === state.epoch && id >= state.removedUpTo && id <= state.latest) return id;
  const what = epoch === state.epoch ? 'Events after this cursor were removed' : 'The database was restored';
  throw new Problem('events-gone', `${what}; read the objects again, then follow from=latest.`);
}
