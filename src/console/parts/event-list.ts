// Histories: a line for each event, with the name of its actor. An order that was placed as paid or delivered has the
// events of the steps between at the same time: they are one line.
import { h } from './elements.ts';
import { rich } from './texts.ts';
import { changeTexts, eventText, hrefOf, reasonText, saleText } from './event-words.ts';
import { dateTime, money, shortTime } from './formats.ts';
import type { NamedEvent } from './named-events.ts';

/** Shows a line for each event, the newest first; those of an order with the amounts in its currency. */
export function eventList(events: readonly NamedEvent[], currency?: string): HTMLElement {
  let currencyThen = currency;
  const lines = salesOf(events).map(([event, placed]) => {
    const line = eventLine(event, placed, currencyThen);
    const { currency: change } = event.changes;
    if (Array.isArray(change) && currency !== undefined) currencyThen = String(change[0]);
    return line;
  });
  return h('ol.events', lines);
}

type Line = readonly [event: NamedEvent, placed: readonly NamedEvent[]];

/** Joins the events of a request that has placed an order: the last one, and those before it. */
function salesOf(events: readonly NamedEvent[]): readonly Line[] {
  const groups: NamedEvent[][] = [];
  for (const event of events) {
    const last = groups.at(-1)?.[0];
    const isSame = last?.subject === event.subject && last.requestId === event.requestId;
    if (isSame && event.requestId !== null) groups.at(-1)?.push(event);
    else groups.push([event]);
  }
  return groups.flatMap(([event, ...others]): readonly Line[] => {
    if (event === undefined) return [];
    // the first of them may be older than the list; only a new order takes several steps at once
    const isPlaced = [event, ...others].filter(({ type }) => type !== 'order.changed').length > 1;
    return isPlaced ? [[event, others]] : [event, ...others].map((each) => [each, []]);
  });
}

function eventLine(
  event: NamedEvent,
  placed: readonly NamedEvent[],
  currency: string | undefined,
): HTMLElement {
  const { id, actor, by, reason, createdAt } = event;
  const href = hrefOf(event);
  const text = placed.length === 0 ? eventText(event) : saleText(event);
  const hasKey = actor !== null && actor.keyId !== null;
  return h(
    'li',
    { 'data-key': id },
    h('span.what', href === undefined ? text : h('a', { href }, text)),
    h(
      'span.when',
      by !== undefined &&
        rich(hasKey ? 'by {name}, with an API key, ' : 'by {name}, ', { name: h('bdi', by) }),
      h('time', { datetime: createdAt, title: dateTime(createdAt) }, shortTime(createdAt)),
    ),
    [event, ...placed]
      .flatMap((each) => changeTexts(each, money, currency))
      .map((text) => h('span.values', { dir: 'auto' }, text)),
    reason !== null && h('q', { dir: 'auto' }, reasonText(reason)),
  );
}
