// The lists of orders over HTTP: all that the caller may see, those of a customer, those of a user.
import { hasScope, rowAccessOf, readerKeyOf, selfOrStaff, signedIn, type Caller } from '../../auth/access.ts';
import type { Cursors } from '../../http/cursor.ts';
import {
  exportDescription,
  exportIssues,
  isExport,
  listElements,
  type HandlerExports,
} from '../../http/export.ts';
import { listPage, listParameters, type PageSource } from '../../http/list.ts';
import type { PageCache } from '../../http/page-cache.ts';
import type { Representation } from '../../http/representation.ts';
import { listOf, listOrExportOf } from '../../http/reply.ts';
import { route, type Route } from '../../http/route.ts';
import { notFound } from '../../problem.ts';
import type { ObjectOf } from '../../schema/schema.ts';
import type { Selection } from '../../storage/keyset.ts';
import type { Customer } from '../customers/customer.ts';
import { searchIssues } from '../flows/searching.ts';
import { requireVisible, type ObjectSource } from '../flows/object-access.ts';
import { userExists } from '../users/user-store.ts';
import { checkIncludes, customerEmbedderFor } from './included-customer-representation.ts';
import { orderIncludes } from './included-customer.ts';
import { orderTable } from './order-csv.ts';
import { findRepresentation, findRepresentations } from './order-representation.ts';
import { orderSearch, orderSelection } from './order-list-store.ts';
import { Order, orderListParameters, orderQuery } from './order.ts';

/** Reads rows that are on disk, through the caches. */
export type OrderReads = {
  readonly cursors: Cursors;
  readonly orders: ObjectSource<Representation<Order>>;
  /** Returns the orders in the order of the ids. */
  readonly findAll: NonNullable<PageSource<Order, Caller>['findAll']>;
  readonly customers: ObjectSource<Representation<Customer>>;
  readonly pages: PageCache;
};

const orderFile = { name: 'orders', table: orderTable };

const orderPageParameters = { ...orderListParameters, ...orderIncludes, ...listParameters };

type OrderListOptions = Pick<OrderReads, 'cursors' | 'orders' | 'findAll' | 'pages'> & {
  readonly selectionFor: (caller: Caller) => Selection;
};

function orderList(
  query: ObjectOf<typeof orderIncludes>,
  { cursors, orders, findAll, pages, selectionFor }: OrderListOptions,
): PageSource<Order, Caller> {
  return {
    cursors,
    selectionFor,
    find: orders.find,
    findAll,
    embedderFor: (page) => customerEmbedderFor(query, page),
    cache: { pages, readerKeyOf },
  };
}

export function listOrdersRoute(reads: OrderReads, exports: HandlerExports): Route {
  return route({
    method: 'GET',
    path: '/orders',
    tag: 'Orders',
    summary: 'List orders',
    access: signedIn,
    scope: 'orders:read',
    query: { ...orderQuery, ...orderPageParameters },
    reply: listOrExportOf(Order),
    description: `Lists one’s own; staff see all. Newest first by default.\n\n${exportDescription}`,
    problems: ['unavailable'],
    queryIssues: (query, { mediaType }) => [
      ...searchIssues(query),
      ...exportIssues(query, { mediaType, acceptsCursor: false }),
    ],
    handle(call) {
      const { query, caller } = call;
      const selectionFor = (reader: Caller) => orderSelection(rowAccessOf(reader), query);
      if (isExport(call)) {
        checkIncludes(query, caller); // once the file has begun, it could only be cut
        // bypasses the cache, which would fill with orders that nobody else reads
        const find = { find: findRepresentation, findAll: findRepresentations };
        const embedderFor: PageSource<Order, Caller>['embedderFor'] = (page) =>
          customerEmbedderFor(query, page);
        const elements = listElements(call, { selectionFor, ...find, embedderFor }, caller);
        return exports.createResult(call, orderFile, elements);
      }
      const { q } = query;
      if (q === undefined) return listPage(call, orderList(query, { ...reads, selectionFor }));
      const searchFor = (reader: Caller) => {
        const hasCustomers = hasScope(reader, 'customers:read');
        return orderSearch(rowAccessOf(reader), { query, q, hasCustomers });
      };
      return listPage(call, orderList(query, { ...reads, selectionFor: searchFor }));
    },
  });
}

export function listOrdersOfCustomerRoute(reads: OrderReads): Route {
  return route({
    method: 'GET',
    path: '/customers/{id}/orders',
    tag: 'Orders',
    summary: 'List a customer’s orders',
    access: signedIn,
    scope: 'orders:read',
    query: orderPageParameters,
    reply: listOf(Order),
    problems: ['not-found', 'forbidden'],
    handle(call) {
      const { params, read, query } = call;
      const selectionFor = (caller: Caller) => {
        const customer = requireVisible(reads.customers, { read, caller }, params.id);
        return orderSelection(rowAccessOf(caller), query, { customerId: customer.id });
      };
      return listPage(call, orderList(query, { ...reads, selectionFor }));
    },
  });
}

export function listOrdersOfUserRoute(reads: OrderReads): Route {
  return route({
    method: 'GET',
    path: '/api/users/{id}/orders',
    tag: 'Orders',
    summary: 'List a user’s orders',
    access: selfOrStaff,
    scope: 'orders:read',
    query: orderPageParameters,
    reply: listOf(Order),
    problems: ['not-found'],
    handle(call) {
      const { params, read, query } = call;
      if (!userExists(read, params.id)) throw notFound('user', params.id);
      const selectionFor = () => orderSelection({ userId: params.id }, query);
      return listPage(call, orderList(query, { ...reads, selectionFor }));
    },
  });
}
