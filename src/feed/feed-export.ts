// The feed from one event to another, for an export.
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../auth/access.ts';
import type { Elements } from '../http/list-export.ts';
import type { Representation } from '../http/representation.ts';
import { forbidden } from '../problem.ts';
import type { Event } from '../resources/events/event.ts';
import { feedBounds, readFeed, type FeedRequest } from '../resources/events/event-store.ts';
import { representEvent } from '../resources/events/history-routes.ts';
import type { Connection } from '../storage/connection.ts';
import { feedAccessOf } from './feed-access.ts';

type Extent = Pick<FeedRequest, 'access' | 'types' | 'after'> & {
  /** The id of the last event, as the export begins: those that are added meanwhile are not part of it. */
  readonly latest: number;
};

const eventsAtOnce = 100;

export class FeedElements implements Elements<Event, Caller> {
  readonly #db: Connection;
  readonly #extent: Extent;
  #position: number;

  constructor(db: Connection, extent: Extent) {
    this.#db = db;
    this.#extent = extent;
    this.#position = extent.after;
  }

  next(reader: Caller): Representation<Event>[] | undefined {
    const { access, types, latest } = this.#extent;
    if (!isDeepStrictEqual(feedAccessOf(reader), access))
      throw forbidden('The rights have changed since the export began.');
    if (this.#position >= latest) return undefined;
    this.#checkComplete();
    const { events, end } = readFeed(this.#db, { after: this.#position, access, types, rows: eventsAtOnce });
    this.#position = end;
    return events.filter(({ id }) => id <= latest).map(representEvent);
  }

  /** The cleanup removes the oldest events: what it was faster with would be missing without notice. */
  #checkComplete(): void {
    if (this.#position < feedBounds(this.#db).removed)
      throw new Error('events were removed before their export');
  }
}
