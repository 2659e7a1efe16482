// The representation of an event.
import { represent, type Representation } from '../../http/responses/representation.ts';
import type { Event } from './event.ts';

export function representEvent(event: Event): Representation<Event> {
  return represent(event, { id: event.id, ownerId: null });
}
