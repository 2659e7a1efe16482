// Which events of the feed a caller may see.
import { isAdmin, isStaff, type Caller } from '../auth/access.ts';
import type { FeedAccess } from '../resources/events/event-store.ts';

/** Their own, for staff those of all orders and customers, for administrators all. */
export function feedAccessOf(caller: Caller): FeedAccess {
  if (isAdmin(caller)) return 'everything';
  return { userId: caller.userId, topics: isStaff(caller) ? ['order', 'customer'] : [] };
}
