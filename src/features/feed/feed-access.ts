// The events of the feed that a caller may see.
import { isAdmin, isStaff, type Caller } from '../../auth/access.ts';
import { topicsForStaff } from '../events/event.ts';
import type { FeedAccess } from '../events/feed-store.ts';

/**
 * Users see the events of their own objects, staff those of the shop's objects, administrators all.
 * Staff also see that a user was deleted: orders and customers of that user lose their owner, and since they
 * may be a million, they have no events of their own.
 */
export function feedAccessOf(caller: Caller): FeedAccess {
  if (isAdmin(caller)) return 'all';
  const { userId } = caller;
  if (isStaff(caller)) return { userId, topics: topicsForStaff, types: ['user.deleted'] };
  return { userId, topics: [], types: [] };
}
