// Events with the names of the accounts behind them: the history of an object, and the latest events of all.
import { query } from './api-client.ts';
import { type EventType, eventTypes, type List, type ServiceEvent, type User } from './api-types.ts';
import { t } from './texts.ts';
import type { Page } from './view.ts';

/** `by` is undefined without an actor, as for the service itself. */
export type NamedEvent = ServiceEvent & { readonly by: string | undefined };

type Reader = Pick<Page, 'client' | 'user' | 'signal'>;

const latestShown = 20;
const historyShown = 50;
const newsTypes = eventTypes.filter((type) => isNews({ type }));

/** Sign-ins are no news of the shop. */
export function isNews({ type }: Pick<ServiceEvent, 'type'>): boolean {
  return !type.startsWith('session.');
}

/** Reads the newest events of the object at the path. */
export async function readHistory(
  { client, user, signal }: Reader,
  path: string,
): Promise<readonly NamedEvent[]> {
  const parameters = query({ limit: historyShown, include: 'actorName' });
  const { data } = await client.get<List<ServiceEvent>>(`${path}/events?${parameters}`, signal);
  return data.map((event) => withName(event, user));
}

/** Reads the latest events of these types, those of news unless others are given; the newest first. */
export async function readLatest(
  { client, user, signal }: Reader,
  types: readonly EventType[] = newsTypes,
): Promise<readonly NamedEvent[]> {
  const filter = { sort: '-id', type: types.join(','), limit: latestShown, include: 'actorName' };
  const { data } = await client.get<List<ServiceEvent>>(`/events?${query(filter)}`, signal);
  return data.map((event) => withName(event, user));
}

function withName(event: ServiceEvent, user: User): NamedEvent {
  return { ...event, by: actorOf(event, user) };
}

function actorOf({ actor, actorName }: ServiceEvent, user: User): string | undefined {
  if (actor === null) return undefined;
  if (actor.userId === user.id) return t('you');
  if (user.role === 'user') return t('somebody else');
  return actorName ?? t('a deleted account');
}
