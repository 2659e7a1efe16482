// Histories: a line for each event, with the name of its actor.
import type { List, ServiceEvent, User } from './api-types.ts';
import { h } from './elements.ts';
import { eventText, hrefOf } from './event-words.ts';
import { dateTime, shortTime } from './formats.ts';
import { type App, isStaff } from './view.ts';

/** Asks for the names in a history: staff get all, other users their own. */
export const withNames = 'include=actorName';

/** The names of the accounts behind events. Those of the stream come without names, which are looked up. */
export class PeopleNames {
  readonly #app: App;
  readonly #names = new Map<number, Promise<string>>();

  constructor(app: App) {
    this.#app = app;
    this.#names.set(app.user.id, Promise.resolve('you'));
  }

  async of(events: readonly ServiceEvent[]): Promise<ReadonlyMap<number, string>> {
    const names = events.map(async (event) => {
      const { actor } = event;
      return actor === null ? undefined : ([actor.userId, await this.#nameOf(actor.userId, event)] as const);
    });
    return new Map((await Promise.all(names)).filter((each) => each !== undefined));
  }

  #nameOf(id: number, event: ServiceEvent): Promise<string> {
    const known = this.#names.get(id) ?? this.#find(id, event).catch(() => `account ${id}`);
    this.#names.set(id, known);
    return known;
  }

  async #find(id: number, { actorName, subject }: ServiceEvent): Promise<string> {
    const { client, user } = this.#app;
    if (!isStaff(this.#app)) return 'somebody else';
    if (actorName !== undefined) return actorName ?? deletedAccount;
    if (user.role === 'admin') return (await client.get<User>(`/api/users/${id}`)).name;
    const { data } = await client.get<List<ServiceEvent>>(`${subject}/events?limit=20&${withNames}`);
    const found = data.find(({ actor }) => actor?.userId === id);
    return found === undefined ? `account ${id}` : (found.actorName ?? deletedAccount);
  }
}

const deletedAccount = 'a deleted account';

/** Shows a line for each event, the newest first. */
export function eventList(events: readonly ServiceEvent[], names: ReadonlyMap<number, string>): HTMLElement {
  return h(
    'ol',
    { class: 'events' },
    events.map((event) => {
      const href = hrefOf(event);
      const text = eventText(event);
      const { id, actor, reason, createdAt } = event;
      const who = actor === null ? undefined : names.get(actor.userId);
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
