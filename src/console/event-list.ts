// Histories: a line for each event, with the name of its actor.
import type { ServiceEvent, User } from './api-types.ts';
import { h } from './elements.ts';
import { eventText, hrefOf } from './event-words.ts';
import { dateTime, shortTime } from './formats.ts';
import type { App } from './view.ts';

/** The names of accounts. Only administrators may read them; other users see their own. */
export class PeopleNames {
  readonly #app: App;
  readonly #names = new Map<number, Promise<string>>();

  constructor(app: App) {
    this.#app = app;
  }

  async of(events: readonly ServiceEvent[]): Promise<ReadonlyMap<number, string>> {
    const ids = [...new Set(events.flatMap(({ actor }) => (actor === null ? [] : [actor.userId])))];
    return new Map(await Promise.all(ids.map(async (id) => [id, await this.#name(id)] as const)));
  }

  #name(id: number): Promise<string> {
    const { client, user } = this.#app;
    if (id === user.id) return Promise.resolve('you');
    if (user.role !== 'admin') return Promise.resolve(`account ${id}`);
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = client.get<User>(`/api/users/${id}`).then(
      (found) => found.name,
      () => `account ${id}`,
    );
    this.#names.set(id, name);
    return name;
  }
}

/** Shows a line for each event, the newest first. */
export function eventList(events: readonly ServiceEvent[], names: ReadonlyMap<number, string>): HTMLElement {
  return h(
    'ol',
    { class: 'events' },
    events.map((event) => {
      const href = hrefOf(event);
      const text = eventText(event);
      const { id, actor, reason, createdAt } = event;
      const who = actor === null ? undefined : (names.get(actor.userId) ?? `account ${actor.userId}`);
      const withKey = actor === null || actor.keyId === null ? '' : ', with an API key';
      return h(
        'li',
        { 'data-key': id },
        h('span', { class: 'what' }, href === undefined ? text : h('a', { href }, text)),
        h(
          'span',
          { class: 'when' },
          who !== undefined && `by ${who}${withKey}, `,
          h('time', { datetime: createdAt, title: dateTime(createdAt) }, shortTime(createdAt)),
        ),
        reason !== null && h('q', {}, reason),
      );
    }),
  );
}
