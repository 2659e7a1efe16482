// The history of one object over HTTP, such as GET /orders/{id}/events, newest first.
import type { Access, Caller } from '../../auth/access.ts';
import { listParameters, type Lists } from '../../http/lists/list.ts';
import type { Lookup } from '../../http/responses/representation-cache.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { requireVisible, type ObjectSource } from '../../storage/object-access.ts';
import { includedActorNames, eventIncludes, representEvent } from './event-representation.ts';
import { findEvent, historySelection } from './event-store.ts';
import { Event, type Topic } from './event.ts';

type History<Row> = {
  readonly path: `/${string}/{id}/events`;
  readonly summary: string;
  readonly topic: Topic;
  readonly access: Access<{ readonly id: number }, Caller>;
  /** Finds the object: only callers who may see the object may see its history. */
  readonly source: ObjectSource<Row>;
  readonly lists: Lists;
};

const historyParameters = { ...listParameters, ...eventIncludes };

export function historyRoute<Row extends { readonly id: number }>(history: History<Row>): Route {
  const { path, summary, topic, access, source, lists } = history;
  return route({
    method: 'GET',
    path,
    tag: 'Events',
    summary,
    access,
    scope: 'events:read',
    query: historyParameters,
    reply: { kind: 'list', schema: Event },
    problems: ['not-found', 'forbidden'],
    handle(call) {
      const { params, read, query } = call;
      const selectionFor = (caller: Caller) =>
        historySelection(topic, requireVisible(source, { read, caller }, params.id));
      return lists.page(call, {
        selectionFor,
        elements: events,
        includedFor: (page) => includedActorNames(query, page),
      });
    },
  });
}

/** Any event: the list has selected those that the caller may see. */
const events: Lookup<Event> = {
  find(db, id) {
    const event = findEvent(db, id);
    return event && representEvent(event);
  },
};
