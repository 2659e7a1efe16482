// How many objects a user may create in a day: users, customers, orders, API keys and stored responses.
import { isStaff } from '../auth/access.ts';
import type { Limiter } from '../http/rate-limit.ts';
import type { Representation } from '../http/representation.ts';
import type { Route } from '../http/route.ts';

type AnyContext = Parameters<Route['handle']>[0];

/** The route, with each object that it creates drawn from its user's bucket. */
export function withCreatedQuota(route: Route, limiter: Limiter): Route {
  if (route.countsAsCreated !== true) return route;
  return { ...route, handle: (context) => handleWithinQuota(route, context, limiter) };
}

/**
 * Draws one object from the bucket of the user, which their keys share. A rejected request and one that
 * changes nothing put it back; a replayed response never gets here. Staff aren't limited, nor are callers who
 * aren't signed in: for those there are the rates of addresses.
 */
export async function handleWithinQuota(
  route: Route,
  context: AnyContext,
  limiter: Limiter,
): Promise<Representation<unknown>> {
  const { caller } = context;
  if (caller === undefined || isStaff(caller)) return route.handle(context);
  const putBack = context.spend(limiter, `user:${caller.userId}`);
  try {
    const representation = await route.handle(context);
    if (representation.isUnchanged === true) putBack();
    return representation;
  } catch (error) {
    putBack();
    throw error;
  }
}
