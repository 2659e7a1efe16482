// The history of one object over HTTP, such as GET /orders/{id}/events, newest first.
import type { Access, Caller, RowAccess } from '../../auth/access.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { createFinder } from '../../http/representation-cache.ts';
import { listOf } from '../../http/reply.ts';
import { route, type Route } from '../../http/route.ts';
import { requireVisible, type ObjectSource } from '../flows/visible.ts';
import { Event, type Topic } from './event.ts';
import { findEvent, historySelection } from './event-store.ts';

type History<Row> = {
  readonly path: '/orders/{id}/events' | '/customers/{id}/events' | '/api/users/{id}/events';
  readonly summary: string;
  readonly topic: Topic;
  readonly access: Access<{ readonly id: number }, Caller>;
  /** Finds the object, since only callers who may see it may see its history. */
  readonly source: ObjectSource<Row>;
  readonly accessOf: (caller: Caller) => RowAccess;
  readonly cursors: Cursors;
};

export function historyRoute<Row>(history: History<Row>): Route {
  const { path, summary, topic, access, source, accessOf, cursors } = history;
  const find = createFinder({ find: findEvent, represent: representEvent });
  return route({
    method: 'GET',
    path,
    tag: 'Events',
    summary,
    access,
    scope: 'events:read',
    query: listParameters,
    reply: listOf(Event),
    problems: ['not-found', 'forbidden'],
    handle(context) {
      const { params, database } = context;
      const selectionFor = (caller: Caller) => {
        requireVisible(source, { db: database.read, id: params.id, access: accessOf(caller) });
        return historySelection(topic, params.id);
      };
      return listPage(context, { cursors, selectionFor, find });
    },
  });
}

export function representEvent(event: Event): Representation<Event> {
  return represent(event, { id: event.id, ownerId: null });
}
