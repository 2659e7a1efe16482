// The events of the feed that a caller may see.
import { isAdmin, isStaff, type Caller } from '../../auth/access.ts';
import { topicsForAdmins } from '../events/event.ts';
import type { FeedAccess } from '../events/feed-store.ts';

/**
 * Users see the events of their own objects, staff see the events of the shop's objects, and administrators
 * see all events. Staff also see that a user was deleted: the orders and customers of the user lose their
 * owner, without events, since there may be a million of them.
 */
export function feedAccessOf(caller: Caller): FeedAccess {
  if (isAdmin(caller)) return 'all';
  const { userId } = caller;
  if (isStaff(caller)) return { userId, allBut: topicsForAdmins, types: ['user.deleted'] };
  return { userId, allBut: null, types: [] };
}
