// The history of one object over HTTP, such as GET /orders/{id}/events, newest first.
import { selfOrAdmin, signedIn, type Access, type Caller } from '../../auth/access.ts';
import { listParameters, type Lists } from '../../http/lists/list.ts';
import { lookupOf } from '../../http/responses/representation-cache.ts';
import { route, type Route } from '../../http/routing/route.ts';
import type { RouteGroup } from '../../http/routing/router.ts';
import { customerSource } from '../customers/customer-store.ts';
import { includedActorNames, eventIncludes, representEvent } from '../events/event-representation.ts';
import { findEvent, historySelection } from '../events/event-store.ts';
import { Event, type Topic } from '../events/event.ts';
import { requireVisible, type ObjectSource } from '../../storage/object-access.ts';
import { orderSource } from '../orders/order-store.ts';
import { userSource } from '../users/user-store.ts';

type History<Row> = {
  readonly path: '/orders/{id}/events' | '/customers/{id}/events' | '/api/users/{id}/events';
  readonly summary: string;
  readonly topic: Topic;
  readonly access: Access<{ readonly id: number }, Caller>;
  /** Finds the object: only callers who may see the object may see its history. */
  readonly source: ObjectSource<Row>;
  readonly lists: Lists;
};

const historyParameters = { ...listParameters, ...eventIncludes };

function historyRoute<Row extends { readonly id: number }>(history: History<Row>): Route {
  const { path, summary, topic, access, source, lists } = history;
  const elements = lookupOf({ find: findEvent, represent: representEvent });
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
        elements,
        includedFor: (page) => includedActorNames(query, page),
      });
    },
  });
}

export function historyGroups(lists: Lists): RouteGroup[] {
  const users = historyRoute({
    path: '/api/users/{id}/events',
    summary: 'List what happened to a user, their sessions and keys',
    topic: 'user',
    access: selfOrAdmin,
    source: userSource,
    lists,
  });
  const customers = historyRoute({
    path: '/customers/{id}/events',
    summary: 'List what happened to a customer',
    topic: 'customer',
    access: signedIn,
    source: customerSource,
    lists,
  });
  const orders = historyRoute({
    path: '/orders/{id}/events',
    summary: 'List what happened to an order',
    topic: 'order',
    access: signedIn,
    source: orderSource,
    lists,
  });
  return [
    { routes: [users], invalidStatus: 400 },
    { routes: [customers, orders], invalidStatus: 422 },
  ];
}
