// The histories of users, customers and orders over HTTP. A declared resource has its own among its routes.
import { selfOrAdmin, signedIn } from '../../auth/access.ts';
import type { Lists } from '../../http/lists/list.ts';
import type { RouteGroup } from '../../http/routing/router.ts';
import { customerSource } from '../customers/customer-store.ts';
import { historyRoute } from '../events/history-route.ts';
import { orderSource } from '../orders/order-store.ts';
import { userSource } from '../users/user-store.ts';

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
