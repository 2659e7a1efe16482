// Reads a range of the feed for an export.
import { isDeepStrictEqual } from 'node:util';
import type { ExportSource } from '../http/export.ts';
import { exportChunkBytesMax } from '../limits.ts';
import { forbidden } from '../problem.ts';
import type { Event } from '../resources/events/event.ts';
import { feedBounds, readFeed, type FeedAccess, type FeedRequest } from '../resources/events/feed-store.ts';
import { representEvent } from '../resources/events/history-routes.ts';
import type { Connection } from '../storage/connection.ts';

type ExportRange<C> = Pick<FeedRequest, 'types' | 'after'> & {
  readonly accessOf: (reader: C) => FeedAccess;
  /** The id of the newest event when the export begins; later events are not exported. */
  readonly latest: number;
};

const readBounds = { rows: 100, charsMax: exportChunkBytesMax };

export function feedElements<C>(
  db: Connection,
  { accessOf, types, after, latest }: ExportRange<C>,
  caller: C,
): ExportSource<Event, C> {
  const access = accessOf(caller);
  return async function* (authorize) {
    let position = after;
    while (position < latest) {
      if (!isDeepStrictEqual(accessOf(authorize()), access))
        throw forbidden('The rights have changed since the export began.');
      // otherwise events that cleanup removes before the export reaches them would be missing silently
      if (position < feedBounds(db).removedUpTo) throw new Error('events were removed before their export');
      const { events, end } = readFeed(db, { after: position, latest, access, types, ...readBounds });
      position = end;
      yield events.map(representEvent);
    }
  };
}
