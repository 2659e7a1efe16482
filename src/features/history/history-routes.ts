// The histories of users, customers and orders over HTTP. A declared resource has its own among its routes.
import { selfOrAdmin, signedIn } from '../../auth/access.ts';
import type { Lists } from '../../http/lists/list.ts';
import type { RouteGroup } from '../../http/routing/router.ts';
import { customerResource } from '../customers/customers.ts';
import { historyRoute } from '../events/history-route.ts';
import { orderSource } from '../orders/order-store.ts';
import { userSource } from '../users/user-store.ts';

export function historyGroups(lists: Lists): RouteGroup[] {
  const ofUsers = historyRoute({
    path: '/api/users/{id}/events',
    summary: 'List what happened to a user, their sessions and keys',
    topic: 'user',
    access: selfOrAdmin,
    source: userSource,
    lists,
  });
  const ofCustomers = historyRoute({
    path: '/customers/{id}/events',
    summary: 'List what happened to a customer',
    topic: 'customer',
    access: signedIn,
    source: customerResource.source,
    lists,
  });
  const ofOrders = historyRoute({
    path: '/orders/{id}/events',
    summary: 'List what happened to an order',
    topic: 'order',
    access: signedIn,
    source: orderSource,
    lists,
  });
  return [
    { routes: [ofUsers], invalidStatus: 400 },
    { routes: [ofCustomers, ofOrders], invalidStatus: 422 },
  ];
}
