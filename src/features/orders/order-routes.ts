// Orders over HTTP: /orders, and the orders of a customer or a user.
import { isStaff, selfOrStaff, signedIn, type Caller } from '../../auth/access.ts';
import type { Lists } from '../../http/lists/list.ts';
import {
  representationsOf,
  type RepresentationCache,
  type Representations,
} from '../../http/responses/representation-cache.ts';
import { representRow } from '../../http/responses/representation.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { forbidden, Problem, throwIfInvalid } from '../../problem.ts';
import { customerIssues, userIssues } from '../../resource/owner-store.ts';
import type { Issue } from '../../schema/schema.ts';
import { changesNothing, requireOwned, requireVisible } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import type { CurrentShop } from '../shop/shop-store.ts';
import { orderIncludes, withIncludedCustomer } from './included-customer-representation.ts';
import { checkMayRecordPayment, checkFixedMembers, mergeOrder } from './order-changes.ts';
import {
  countOrdersRoute,
  listOrdersRoute,
  listOrdersOfCustomerRoute,
  listOrdersOfUserRoute,
} from './order-list-routes.ts';
import { NewOrder, Order, OrderPatch, orderContentOf } from './order-members.ts';
import { checkTransition, stepsWhenPlacedAs } from './order-status.ts';
import { addOrder, orderSource, replaceOrder } from './order-store.ts';

type OrderServices = {
  readonly lists: Lists;
  readonly caches: { readonly orders: RepresentationCache<Order> };
  /** Whether the service has the feature of this name. */
  readonly has: (name: string) => boolean;
  readonly shop: Pick<CurrentShop, 'country'>;
};

/** Returns the routes under /orders and /customers, and those under /api/users. */
export function orderRoutes({ lists, caches, has, shop }: OrderServices) {
  const orders = representationsOf(orderSource, representRow, caches.orders);
  const routes = [
    listOrdersRoute(lists, orders, { hasProducts: has('products'), shop }),
    countOrdersRoute(),
    placeOrderRoute(orders),
    readOrderRoute(orders),
    patchOrderRoute(orders),
    listOrdersOfCustomerRoute(lists, orders),
  ];
  const userRoutes = [listOrdersOfUserRoute(lists, orders), readOrderOfUserRoute(orders)];
  return { routes, userRoutes };
}

function placeOrderRoute(orders: Representations<Order>): Route {
  return route({
    method: 'POST',
    path: '/orders',
    countsAsChange: true,
    tag: 'Orders',
    summary: 'Place an order',
    access: signedIn,
    scope: 'orders:write',
    acceptsIdempotencyKey: true,
    findOwnerId: (db, id) => orders.find(db, id)?.ownerId,
    body: NewOrder,
    reply: { kind: 'object', schema: Order, location: ({ id }) => `/orders/${id}` },
    problems: ['forbidden'],
    handle(call) {
      const { body } = call;
      const content = orderContentOf(body);
      return call.write((permit) => {
        const { caller, origin } = permit;
        const userId = body.userId ?? caller.userId;
        if (userId !== caller.userId && !isStaff(caller))
          throw forbidden('Only staff may place an order for another user.');
        checkMayRecordPayment(content, caller);
        throwIfInvalid(referenceIssues(body, permit));
        const order = { ...content, customerId: body.customerId, userId };
        const { now } = origin;
        const steps = stepsWhenPlacedAs(content.status).map((status) => ({ status, at: now }));
        return representRow(addOrder(permit, order, { createdAt: now, updatedAt: now, steps }));
      });
    },
  });
}

/** Returns the issues of a new order's references. */
function referenceIssues(order: NewOrder, permit: Permit<Caller>): Issue[] {
  const { userId } = order;
  const issues = customerIssues(permit, order.customerId);
  if (userId !== undefined && userId !== permit.caller.userId)
    issues.push(...userIssues(permit.writer, userId));
  return issues;
}

function readOrderRoute(orders: Representations<Order>): Route {
  return route({
    method: 'GET',
    path: '/orders/{id}',
    tag: 'Orders',
    summary: 'Read an order',
    access: signedIn,
    scope: 'orders:read',
    query: orderIncludes,
    reply: { kind: 'object', schema: Order },
    problems: ['forbidden'],
    handle: (call) => withIncludedCustomer(requireVisible(orders, call, call.params.id), call),
  });
}

function patchOrderRoute(orders: Representations<Order>): Route {
  return route({
    method: 'PATCH',
    path: '/orders/{id}',
    tag: 'Orders',
    summary: 'Change an order, cancel or refund it',
    access: signedIn,
    scope: 'orders:write',
    acceptsIdempotencyKey: true,
    findOwnerId: (db, id) => orders.find(db, id)?.ownerId,
    body: OrderPatch,
    reply: { kind: 'object', schema: Order },
    problems: ['invalid-transition', 'order-not-open', 'forbidden'],
    handle: (call) =>
      call.write((permit) => {
        const order = requireOwned(orderSource, permit, call.params.id);
        call.checkPrecondition(() => representRow(order).etag);
        const wanted = mergeOrder(order, call.body, permit.caller);
        checkTransition(order, wanted.status, permit.caller);
        if (wanted.payment !== order.payment) checkMayRecordPayment(wanted, permit.caller);
        checkFixedMembers(order, wanted);
        if (wanted.customerId !== order.customerId) throwIfInvalid(customerIssues(permit, wanted.customerId));
        if (changesNothing(order, wanted)) return representRow(order);
        return representRow(
          replaceOrder(permit, order, { ...wanted, reason: call.body.reason ?? undefined }),
        );
      }),
  });
}

function readOrderOfUserRoute(orders: Representations<Order>): Route {
  return route({
    method: 'GET',
    path: '/api/users/{id}/orders/{order_id}',
    tag: 'Orders',
    summary: 'Read an order of a user',
    access: selfOrStaff,
    scope: 'orders:read',
    query: orderIncludes,
    reply: { kind: 'object', schema: Order },
    handle(call) {
      const { params, read } = call;
      // not `requireVisible`: the caller may see all orders of this user, and under this path no others exist
      const order = orders.find(read, params.order_id);
      if (order === undefined || order.ownerId !== params.id)
        throw new Problem('not-found', `User ${params.id} has no order ${params.order_id}.`);
      return withIncludedCustomer(order, call);
    },
  });
}
