// Orders over HTTP: /orders, and those of a customer or a user.
import { allows, isStaff, rowAccessOf, selfOrStaff, signedIn, type Caller } from '../../auth/access.ts';
import { forbidden, notFound, throwIfInvalid } from '../../errors.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import { parseRepresentation, type Representation } from '../../http/representation.ts';
import { created, listOf, ok, route, type Route } from '../../http/route.ts';
import { id, mergePatch, readOnlyIssues } from '../../schema/members.ts';
import { check, fits } from '../../schema/schema-check.ts';
import type { Issue } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Customer } from '../customers/customer.ts';
import { customerExists, findCustomer } from '../customers/customer-store.ts';
import { cached, requireVisible, type Cache } from '../users/owned.ts';
import { userExists, userIssues } from '../users/user-store.ts';
import {
  NewOrder,
  Order,
  OrderPatch,
  OrderReplacement,
  checkOpen,
  checkStep,
  coreOf,
  orderFilters,
  type OrderCore,
} from './order.ts';
import { addOrder, findOrder, replaceOrder, orderListing } from './order-store.ts';

export type OrderServices = {
  readonly cursors: Cursors;
  readonly cache: Cache<Order>;
  readonly customerCache: Cache<Customer>;
};

const filters = { ...orderFilters, ...listParameters };

/** Mounted with the orders interface. */
export function orderRoutes({ cursors, cache, customerCache }: OrderServices): Route[] {
  const load = cached(cache, findOrder);
  const loadCustomer = cached(customerCache, findCustomer);

  const list = route({
    method: 'GET',
    path: '/orders',
    tag: 'Orders',
    summary: 'List orders',
    access: signedIn,
    scope: 'orders:read',
    query: filters,
    reply: listOf(Order),
    description: 'Lists one’s own; staff see all. Newest first by default.',
    handle: (context) =>
      listPage(context, cursors, orderListing(rowAccessOf(context.caller), context.query), load),
  });

  const create = route({
    method: 'POST',
    path: '/orders',
    countsAsCreated: true,
    tag: 'Orders',
    summary: 'Place an order',
    access: signedIn,
    scope: 'orders:write',
    isIdempotent: true,
    ownerOf: (db, id) => load(db, id)?.ownerId,
    body: NewOrder,
    reply: created(Order, ({ id }) => `/orders/${id}`, {
      links: { get: 'GET /orders/{id}', update: 'PATCH /orders/{id}' },
    }),
    problems: ['forbidden'],
    validateReferences({ customerId, userId }, { caller, db }) {
      const customer = fits(id, customerId) ? loadCustomer(db.read, customerId) : undefined;
      const isOwn = customer !== undefined && allows(rowAccessOf(caller), customer.ownerId);
      const issues: Issue[] = [];
      if (fits(id, customerId) && !isOwn) issues.push(unknownCustomer(customerId));
      if (fits(id, userId) && isStaff(caller)) issues.push(...userIssues(db.read, userId));
      return issues;
    },
    handle({ body, db, now, authorizeWrite }) {
      const core = coreOf(body);
      return db.write((writer) => {
        const { caller } = authorizeWrite(writer);
        const userId = body.userId ?? caller.userId;
        if (userId !== caller.userId && !isStaff(caller))
          throw forbidden('Only staff may place an order for another user.');
        const issues: Issue[] = [];
        if (!customerExists(writer, rowAccessOf(caller), body.customerId))
          issues.push(unknownCustomer(body.customerId));
        if (userId !== caller.userId) issues.push(...userIssues(writer, userId));
        throwIfInvalid(issues);
        return addOrder(writer, core, body.customerId, userId, now);
      });
    },
  });

  const read = route({
    method: 'GET',
    path: '/orders/{id}',
    tag: 'Orders',
    summary: 'Read an order',
    access: signedIn,
    scope: 'orders:read',
    reply: ok(Order),
    isConditional: true,
    problems: ['forbidden'],
    handle: ({ params, caller, db }) =>
      requireVisible(rowAccessOf(caller), load(db.read, params.id), 'order', params.id),
  });

  const update = route({
    method: 'PATCH',
    path: '/orders/{id}',
    tag: 'Orders',
    summary: 'Change an order or its status',
    access: signedIn,
    scope: 'orders:write',
    isIdempotent: true,
    ownerOf: (db, id) => load(db, id)?.ownerId,
    isConditional: true,
    body: OrderPatch,
    reply: ok(Order),
    problems: ['invalid-transition', 'order-not-open', 'forbidden'],
    handle: ({ params, body, db, now, precondition, authorizeWrite }) =>
      db.write((writer) => {
        const { caller } = authorizeWrite(writer);
        const before = owned(writer, params.id, caller);
        const current = parseRepresentation(before);
        const wanted = changedCore(current, body);
        precondition(before.etag);
        checkStep(current, wanted.status, caller);
        checkOpen(current, wanted);
        if (JSON.stringify({ ...current, ...wanted }) === JSON.stringify(current)) return before;
        replaceOrder(writer, params.id, wanted, now);
        return owned(writer, params.id, caller);
      }),
  });

  const ofCustomer = route({
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
      const { params, caller, db, query } = context;
      requireVisible(rowAccessOf(caller), loadCustomer(db.read, params.id), 'customer', params.id);
      return listPage(
        context,
        cursors,
        orderListing(rowAccessOf(caller), query, { customerId: params.id }),
        load,
      );
    },
  });

  return [list, create, read, update, ofCustomer];
}

/** Mounted with the users interface. */
export function userOrderRoutes({ cursors, cache }: OrderServices): Route[] {
  const load = cached(cache, findOrder);

  const list = route({
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
      return listPage(context, cursors, orderListing({ userId: params.id }, query), load);
    },
  });

  const read = route({
    method: 'GET',
    path: '/api/users/{id}/orders/{order_id}',
    tag: 'Orders',
    summary: 'Read an order of a user',
    access: selfOrStaff,
    scope: 'orders:read',
    reply: ok(Order),
    isConditional: true,
    handle({ params, db }) {
      const found = load(db.read, params.order_id);
      if (found === undefined || found.ownerId !== params.id)
        throw notFound(`order of user ${params.id} with the id`, params.order_id);
      return found;
    },
  });

  return [list, read];
}

function unknownCustomer(id: number): Issue {
  return {
    pointer: '/customerId',
    code: 'unknown',
    detail: `Customer ${id} does not exist or is not yours.`,
  };
}

/** What the order becomes. Throws what speaks against the data of it. */
function changedCore(current: Order, patch: object): OrderCore {
  const { total: _computed, ...kept } = current;
  const merged = mergePatch(kept, patch) as OrderReplacement; // checked next
  throwIfInvalid([
    ...check(OrderReplacement, merged),
    ...readOnlyIssues(current, merged, ['id', 'customerId', 'userId', 'createdAt', 'updatedAt']),
  ]);
  return coreOf(merged);
}

function owned(db: Connection, id: number, caller: Caller): Representation<Order> {
  return requireVisible(rowAccessOf(caller), findOrder(db, 'everyone', id), 'order', id);
}
