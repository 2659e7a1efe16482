// Sales over HTTP: /sales and /sales/items.
import { staffOnly } from '../../auth/access.ts';
import { revalidated } from '../../http/routing/reply.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { findSales } from './sales-store.ts';
import { Sales, salesIssues, salesQuery, salesRequestOf, timesIssues, timesOf, timesQuery } from './sales.ts';
import { findSoldItems, SoldItems } from './sold-items-store.ts';

/** `shopTimeZone` returns null if the shop has none. */
export function salesRoute(shopTimeZone: () => string | null): Route {
  return route({
    method: 'GET',
    path: '/sales',
    tag: 'Orders',
    summary: 'Sales by hour, day, week, month or year',
    access: staffOnly,
    scope: 'orders:read',
    query: salesQuery,
    reply: { kind: 'document', schema: Sales, cacheControl: revalidated },
    description:
      'How many orders were placed in each bucket of time, by currency and present status, and their ' +
      'totals; or, with `of=received`, the money that was paid and given back in it. The first and the last ' +
      'bucket may be shorter: they begin at `from` and end at `before`.',
    queryIssues: (query, { now }) => salesIssues(query, { now, shopTimeZone: shopTimeZone() }),
    async handle(call) {
      const { query, now } = call;
      const request = salesRequestOf(query, { now, shopTimeZone: shopTimeZone() });
      const content = await findSales(call, request);
      call.recheckCaller();
      return { kind: 'document', content };
    },
  });
}

export function soldItemsRoute(): Route {
  return route({
    method: 'GET',
    path: '/sales/items',
    operationId: 'getSoldItems',
    tag: 'Orders',
    summary: 'What sold best',
    access: staffOnly,
    scope: 'orders:read',
    query: timesQuery,
    reply: { kind: 'document', schema: SoldItems, cacheControl: revalidated },
    description:
      'The items of the orders that were placed in a time, those with the highest sums first. Cancelled and ' +
      'refunded orders don’t count. Items with the same SKU are one, and so are those without a SKU that have ' +
      'the same name.',
    queryIssues: (query, { now }) => timesIssues(timesOf(query, now)),
    async handle(call) {
      const content = await findSoldItems(call, timesOf(call.query, call.now));
      call.recheckCaller();
      return { kind: 'document', content };
    },
  });
}
