// Reads a range of the feed for an export.
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../auth/access.ts';
import { exportChunkBytesMax, type ElementReader } from '../../http/lists/export.ts';
import { forbidden } from '../../problem.ts';
import type { Event } from '../events/event.ts';
import { feedAccessOf, feedBounds, readFeed, type FeedRequest } from '../events/feed-store.ts';
import type { Connection } from '../../storage/connection.ts';

type ExportRange = Pick<FeedRequest, 'types' | 'after'> & {
  /** The id of the newest event when the export begins; later events are not exported. */
  readonly latest: number;
};

const readBounds = { rows: 100, charsMax: exportChunkBytesMax };

export function feedElements(
  db: Connection,
  { types, after, latest }: ExportRange,
  caller: Caller,
): ElementReader<Event, Caller> {
  const access = feedAccessOf(caller);
  return async function* (authorize) {
    let position = after;
    while (position < latest) {
      if (!isDeepStrictEqual(feedAccessOf(authorize()), access))
        throw forbidden('The rights have changed since the export began.');
      // without this check, events that cleanup removed early would be missing silently
      if (position < feedBounds(db).removedUpTo) throw new Error('events were removed before their export');
      const { events, end } = readFeed(db, { after: position, latest, access, types, ...readBounds });
      yield events;
      position = end;
    }
  };
}
