// Limits the objects and the changes that a user may add to the database in a day; each change is an event.
import { isStaff } from '../auth/access.ts';
import type { HandlerResult } from '../http/handler-result.ts';
import type { Route } from '../http/route.ts';
import { refundIfFailed, type Limiter } from '../rates/limiter.ts';

type Handle = Route['handle'];
type Quotas = { readonly created: Limiter; readonly changed: Limiter };

/** Returns the route with a handler that consumes a token for each object that it creates or changes. */
export function withDailyQuota(route: Route, { created, changed }: Quotas): Route {
  const { handle } = route;
  if (route.countsAsCreated === true) return { ...route, handle: withinQuota(created, 'each', handle) };
  if (route.endsAccess === true || !['PUT', 'PATCH', 'DELETE'].includes(route.method)) return route;
  const handleChange = withinQuota(changed, 'changes', handle);
  // a stored response takes as much room as an object
  const handleStored = withinQuota(created, 'each', handleChange);
  return {
    ...route,
    handle: (context) =>
      context.idempotencyKey === undefined ? handleChange(context) : handleStored(context),
  };
}

/**
 * Consumes a token from the bucket of the user, which their keys share. The token is refunded if
 * the request is rejected, or if only changes count and there was none; replayed responses don't consume any.
 * Staff aren't limited, and neither are callers who aren't signed in, since rates of addresses apply to them.
 */
function withinQuota(limiter: Limiter, counts: 'each' | 'changes', handle: Handle): Handle {
  return async (context): Promise<HandlerResult> => {
    const { caller } = context;
    if (caller === undefined || isStaff(caller)) return handle(context);
    const refund = context.consumeToken(limiter, caller.client);
    const result = await refundIfFailed(refund, async () => handle(context));
    const hasNoEffect = result.kind === 'change' && result.effect === 'none';
    if (hasNoEffect && counts === 'changes') refund();
    return result;
  };
}
