// Which events of the feed a caller may see.
import { isAdmin, isStaff, type Caller } from '../auth/access.ts';
import type { FeedAccess } from '../resources/events/event-store.ts';

/**
 * Users see events of their own objects, staff those of all orders and customers, administrators all. That a
 * user was deleted changes the owner of their orders and customers, which have no events of that: they may be
 * a million.
 */
export function feedAccessOf(caller: Caller): FeedAccess {
  if (isAdmin(caller)) return 'all';
  const { userId } = caller;
  if (isStaff(caller)) return { userId, topics: ['order', 'customer'], types: ['user.deleted'] };
  return { userId, topics: [], types: [] };
}
