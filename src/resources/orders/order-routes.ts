// Orders over HTTP: /orders, and those of a customer or a user.
import { allows, isStaff, rowAccessOf, selfOrStaff, signedIn, type Caller } from '../../auth/access.ts';
import { forbidden, notFound, throwIfInvalid } from '../../problem.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters, type PageSource } from '../../http/list.ts';
import type { Representation } from '../../http/representation.ts';
import { cached, type RepresentationCache } from '../../http/representation-cache.ts';
import { created, listOf, ok, route, type Context, type Route } from '../../http/route.ts';
import { id } from '../../schema/members.ts';
import { fits } from '../../schema/schema-check.ts';
import type { Infer, Issue, ObjectOf } from '../../schema/schema.ts';
import type { Selection } from '../../storage/keyset.ts';
import type { Customer } from '../customers/customer.ts';
import { customerRepresentations } from '../customers/customer-routes.ts';
import { customerExists } from '../customers/customer-store.ts';
import { historyRoute } from '../events/history-routes.ts';
import { changeObject, type Resource } from '../flows/change.ts';
import { checkSearched } from '../flows/searching.ts';
import { requireVisible, type Rows } from '../flows/visible.ts';
import { userExists, userIssues } from '../users/user-store.ts';
import { findRepresentation, representOrder } from './order-representation-routes.ts';
import { completionOf } from './included-customer-routes.ts';
import { orderIncludes } from './included-customer.ts';
import {
  NewOrder,
  Order,
  OrderPatch,
  checkOpen,
  checkTransition,
  orderContentOf,
  orderFilters,
  orderQuery,
  applyOrderPatch,
} from './order.ts';
import { orderSearch, orderSelection } from './order-list-store.ts';
import { addOrder, orderRows, replaceOrder } from './order-store.ts';

export type OrderServices = {
  readonly cursors: Cursors;
  readonly cache: RepresentationCache<Order>;
  readonly customerCache: RepresentationCache<Customer>;
};

/** What the routes read from: committed, through the caches. */
type OrderReads = {
  readonly cursors: Cursors;
  readonly orders: Rows<Representation<Order>>;
  readonly customers: Rows<Representation<Customer>>;
};

/** Mounted with the orders interface. */
export function orderRoutes(services: OrderServices): Route[] {
  const reads = readsOf(services);
  return [
    listOrders(reads),
    placeOrder(reads),
    readOrder(reads),
    patchOrder(reads),
    listOrdersOfCustomer(reads),
    historyOfOrder(reads),
  ];
}

/** Mounted with the users interface. */
export function userOrderRoutes(services: OrderServices): Route[] {
  const reads = readsOf(services);
  return [listOrdersOfUser(reads), readOrderOfUser(reads)];
}

function readsOf({ cursors, cache, customerCache }: OrderServices): OrderReads {
  const find = cached(cache, findRepresentation);
  const orders = { name: 'order', find, ownerOf: ({ ownerId }: Representation<Order>) => ownerId };
  return { cursors, orders, customers: customerRepresentations(customerCache) };
}

const orderResource: Resource<Order, Order> = {
  ...orderRows,
  accessOf: rowAccessOf,
  represent: representOrder,
};

const filters = { ...orderFilters, ...orderIncludes, ...listParameters };

type OrderListOptions = Pick<OrderReads, 'cursors' | 'orders'> & {
  readonly selectionFor: (caller: Caller) => Selection;
};

function orderList(
  query: ObjectOf<typeof orderIncludes>,
  { cursors, orders, selectionFor }: OrderListOptions,
): PageSource<Order, Caller> {
  return { cursors, selectionFor, load: orders.find, completionOf: (page) => completionOf(query, page) };
}

function listOrders({ cursors, orders }: OrderReads): Route {
  return route({
    method: 'GET',
    path: '/orders',
    tag: 'Orders',
    summary: 'List orders',
    access: signedIn,
    scope: 'orders:read',
    query: { ...orderQuery, ...filters },
    reply: listOf(Order),
    description: 'Lists one’s own; staff see all. Newest first by default.',
    handle(context) {
      const { query } = context;
      checkSearched(query);
      const selectionFor = (caller: Caller) => {
        const access = rowAccessOf(caller);
        if (query.q === undefined) return orderSelection(access, query);
        const hasCustomers = caller.scopes?.has('customers:read') ?? true;
        return orderSearch(access, { query, q: query.q, hasCustomers });
      };
      return listPage(context, orderList(query, { cursors, orders, selectionFor }));
    },
  });
}

function placeOrder({ orders, customers }: OrderReads): Route {
  return route({
    method: 'POST',
    path: '/orders',
    countsAsCreated: true,
    tag: 'Orders',
    summary: 'Place an order',
    access: signedIn,
    scope: 'orders:write',
    isIdempotent: true,
    ownerOf: (db, id) => orders.find(db, id)?.ownerId,
    body: NewOrder,
    reply: created(Order, ({ id }) => `/orders/${id}`, {
      links: { get: 'GET /orders/{id}', update: 'PATCH /orders/{id}' },
    }),
    problems: ['forbidden'],
    validateReferences({ customerId, userId }, { caller, db }) {
      const issues: Issue[] = [];
      if (fits(id, customerId)) {
        const customer = customers.find(db.read, customerId);
        const isVisible = customer !== undefined && allows(rowAccessOf(caller), customer.ownerId);
        if (!isVisible) issues.push(unknownCustomer(customerId));
      }
      if (fits(id, userId) && isStaff(caller)) issues.push(...userIssues(db.read, userId));
      return issues;
    },
    handle: addNewOrder,
  });
}

type PlacingContext = Context<object, object, Infer<typeof NewOrder>, Caller>;

function addNewOrder(context: PlacingContext): Promise<Representation<Order>> {
  const { body, db, now, authorizeWrite } = context;
  const { customerId } = body;
  const content = orderContentOf(body);
  return db.write((writer) => {
    const permit = authorizeWrite(writer);
    const { caller } = permit;
    const userId = body.userId ?? caller.userId;
    if (userId !== caller.userId && !isStaff(caller))
      throw forbidden('Only staff may place an order for another user.');
    const issues: Issue[] = [];
    if (!customerExists(writer, rowAccessOf(caller), customerId)) issues.push(unknownCustomer(customerId));
    if (userId !== caller.userId) issues.push(...userIssues(writer, userId));
    throwIfInvalid(issues);
    const order = addOrder(permit, { ...content, customerId, userId }, { createdAt: now, updatedAt: now });
    return representOrder(order);
  });
}

function unknownCustomer(id: number): Issue {
  const detail = `Customer ${id} does not exist or is not yours.`;
  return { pointer: '/customerId', code: 'unknown', detail };
}

function readOrder({ orders }: OrderReads): Route {
  return route({
    method: 'GET',
    path: '/orders/{id}',
    tag: 'Orders',
    summary: 'Read an order',
    access: signedIn,
    scope: 'orders:read',
    query: orderIncludes,
    reply: ok(Order),
    isConditional: true,
    problems: ['forbidden'],
    handle({ params: { id }, caller, db: { read: db }, query }) {
      const order = requireVisible(orders, { db, id, access: rowAccessOf(caller) });
      return completionOf(query, { caller, db, ids: [id] })?.(order) ?? order;
    },
  });
}

function patchOrder({ orders }: OrderReads): Route {
  return route({
    method: 'PATCH',
    path: '/orders/{id}',
    tag: 'Orders',
    summary: 'Change an order or its status',
    access: signedIn,
    scope: 'orders:write',
    isIdempotent: true,
    ownerOf: (db, id) => orders.find(db, id)?.ownerId,
    isConditional: true,
    body: OrderPatch,
    reply: ok(Order),
    problems: ['invalid-transition', 'order-not-open', 'forbidden'],
    handle(context) {
      return changeObject(context, orderResource, {
        merge: (current) => applyOrderPatch(current, context.body),
        check(current, wanted, caller) {
          checkTransition(current, wanted.status, caller);
          checkOpen(current, wanted);
        },
        write(permit, current, wanted) {
          replaceOrder(permit, current, { ...wanted, now: context.now, reason: context.body.reason });
        },
      });
    },
  });
}

function historyOfOrder({ cursors, orders: rows }: OrderReads): Route {
  const path = '/orders/{id}/events';
  const summary = 'List what happened to an order';
  return historyRoute({
    path,
    summary,
    topic: 'order',
    access: signedIn,
    rows,
    accessOf: rowAccessOf,
    cursors,
  });
}

function listOrdersOfCustomer({ cursors, orders, customers }: OrderReads): Route {
  return route({
    method: 'GET',
    path: '/customers/{id}/orders',
    tag: 'Orders',
    summary: 'List a customer’s orders',
    access: signedIn,
    scope: 'orders:read',
    query: filters,
    reply: listOf(Order),
    problems: ['not-found', 'forbidden'],
    handle(context) {
      const { params, db, query } = context;
      const selectionFor = (caller: Caller) => {
        const access = rowAccessOf(caller);
        const customer = requireVisible(customers, { db: db.read, id: params.id, access });
        return orderSelection(access, query, { customerId: customer.id });
      };
      return listPage(context, orderList(context.query, { cursors, orders, selectionFor }));
    },
  });
}

function listOrdersOfUser({ cursors, orders }: OrderReads): Route {
  return route({
    method: 'GET',
    path: '/api/users/{id}/orders',
    tag: 'Orders',
    summary: 'List a user’s orders',
    access: selfOrStaff,
    scope: 'orders:read',
    query: filters,
    reply: listOf(Order),
    problems: ['not-found'],
    handle(context) {
      const { params, db, query } = context;
      if (!userExists(db.read, params.id)) throw notFound('user', params.id);
      const selectionFor = () => orderSelection({ userId: params.id }, query);
      return listPage(context, orderList(context.query, { cursors, orders, selectionFor }));
    },
  });
}

function readOrderOfUser({ orders }: OrderReads): Route {
  return route({
    method: 'GET',
    path: '/api/users/{id}/orders/{order_id}',
    tag: 'Orders',
    summary: 'Read an order of a user',
    access: selfOrStaff,
    scope: 'orders:read',
    query: orderIncludes,
    reply: ok(Order),
    isConditional: true,
    handle({ params, caller, db: { read: db }, query }) {
      const order = orders.find(db, params.order_id);
      if (order === undefined || order.ownerId !== params.id)
        throw notFound(`order of user ${params.id} with the id`, params.order_id);
      return completionOf(query, { caller, db, ids: [order.id] })?.(order) ?? order;
    },
  });
}
