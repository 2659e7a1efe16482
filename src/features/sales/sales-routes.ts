// Sales over HTTP: /sales.
import { staffOnly } from '../../auth/access.ts';
import { revalidated } from '../../http/routing/reply.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { Sales, salesIssues, salesOf, salesQuery, resolveSalesQuery } from './sales.ts';
import { TimeZones } from './sales-buckets.ts';
import { findFigures } from './sales-store.ts';

export function salesRoute(): Route {
  const timeZones = new TimeZones();
  return route({
    method: 'GET',
    path: '/sales',
    tag: 'Orders',
    summary: 'Sales by hour, day, week or month',
    access: staffOnly,
    scope: 'orders:read',
    query: salesQuery(timeZones),
    reply: { kind: 'document', schema: Sales, cacheControl: revalidated },
    description:
      'How many orders were placed in each bucket of time, by currency and present status, and their ' +
      'totals; or, with `of=received`, the money that was paid and given back in it. The first and the last ' +
      'bucket may be shorter: they begin at `from` and end at `before`.',
    queryIssues: (query, { now }) => salesIssues(query, { now, timeZones }),
    async handle(call) {
      const { query, now } = call;
      const request = resolveSalesQuery(query, { now, timeZones });
      const found = await findFigures(call, request);
      call.recheckCaller();
      return { kind: 'document', content: salesOf(request, found) };
    },
  });
}
