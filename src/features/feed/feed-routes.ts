// The feed of all events over HTTP: GET /events, oldest first, in pages or as a stream; or a list, newest first.
import { isDeepStrictEqual } from 'node:util';
import { signedIn, type Caller } from '../../auth/access.ts';
import { csvTime, type CsvTable } from '../../base/csv.ts';
import { decodeCursor, nextPath, withCursor } from '../../http/lists/cursor.ts';
import {
  exportChunkBytesMax,
  exportDescription,
  exportIssues,
  isExport,
  type ElementReader,
} from '../../http/lists/export.ts';
import {
  cursorParameter,
  fittingPage,
  listParameters,
  toListPage,
  pageBytesMax,
  pageRowsDefault,
} from '../../http/lists/list.ts';
import { csvType, jsonType, ndjsonType } from '../../http/responses/media-types.ts';
import { withIncluded } from '../../http/responses/representation.ts';
import type { ResponseStream } from '../../http/responses/response-stream.ts';
import { eventStream } from '../../http/responses/server-sent-events.ts';
import type { ListPage, Streamed } from '../../http/routing/reply.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { forbidden } from '../../problem.ts';
import { array, oneOf, optional, string, type Issue, type ObjectOf } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { eventIncludes, includedActorNames, representEvent } from '../events/event-representation.ts';
import { Event, eventTypeName, type EventType } from '../events/event.ts';
import { feedAccessOf, feedBounds, readFeed, readNewest, type FeedRequest } from '../events/feed-store.ts';
import type { FeatureServices } from '../feature.ts';
import { cursorAfter, feedPath, feedState, requireEventId, type FeedState } from './feed-cursor.ts';
import type { LiveFeed } from './live-feed.ts';

const feedParameters = (types: readonly EventType[]) => ({
  from: optional(
    oneOf(['oldest', 'latest'], {
      description:
        'Where to begin without a `cursor`: at the oldest event (the default), or after the latest.',
    }),
  ),
  sort: optional(
    oneOf(['-id'], {
      description: '`-id` lists the latest events, newest first. By default the feed begins at the oldest.',
    }),
  ),
  type: optional(
    array(eventTypeName(types), {
      minItems: 1,
      maxItems: types.length,
      description: 'Only events of these types, separated by commas.',
      examples: [['order.created', 'order.paid']],
    }),
  ),
  ...eventIncludes,
  limit: listParameters.limit,
  cursor: cursorParameter(
    'Where to begin, taken from `next` or from the id of a server-sent event; any types may follow, ' +
      'but for a list with `sort`, whose cursors are bound to it.',
  ),
  lastEventId: optional(
    string({
      maxLength: 4_000,
      description:
        'Streams only: where to continue, as `Last-Event-ID`, which wins. For readers that can’t send that field.',
    }),
  ),
});
type FeedQuery = ObjectOf<ReturnType<typeof feedParameters>>;

type FeedServices = Pick<FeatureServices, 'declared' | 'exports'> & { readonly live: LiveFeed };

export function followEventsRoute(services: FeedServices): Route {
  return route({
    method: 'GET',
    path: feedPath,
    tag: 'Events',
    summary: 'Follow what happens',
    access: signedIn,
    scope: 'events:read',
    query: feedParameters(services.declared.eventTypes),
    reply: {
      kind: 'list',
      schema: Event,
      mediaTypes: [jsonType, eventStream, csvType, ndjsonType],
      isFeed: true,
    },
    description:
      'All events that the caller may see, oldest first: those of their own objects, for staff those of ' +
      'all orders, customers and products and of deleted users, for administrators all. `next` is never null: a ' +
      'reader who stores it and asks again later misses nothing. A page may be empty and still move on.\n\n' +
      'With `sort=-id` the latest events come first, as a list of which `next` is null at the end.\n\n' +
      'With `Accept: text/event-stream` the same events arrive as they happen (server-sent events): after ' +
      '`Last-Event-ID` or `lastEventId`, else where `cursor` or `from` says, else after the latest. `limit` has no effect. ' +
      'On a terminal `curl -N -H "Accept: text/event-stream"` shows them.\n\n' +
      `${exportDescription} It begins where \`cursor\` or \`from\` says and ends at the latest event.`,
    problems: ['events-gone', 'unavailable'],
    queryIssues: (query, { mediaType }) => [
      ...exportIssues(query, mediaType, ['limit', 'total']),
      ...conflictsIn(query, mediaType),
    ],
    handle(call) {
      if (call.mediaType === eventStream) return liveEvents(call, services);
      if (isExport(call)) return eventFile(call, services);
      return call.query.sort === undefined ? feedPage(call) : newestPage(call);
    },
  });
}

type FeedCall = Call<object, FeedQuery, undefined, Caller>;

function feedPage(call: FeedCall): ListPage<Event> {
  const { read, query } = call;
  const state = feedState(read);
  const after = findStart(state, query) ?? state.removedUpTo;
  const page = readFeed(read, { ...feedPageOf(call), after, latest: state.latest });
  const { elements, cutAt = page.end } = shownPage(call, page.events);
  const { from: _from, ...kept } = query;
  return toListPage(elements, withCursor(feedPath, kept, cursorAfter(state.epoch, cutAt)));
}

/** The latest events, newest first. A cursor has the id of the event before which the next page begins. */
function newestPage(call: FeedCall): ListPage<Event> {
  const { read, query } = call;
  const { removedUpTo, latest } = feedState(read);
  const list = { path: feedPath, query, order: '-id' };
  const [, before] = decodeCursor(list) ?? [latest, latest + 1];
  const page = readNewest(read, { ...feedPageOf(call), before, removedUpTo });
  const { elements, cutAt: end = page.end } = shownPage(call, page.events);
  return toListPage(elements, end === undefined ? null : nextPath(list, [end, end]));
}

function feedPageOf({ query, caller }: FeedCall) {
  const { type: types, limit: rows = pageRowsDefault } = query;
  return { access: feedAccessOf(caller), types, rows, charsMax: pageBytesMax };
}

/** The events that fit into a page; `cutAt` is the id of the last of them if there are more. */
function shownPage({ query, caller, read: db }: FeedCall, events: readonly Event[]) {
  const names = includedActorNames(query, { caller, db, ids: events.map(({ id }) => id) });
  const represented = events.map(representEvent);
  const shown = names === undefined ? represented : represented.map((event) => withIncluded(event, names));
  const elements = fittingPage(shown);
  const cutAt = elements.length < events.length ? elements.at(-1)?.id : undefined;
  return { elements, cutAt };
}

function liveEvents(call: FeedCall, { live }: FeedServices): Streamed {
  const { read, query, caller, headers } = call;
  const lastEventId = headers['last-event-id'] || query.lastEventId || '';
  live.checkCapacity(call);
  const state = feedState(read);
  const after = lastEventId === '' ? findStart(state, query) : requireEventId(state, lastEventId);
  const reader = { call, access: feedAccessOf(caller), types: query.type, after: after ?? state.latest };
  const start = (stream: ResponseStream): void => live.add({ ...reader, stream });
  return { kind: 'stream', mediaType: eventStream, start };
}

/** A row for each event, with its changes as JSON. */
const eventTable: CsvTable<Event> = {
  columns: 'id type createdAt subject actor.userId actor.keyId requestId reason changes'.split(' '),
  rowsOf({ id, type, createdAt, subject, actor, requestId, reason, changes }) {
    const { userId = null, keyId = null } = actor ?? {};
    const time = csvTime(createdAt);
    return [[id, type, time, subject, userId, keyId, requestId, reason, JSON.stringify(changes)]];
  },
};
const eventsFile = { name: 'events', table: eventTable };

function eventFile(call: FeedCall, { exports }: FeedServices): Streamed {
  const { read, query, caller } = call;
  const state = feedState(read);
  const { removedUpTo, latest } = state;
  const after = findStart(state, query) ?? removedUpTo;
  const elements = feedElements(read, { types: query.type, after, latest }, caller);
  return exports.createResult(call, eventsFile, elements);
}

type FileRange = Pick<FeedRequest, 'types' | 'after'> & {
  /** The id of the newest event when the file begins; the file has no later events. */
  readonly latest: number;
};

const fileBounds = { rows: 100, charsMax: exportChunkBytesMax };

export function feedElements(
  db: Connection,
  { types, after, latest }: FileRange,
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
      const { events, end } = readFeed(db, { after: position, latest, access, types, ...fileBounds });
      yield events;
      position = end;
    }
  };
}

/** Returns the id of the event before the first one to read; undefined without `cursor` and `from`. */
function findStart(state: FeedState, { from, cursor }: FeedQuery): number | undefined {
  if (cursor !== undefined) return requireEventId(state, cursor);
  if (from === undefined) return undefined;
  return from === 'latest' ? state.latest : state.removedUpTo;
}

/** Streams and files have the order of the feed, and no names. */
function conflictsIn({ cursor, from, sort, include, lastEventId }: FeedQuery, mediaType: string): Issue[] {
  const issues: Issue[] = [];
  const add = (parameter: string, detail: string) => issues.push({ parameter, code: 'conflict', detail });
  if (cursor !== undefined && from !== undefined)
    add('cursor', 'Send cursor to continue or from to start, not both.');
  if (sort !== undefined && from !== undefined)
    add('sort', 'A list with sort begins at the latest event: send sort or from, not both.');
  if (lastEventId !== undefined && mediaType !== eventStream)
    add('lastEventId', 'Only streams have it: send cursor, or accept text/event-stream.');
  if (mediaType === jsonType) return issues;
  for (const [name, value] of Object.entries({ sort, include }))
    if (value !== undefined) add(name, `Only pages have it: leave out ${name}, or accept application/json.`);
  return issues;
}
