// Which events of the feed a caller may see.
import { isAdmin, isStaff, type Caller } from '../auth/access.ts';
import type { FeedAccess } from '../resources/events/event-store.ts';

/** Users see events of their own objects, staff those of all orders and customers, administrators all. */
export function feedAccessOf(caller: Caller): FeedAccess {
  if (isAdmin(caller)) return 'everything';
  return { userId: caller.userId, topics: isStaff(caller) ? ['order', 'customer'] : [] };
}
