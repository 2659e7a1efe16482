// Reads a range of the feed for an export.
import { isDeepStrictEqual } from 'node:util';
import { exportChunkBytesMax, type ElementReader } from '../../http/lists/export.ts';
import { forbidden } from '../../problem.ts';
import type { Event } from '../events/event.ts';
import { feedBounds, readFeed, type FeedAccess, type FeedRequest } from '../events/feed-store.ts';
import type { Connection } from '../../storage/connection.ts';

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
): ElementReader<Event, C> {
  const access = accessOf(caller);
  return async function* (authorize) {
    let position = after;
    while (position < latest) {
      if (!isDeepStrictEqual(accessOf(authorize()), access))
        throw forbidden('The rights have changed since the export began.');
      // without this check, events that cleanup removed early would be missing silently
      if (position < feedBounds(db).removedUpTo) throw new Error('events were removed before their export');
      const { events, end } = readFeed(db, { after: position, latest, access, types, ...readBounds });
      yield events;
      position = end;
    }
  };
}
