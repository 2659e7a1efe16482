// Histories, and the latest events of all: a line for each event, with the name of its actor. An order that was placed as
// paid or delivered has the events of the steps between at the same time: they are one line.
import { query, type QueryParameters } from './api-client.ts';
import { type EventType, eventTypes, type List, type ServiceEvent, type User } from './api-types.ts';
import { type Child, h } from './elements.ts';
import { changeTexts, eventText, hrefOf, mistake, saleText } from './event-words.ts';
import { dateTime, money, shortTime } from './formats.ts';
import { rich, t } from './texts.ts';
import type { Page } from './view.ts';

export type NamedEvent = ServiceEvent & {
  /** Undefined without an actor, as for the service itself. */
  readonly by: string | undefined;
  /** The name of what the event is about, where it is known: of an account that has done something here, too. */
  readonly about: string | undefined;
};

type Reader = Pick<Page, 'client' | 'user' | 'signal'>;

export const latestShown = 20;
const historyShown = 50;
const newsTypes = eventTypes.filter((type) => isNews({ type }));

/** Sign-ins are no news of the shop. */
export function isNews({ type }: Pick<ServiceEvent, 'type'>): boolean {
  return !type.startsWith('session.');
}

/** Reads the newest events of the object at the path. */
export function readHistory(reader: Reader, path: string): Promise<readonly NamedEvent[]> {
  return readNamed(reader, `${path}/events`, { limit: historyShown });
}

/** Reads the latest events of these types, or of all that are news; the newest first. */
export function readLatest(
  reader: Reader,
  types: readonly EventType[] = newsTypes,
): Promise<readonly NamedEvent[]> {
  return readNamed(reader, '/events', { sort: '-id', type: types.join(','), limit: latestShown });
}

async function readNamed(
  { client, user, signal }: Reader,
  path: string,
  parameters: QueryParameters,
): Promise<readonly NamedEvent[]> {
  const named = query({ ...parameters, include: 'actorName' });
  const { data } = await client.get<List<ServiceEvent>>(`${path}?${named}`, signal);
  const names = new Map(data.map(({ actor, actorName }) => [`/api/users/${actor?.userId}`, actorName]));
  return data.map((event) => {
    return { ...event, by: actorOf(event, user), about: names.get(event.subject) ?? undefined };
  });
}

function actorOf({ actor, actorName }: ServiceEvent, user: User): string | undefined {
  if (actor === null) return undefined;
  if (actor.userId === user.id) return t('you');
  if (user.role === 'user') return t('somebody else');
  return actorName ?? t('a deleted account');
}

type EventListOptions = {
  /** The currency of the order whose events they are. */
  readonly currency?: string;
  /** Returns what else is to be known of the event's subject. */
  readonly about?: (event: NamedEvent) => Child;
};

/** Shows a line for each event, the newest first. */
export function eventList(
  events: readonly NamedEvent[],
  { currency, about }: EventListOptions = {},
): HTMLElement {
  let currencyThen = currency;
  const lines = salesOf(events).map((line) => {
    const shown = eventLine(line, currencyThen);
    const subject = about?.(line[0]);
    if (subject !== undefined) shown.append(h('span.about', subject));
    const { currency: change } = line[0].changes;
    if (Array.isArray(change) && currency !== undefined) currencyThen = String(change[0]);
    return shown;
  });
  return h('ol.events', lines);
}

/** An event, and those before it of the request that has placed the order. */
type Line = readonly [event: NamedEvent, ...placed: NamedEvent[]];

function salesOf(events: readonly NamedEvent[]): readonly Line[] {
  const groups: [NamedEvent, ...NamedEvent[]][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    const isSame = last?.[0].subject === event.subject && last[0].requestId === event.requestId;
    if (isSame && event.requestId !== null) last.push(event);
    else groups.push([event]);
  }
  // the first of them may be older than the list; only a new order takes several steps at once
  const isPlaced = (group: Line): boolean => group.filter(({ type }) => type !== 'order.changed').length > 1;
  return groups.flatMap((group): readonly Line[] =>
    isPlaced(group) ? [group] : group.map((each) => [each]),
  );
}

function eventLine(line: Line, currency: string | undefined): HTMLElement {
  const [event, ...placed] = line;
  const { id, actor, by, about, reason, createdAt } = event;
  const href = hrefOf(event);
  const text = placed.length === 0 ? eventText(event.type, event, about) : saleText(event);
  const how = (actor?.keyId ?? null) === null ? 'by {name}, ' : 'by {name}, with an API key, ';
  const values = line.flatMap((each) => changeTexts(each, money, currency));
  return h(
    'li',
    { 'data-key': id },
    h('span.what', href === undefined ? text : h('a', { href }, text)),
    h(
      'span.when',
      by !== undefined && rich(how, { name: h('bdi', by) }),
      h('time', { datetime: createdAt, title: dateTime(createdAt) }, shortTime(createdAt)),
    ),
    values.map((each) => h('span.values', { dir: 'auto' }, each)),
    reason !== null && h('q', { dir: 'auto' }, reason === mistake ? t(mistake) : reason),
  );
}
