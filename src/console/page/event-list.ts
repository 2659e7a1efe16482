// Histories, and the latest events of all: a line for each event, with the name of its actor. What one request did is one
// line: an order that was placed as paid or delivered, or all that an import created or changed.
import { query, type QueryParameters } from '../service/api-client.ts';
import { type EventType, eventTypes, type List, type ServiceEvent, type User } from '../words/api-types.ts';
import { type Child, h } from '../browser/elements.ts';
import { changeTexts, eventText, hrefOf, mistake, saleText } from '../words/event-words.ts';
import { count, dateTime, money, shortTime } from '../words/formats.ts';
import { rich, t } from '../words/texts.ts';
import type { Page } from './view.ts';

export type NamedEvent = ServiceEvent & {
  /** Undefined without an actor, as for the service itself. */
  readonly by: string | undefined;
  /** The name of the account that the event is about, known if it is also an actor in these events. */
  readonly about: string | undefined;
};

type Reader = Pick<Page, 'client' | 'user' | 'signal'>;

export const latestShown = 20;
/** More than the lines shown, since a line may have many events. */
const eventsRead = 50;
const newsTypes = eventTypes.filter((type) => isNews({ type }));

/** Sign-ins are no news of the shop. */
export function isNews({ type }: Pick<ServiceEvent, 'type'>): boolean {
  return !type.startsWith('session.');
}

/** Reads the newest events of the object at the path. */
export function readHistory(reader: Reader, path: string): Promise<readonly NamedEvent[]> {
  return readNamed(reader, `${path}/events`, { limit: eventsRead });
}

/** Reads the latest events of these types, or of all that are news; the newest first. */
export function readLatest(
  reader: Reader,
  types: readonly EventType[] = newsTypes,
): Promise<readonly NamedEvent[]> {
  return readNamed(reader, '/events', { sort: '-id', type: types.join(','), limit: eventsRead });
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
  readonly linesMax?: number;
  /** Returns what else is to be known of the event's subject. */
  readonly about?: (event: NamedEvent) => Child;
};

/** Shows a line for each event, the newest first. */
export function eventList(
  events: readonly NamedEvent[],
  { currency, about, linesMax }: EventListOptions = {},
): HTMLElement {
  let currencyThen = currency;
  const lines = requestsOf(events)
    .slice(0, linesMax)
    .map((line) => {
      const shown = eventLine(line, currencyThen);
      const subject = about?.(line[0]);
      if (subject !== undefined) shown.append(h('span.about', subject));
      const { currency: change } = line[0].changes;
      if (Array.isArray(change) && currency !== undefined) currencyThen = String(change[0]);
      return shown;
    });
  return h('ol.events', lines);
}

/** An event, and those before it of the same request. */
type Line = readonly [event: NamedEvent, ...before: NamedEvent[]];

function requestsOf(events: readonly NamedEvent[]): readonly Line[] {
  const groups: [NamedEvent, ...NamedEvent[]][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    const isAlike = last?.[0].subject === event.subject || last?.[0].type === event.type;
    if (isAlike && event.requestId !== null && last[0].requestId === event.requestId) last.push(event);
    else groups.push([event]);
  }
  // the first event of a request may be older than the list; only a new order takes several steps at once
  const isOneLine = (group: Line): boolean => group.filter(({ type }) => type !== 'order.changed').length > 1;
  return groups.flatMap((group): readonly Line[] =>
    isOneLine(group) ? [group] : group.map((each) => [each]),
  );
}

function eventLine(line: Line, currency: string | undefined): HTMLElement {
  const [event, next] = line;
  const { id, actor, by, reason, createdAt } = event;
  const isOfMany = next !== undefined && next.subject !== event.subject;
  const href = isOfMany ? undefined : hrefOf(event);
  const text = isOfMany ? textOfMany(line) : textOfOne(event, next !== undefined);
  const how = (actor?.keyId ?? null) === null ? 'by {name}, ' : 'by {name}, with an API key, ';
  const values = (isOfMany ? [] : line).flatMap((each) => changeTexts(each, money, currency));
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

function textOfOne(event: NamedEvent, hasSteps: boolean): string {
  return hasSteps ? saleText(event) : eventText(event.type, event, event.about);
}

/** A request may have more events than were read. */
function textOfMany(line: Line): string {
  const more = line.length === eventsRead ? '+' : '';
  return `${count(line.length)}${more} × ${eventText(line[0].type)}`;
}
