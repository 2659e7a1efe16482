// Histories: a line for each event, with the name of its actor.
import { h } from './elements.ts';
import { eventText, hrefOf } from './event-words.ts';
import { dateTime, shortTime } from './formats.ts';
import type { NamedEvent } from './histories.ts';

/** Shows a line for each event, the newest first. */
export function eventList(events: readonly NamedEvent[]): HTMLElement {
  return h('ol', { class: 'events' }, events.map(eventLine));
}

function eventLine(event: NamedEvent): HTMLElement {
  const { id, actor, by, reason, createdAt } = event;
  const href = hrefOf(event);
  const text = eventText(event);
  const withKey = actor === null || actor.keyId === null ? '' : ', with an API key';
  return h(
    'li',
    { 'data-key': id },
    h('span', { class: 'what' }, href === undefined ? text : h('a', { href }, text)),
    h(
      'span',
      { class: 'when' },
      by !== undefined && `by ${by}${withKey}, `,
      h('time', { datetime: createdAt, title: dateTime(createdAt) }, shortTime(createdAt)),
    ),
    reason !== null && h('q', { dir: 'auto' }, reason),
  );
}
