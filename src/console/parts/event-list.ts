// Histories: a line for each event, with the name of its actor.
import { h } from './elements.ts';
import { rich } from './texts.ts';
import { changeTexts, eventText, hrefOf } from './event-words.ts';
import { dateTime, money, shortTime } from './formats.ts';
import type { NamedEvent } from './named-events.ts';

/** Shows a line for each event, the newest first; those of an order with the amounts in its currency. */
export function eventList(events: readonly NamedEvent[], currency?: string): HTMLElement {
  let currencyThen = currency;
  const lines = events.map((event) => {
    const line = eventLine(event, currencyThen);
    const { currency: change } = event.changes;
    if (Array.isArray(change) && currency !== undefined) currencyThen = String(change[0]);
    return line;
  });
  return h('ol', { class: 'events' }, lines);
}

function eventLine(event: NamedEvent, currency: string | undefined): HTMLElement {
  const { id, actor, by, reason, createdAt } = event;
  const href = hrefOf(event);
  const text = eventText(event);
  const hasKey = actor !== null && actor.keyId !== null;
  return h(
    'li',
    { 'data-key': id },
    h('span', { class: 'what' }, href === undefined ? text : h('a', { href }, text)),
    h(
      'span',
      { class: 'when' },
      by !== undefined &&
        rich(hasKey ? 'by {name}, with an API key, ' : 'by {name}, ', { name: h('bdi', {}, by) }),
      h('time', { datetime: createdAt, title: dateTime(createdAt) }, shortTime(createdAt)),
    ),
    changeTexts(event, money, currency).map((text) => h('span', { class: 'values', dir: 'auto' }, text)),
    reason !== null && h('q', { dir: 'auto' }, reason),
  );
}
