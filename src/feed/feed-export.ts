// Reads a range of the feed for an export.
import { isDeepStrictEqual } from 'node:util';
import type { ExportSource, ExportStep } from '../http/list-export.ts';
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

export class FeedElements<C> implements ExportSource<Event, C> {
  readonly #db: Connection;
  readonly #range: ExportRange<C>;
  readonly #access: FeedAccess;
  #position: number;

  constructor(db: Connection, range: ExportRange<C>, reader: C) {
    this.#db = db;
    this.#range = range;
    this.#access = range.accessOf(reader);
    this.#position = range.after;
  }

  readNext(reader: C): ExportStep<Event> {
    const { accessOf, types, latest } = this.#range;
    const access = this.#access;
    if (!isDeepStrictEqual(accessOf(reader), access))
      throw forbidden('The rights have changed since the export began.');
    if (this.#position >= latest) return { kind: 'end' };
    const after = this.#position;
    // otherwise events that cleanup removes before the export reaches them would be missing silently
    if (after < feedBounds(this.#db).removedUpTo) throw new Error('events were removed before their export');
    const { events, end } = readFeed(this.#db, { after, latest, access, types, ...readBounds });
    this.#position = end;
    return { kind: 'elements', elements: events.map(representEvent) };
  }
}
