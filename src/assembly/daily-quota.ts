// Limits what a user may add to the database in a day: objects, changes, each of which leaves an event, and the
// responses stored with either.
import { isStaff } from '../auth/access.ts';
import type { Route } from '../http/route.ts';
import type { Limiter } from '../rates/limiter.ts';

/**
 * Returns the route with a handler that consumes a token if the route creates or changes an object. Keys share
 * the bucket of their user; those who sign up have one for each address. A request whose content is invalid
 * and one that is answered by a stored response don't get this far. Staff aren't limited.
 */
export function withDailyQuota(route: Route, quota: Limiter): Route {
  const isCounted = route.countsAsCreated ?? ['PUT', 'PATCH', 'DELETE'].includes(route.method);
  if (!isCounted || route.endsAccess === true) return route;
  return {
    ...route,
    handle(context) {
      const { caller } = context;
      if (caller === undefined) context.consumeToken(quota, context.addressBucket);
      else if (!isStaff(caller)) context.consumeToken(quota, caller.client);
      return route.handle(context);
    },
  };
}
