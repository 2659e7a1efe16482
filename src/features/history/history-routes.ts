// The history of one object over HTTP, such as GET /orders/{id}/events, newest first.
import {
  checkScope,
  rowAccessOf,
  selfOrAdmin,
  signedIn,
  type Access,
  type Caller,
} from '../../auth/access.ts';
import { listParameters, type Lists } from '../../http/lists/list.ts';
import { withMember, type Representation } from '../../http/responses/representation.ts';
import { lookupOf } from '../../http/responses/representation-cache.ts';
import { route, type Route } from '../../http/routing/route.ts';
import type { RouteGroup } from '../../http/routing/router.ts';
import { array, oneOf, optional, type ObjectOf } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { customerSource } from '../customers/customer-store.ts';
import { findActorNames } from './actor-name-store.ts';
import { representEvent } from '../events/event-representation.ts';
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

const historyParameters = {
  ...listParameters,
  include: optional(
    array(oneOf(['actorName']), {
      minItems: 1,
      maxItems: 1,
      description:
        '`actorName` adds the name of the account that made each change. ' +
        'An API key needs the scope `users:read` for it.',
      examples: [['actorName']],
    }),
  ),
};

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
      return lists.page(call, { selectionFor, elements, embedderFor: (page) => namesFor(query, page) });
    },
  });
}

type LoadedPage = { readonly caller: Caller; readonly db: Connection; readonly ids: readonly number[] };

/**
 * Returns a function that adds the actors' names to events: all names for staff, for users only their own.
 * Returns undefined if the query doesn't ask for names. Throws if an API key may not read users.
 */
function namesFor({ include }: ObjectOf<typeof historyParameters>, { caller, db, ids }: LoadedPage) {
  if (include === undefined) return undefined;
  checkScope(caller, 'users:read');
  const names = findActorNames(db, ids, rowAccessOf(caller));
  return (event: Representation<Event>) => withMember(event, 'actorName', names.get(event.id) ?? null);
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
