// The routes of all features in one router, with the daily quota of what users create and change.
import { isStaff } from '../auth/access.ts';
import type { Route } from '../http/routing/route.ts';
import type { RouteGroup, Router } from '../http/routing/router.ts';
import type { Limiter } from '../rates/limiter.ts';

export function mountRoutes(router: Router, groups: readonly RouteGroup[], quota: Limiter): void {
  for (const { routes, invalidStatus } of groups)
    router.mount({ routes: routes.map((route) => withDailyQuota(route, quota)), invalidStatus });
}

/**
 * If the route creates or changes objects, returns it with a handler that first consumes a token of the daily
 * quota. The keys of a user share the user's bucket; for sign-ups, each network has a bucket. Invalid
 * requests, and requests answered by a stored response, consume no token. Staff aren't limited.
 */
function withDailyQuota(route: Route, quota: Limiter): Route {
  const isCounted = route.countsAsCreated ?? ['PUT', 'PATCH', 'DELETE'].includes(route.method);
  if (!isCounted || route.endsAccess === true) return route;
  return {
    ...route,
    handle(call) {
      const { caller } = call;
      if (caller === undefined) call.consumeToken(quota, call.network);
      else if (!isStaff(caller)) call.consumeToken(quota, caller.client);
      return route.handle(call);
    },
  };
}
