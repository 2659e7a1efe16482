// The lists of orders over HTTP: all orders that the caller may see, the orders of a customer, and the orders
// of a user.
import { isDeepStrictEqual } from 'node:util';
import { hasScope, rowAccessOf, selfOrStaff, signedIn, type Caller } from '../../auth/access.ts';
import { exportDescription } from '../../http/lists/export.ts';
import { listParameters, pageOrFileIssues, type List, type Lists } from '../../http/lists/list.ts';
import type { Lookup } from '../../http/responses/representation-cache.ts';
import { exportable, revalidated } from '../../http/routing/reply.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { notFound } from '../../problem.ts';
import { userExists } from '../../resource/owner-store.ts';
import type { ObjectOf } from '../../schema/schema.ts';
import type { DatabaseReads } from '../../storage/database.ts';
import type { Selection } from '../../storage/keyset.ts';
import { requireVisible } from '../../storage/object-access.ts';
import { customerResource } from '../customers/customers.ts';
import type { CurrentShop } from '../shop/shop-store.ts';
import { checkIncludes, includedCustomers, orderIncludes } from './included-customer-representation.ts';
import { orderTable } from './order-csv.ts';
import { countOrders, orderFilters, orderList, orderQuery, orderSearch } from './order-list-store.ts';
import { Order } from './order-members.ts';
import { OrderCounts } from './order-status.ts';
import { orderSource } from './order-store.ts';

const orderFile = { name: 'orders', table: orderTable, source: orderSource };

const pageParameters = { ...orderIncludes, ...listParameters };

function listWith(
  elements: Lookup<Order>,
  query: ObjectOf<typeof orderIncludes>,
  selectionFor: (caller: Caller) => Selection,
): List<Order, Caller> {
  return {
    selectionFor(caller) {
      checkIncludes(query, caller);
      return selectionFor(caller);
    },
    elements,
    includedFor: (page) => includedCustomers(query, page),
  };
}

export function listOrdersRoute(
  lists: Lists,
  orders: Lookup<Order>,
  { hasProducts, shop }: { readonly hasProducts: boolean; readonly shop: Pick<CurrentShop, 'country'> },
): Route {
  return route({
    method: 'GET',
    path: '/orders',
    tag: 'Orders',
    summary: 'List orders',
    access: signedIn,
    scope: 'orders:read',
    query: { ...orderQuery, ...pageParameters },
    reply: { kind: 'list', schema: Order, mediaTypes: exportable },
    description: `Lists one’s own; staff see all. Newest first by default.\n\n${exportDescription}`,
    problems: ['unavailable'],
    queryIssues: pageOrFileIssues,
    handle(call) {
      const { q, ...query } = call.query;
      const selectionFor = (caller: Caller): Selection => {
        const access = rowAccessOf(caller);
        if (q === undefined) return orderList.selection(access, query);
        const mayReadCustomers = hasScope(caller, 'customers:read');
        const mayReadProducts = hasProducts && hasScope(caller, 'products:read');
        return orderSearch(access, { query, q, mayReadCustomers, mayReadProducts, country: shop.country });
      };
      return lists.pageOrFile(call, { ...listWith(orders, query, selectionFor), file: orderFile });
    },
  });
}

export function countOrdersRoute(): Route {
  return route({
    method: 'GET',
    path: '/orders/counts',
    operationId: 'getOrderCounts',
    tag: 'Orders',
    summary: 'Count orders by status',
    access: signedIn,
    scope: 'orders:read',
    query: orderFilters,
    reply: { kind: 'document', schema: OrderCounts, cacheControl: revalidated },
    description: 'Counts one’s own, and for staff all, of those that a list with these filters would have.',
    problems: ['unavailable'],
    handle: async (call) => ({ kind: 'document', content: await countsFor(call, call.caller) }),
  });
}

type CountsCall = DatabaseReads &
  Pick<Call<object, ObjectOf<typeof orderFilters>, unknown, Caller>, 'query' | 'recheckCaller'>;

/** The caller's rights after the wait count. */
async function countsFor(call: CountsCall, caller: Caller): Promise<OrderCounts> {
  const access = rowAccessOf(caller);
  const counts = await countOrders(call, access, call.query);
  const currentCaller = call.recheckCaller();
  return isDeepStrictEqual(rowAccessOf(currentCaller), access) ? counts : countsFor(call, currentCaller);
}

const ordersOfOne = {
  method: 'GET',
  tag: 'Orders',
  scope: 'orders:read',
  query: { ...orderList.query, ...pageParameters },
  reply: { kind: 'list', schema: Order },
} as const;

export function listOrdersOfCustomerRoute(lists: Lists, orders: Lookup<Order>): Route {
  return route({
    ...ordersOfOne,
    path: '/customers/{id}/orders',
    summary: 'List a customer’s orders',
    access: signedIn,
    problems: ['not-found', 'forbidden'],
    handle(call) {
      const { params, read, query } = call;
      const selectionFor = (caller: Caller) => {
        const customer = requireVisible(customerResource.source, { read, caller }, params.id);
        return orderList.selection(rowAccessOf(caller), query, { customerId: customer.id });
      };
      return lists.page(call, listWith(orders, query, selectionFor));
    },
  });
}

export function listOrdersOfUserRoute(lists: Lists, orders: Lookup<Order>): Route {
  return route({
    ...ordersOfOne,
    path: '/api/users/{id}/orders',
    summary: 'List a user’s orders',
    access: selfOrStaff,
    problems: ['not-found'],
    handle(call) {
      const { params, read, query } = call;
      if (!userExists(read, params.id)) throw notFound('user', params.id);
      const selectionFor = () => orderList.selection({ userId: params.id }, query);
      return lists.page(call, listWith(orders, query, selectionFor));
    },
  });
}
