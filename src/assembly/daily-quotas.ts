// How much a user may add to the database in a day: objects that they create, and changes, each an event.
import { isStaff } from '../auth/access.ts';
import type { Limiter } from '../http/rate-limit.ts';
import type { Representation } from '../http/representation.ts';
import type { Route } from '../http/route.ts';

type AnyContext = Parameters<Route['handle']>[0];
type Quotas = { readonly created: Limiter; readonly changed: Limiter };

/** The same route, with a token of its user's bucket consumed for each object that it creates or changes. */
export function withDailyQuota(route: Route, { created, changed }: Quotas): Route {
  if (route.countsAsCreated === true) return withQuota(route, created);
  return ['PUT', 'PATCH', 'DELETE'].includes(route.method) ? withQuota(route, changed) : route;
}

function withQuota(route: Route, limiter: Limiter): Route {
  const changes: Quota = { limiter, counts: 'changes' };
  return { ...route, handle: (context) => handleWithinQuota(route, context, changes) };
}

/** What counts: each change, or each response that isn't a rejection, since it is stored. */
type Quota = { readonly limiter: Limiter; readonly counts: 'changes' | 'responses' };

/**
 * Consumes a token from the bucket of the user, which their keys share. It is refunded if the request is
 * rejected, or nothing happens that counts; a replayed response never gets here. Staff aren't limited, and
 * neither are callers who aren't signed in: rates of addresses apply to those.
 */
export async function handleWithinQuota(
  route: Route,
  context: AnyContext,
  { limiter, counts }: Quota,
): Promise<Representation<unknown>> {
  const { caller } = context;
  if (caller === undefined || isStaff(caller)) return route.handle(context);
  const refund = context.drawOnRate(limiter, `user:${caller.userId}`);
  try {
    const representation = await route.handle(context);
    if (representation.isUnchanged === true && counts === 'changes') refund();
    return representation;
  } catch (error) {
    refund();
    throw error;
  }
}
