// The feed of all events over HTTP: GET /events, oldest first.
import { isAdmin, isStaff, signedIn, type Caller } from '../../auth/access.ts';
import { withCursor, type Cursors } from '../../http/cursor.ts';
import { listParameters, listText } from '../../http/list.ts';
import type { Representation } from '../../http/representation.ts';
import { listOf, route, type Context, type Route } from '../../http/route.ts';
import { pageRowsDefault } from '../../limits.ts';
import { Problem, invalid } from '../../problem.ts';
import { array, oneOf, optional, type ObjectOf } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Position } from '../../storage/keyset.ts';
import { Event, eventTypes } from './event.ts';
import { feedBounds, feedEpoch, readFeed, type FeedAccess } from './event-store.ts';
import { representEvent } from './history-routes.ts';

export const feedPath = '/events';

const feedParameters = {
  from: optional(
    oneOf(['oldest', 'latest'], {
      description:
        'Where to begin without a `cursor`: at the oldest event (the default), or after the latest.',
    }),
  ),
  type: optional(
    array(oneOf(eventTypes), {
      minItems: 1,
      maxItems: eventTypes.length,
      description: 'Only events of these types, separated by commas.',
      examples: [['order.created', 'order.paid']],
    }),
  ),
  limit: listParameters.limit,
  cursor: listParameters.cursor,
};
type FeedQuery = ObjectOf<typeof feedParameters>;

export function feedRoutes(cursors: Cursors): Route[] {
  return [readEvents(cursors)];
}

function readEvents(cursors: Cursors): Route {
  return route({
    method: 'GET',
    path: feedPath,
    tag: 'Events',
    summary: 'Follow what happens',
    access: signedIn,
    scope: 'events:read',
    query: feedParameters,
    reply: listOf(Event),
    description:
      'All events that the caller may see, oldest first: those of their own objects, for staff those of ' +
      'all orders and customers, for administrators all. `next` is never null: a reader who stores it and ' +
      'asks again later misses nothing. A page may be empty and still move on.',
    problems: ['events-gone'],
    handle: (context) => feedPage(context, cursors),
  });
}

type FeedContext = Context<object, FeedQuery, undefined, Caller>;

function feedPage({ db, query, caller }: FeedContext, cursors: Cursors): Representation<readonly Event[]> {
  const after = startOf(db.read, query, cursors);
  const { type: types, limit: rows = pageRowsDefault } = query;
  const { events, end } = readFeed(db.read, { after, access: feedAccessOf(caller), types, rows });
  const cursor = cursorAfter(db.read, end, cursors);
  const { from: _from, ...kept } = query;
  return listText(events.map(representEvent), withCursor(feedPath, kept, cursor));
}

/** Bound to the feed alone: a reader may go on with other types. */
function cursorAfter(db: Connection, id: number, cursors: Cursors): string {
  return cursors.encode(feedPath, {}, [feedEpoch(db), id]);
}

/** The id of the event after which the page begins. */
export function startOf(db: Connection, query: FeedQuery, cursors: Cursors): number {
  const { from, cursor } = query;
  if (cursor === undefined) return from === 'latest' ? feedBounds(db).latest : feedBounds(db).removed;
  if (from !== undefined) throw invalid([cursorAndFrom]);
  const position = cursors.open(feedPath, { cursor });
  return position === undefined ? 0 : eventAt(db, position);
}

const cursorAndFrom = {
  parameter: 'cursor',
  code: 'conflict',
  detail: 'cursor and from exclude each other: send cursor to go on, or from to begin.',
};

/** Throws where events after the position were removed, or may never have been here. */
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

/** Their own, for staff those of all orders and customers, for administrators all. */
export function feedAccessOf(caller: Caller): FeedAccess {
  if (isAdmin(caller)) return 'everything';
  return { userId: caller.userId, topics: isStaff(caller) ? ['order', 'customer'] : [] };
}
