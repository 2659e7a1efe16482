// How many objects a user may create in a day: users, customers, orders and API keys.
import { isStaff } from '../auth/access.ts';
import type { Limiter } from './rate-limit.ts';
import type { Route } from './route.ts';

/**
 * The route, with each object that it creates drawn from its user's bucket, which the user's keys share. A
 * rejected request puts it back; a replayed response never gets here. Staff aren't limited, nor are callers
 * who aren't signed in: for those there are the rates of addresses.
 */
export function withCreatedQuota(route: Route, limiter: Limiter): Route {
  if (route.countsAsCreated !== true) return route;
  return {
    ...route,
    async handle(context) {
      const { caller } = context;
      if (caller === undefined || isStaff(caller)) return route.handle(context);
      const putBack = context.spend(limiter, `user:${caller.userId}`);
      try {
        return await route.handle(context);
      } catch (error) {
        putBack();
        throw error;
      }
    },
  };
}
