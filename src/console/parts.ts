// Parts that several views use: statuses, tables, searches, files to save, names of people.
import { query } from './api-client.ts';
import { type ServiceEvent, type Status, statuses, type User } from './api-types.ts';
import { type App, goTo, type Page, type Reload } from './console-app.ts';
import { notify } from './dialogs.ts';
import { type Child, h, icon, icons, svg } from './elements.ts';
import { dateTime, eventText, hrefOf, shortTime, statusNames } from './formats.ts';
import { action } from './forms.ts';

export function pill(status: Status): HTMLElement {
  return h('span', { class: `pill ${status}` }, statusNames[status]);
}

export type Column<T> = {
  readonly label: string;
  readonly kind?: 'number' | 'tight' | 'wide' | 'tight wide' | 'action';
  readonly cell: (row: T) => Child;
};

/** On a phone the columns of the kind `wide` are left out. The first cell holds the row's link. */
export function table<T>(caption: string, columns: readonly Column<T>[], rows: readonly T[]): HTMLElement {
  const head = columns.map(({ label, kind }) =>
    h('th', { scope: 'col', class: kind }, kind === 'action' ? h('span', { class: 'hidden' }, label) : label),
  );
  const body = rows.map((row) =>
    h(
      'tr',
      {},
      columns.map(({ cell, kind }) => h('td', { class: kind }, cell(row))),
    ),
  );
  return h(
    'div',
    { class: 'scroller' },
    h(
      'table',
      {},
      h('caption', { class: 'hidden' }, caption),
      h('thead', {}, h('tr', {}, head)),
      h('tbody', {}, body),
    ),
  );
}

type PagerOptions = {
  readonly label: string;
  readonly parameters: URLSearchParams;
  readonly name: string;
};

/** Links to the first page and the next one; the current position is in the URL. */
export function pager(next: string | null, { label, parameters, name }: PagerOptions): Child {
  const cursor = next === null ? null : new URL(next, location.origin).searchParams.get('cursor');
  const isFirst = !parameters.has('cursor');
  if (isFirst && cursor === null) return undefined;
  const to = (value: string | null): string => {
    const changed = new URLSearchParams(parameters);
    if (value === null) changed.delete('cursor');
    else changed.set('cursor', value);
    return `#/${name}?${changed}`;
  };
  return h(
    'nav',
    { class: 'pager', 'aria-label': label },
    !isFirst && h('a', { class: 'button', href: to(null) }, 'First page'),
    cursor !== null && h('a', { class: 'button', href: to(cursor) }, 'Next page'),
  );
}

const typingMilliseconds = 40;

/** Searches while one types. The address keeps the words, without an entry in the history for each letter. */
export function searchField(
  page: Page,
  name: string,
  { label, reload }: { readonly label: string; readonly reload: Reload },
): HTMLElement {
  const { parameters } = page;
  const input = h('input', {
    type: 'search',
    value: parameters.get('q'),
    placeholder: label,
    'aria-label': label,
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: 100,
    'data-key': 'search',
  });
  const state = { timer: 0 };
  input.addEventListener('input', () => {
    const q = input.value.trim();
    if (q === '') parameters.delete('q');
    else parameters.set('q', q);
    parameters.delete('cursor');
    history.replaceState(null, '', `#/${name}?${parameters}`);
    clearTimeout(state.timer);
    state.timer = setTimeout(() => void reload(), typingMilliseconds);
  });
  return h('div', { class: 'search' }, icon(icons.search), input);
}

export function statusTabs(parameters: URLSearchParams): HTMLElement {
  const current = parameters.get('status') ?? '';
  const tab = (status: Status | '', label: string): HTMLElement => {
    const q = parameters.get('q') ?? undefined;
    const target = query({ status, q });
    return h('a', { href: `#/orders?${target}`, 'aria-current': status === current && 'page' }, label);
  };
  return h(
    'nav',
    { class: 'tabs', 'aria-label': 'Status' },
    tab('', 'All'),
    statuses.map((status) => tab(status, statusNames[status])),
  );
}

/** Fetched with the token, which a link couldn't send. */
export function csvButton({ client }: App, path: string, file: string): HTMLElement {
  return action('CSV', async () => {
    const response = await client.request('GET', path, { accept: 'text/csv' });
    const address = URL.createObjectURL(await response.blob());
    h('a', { href: address, download: file }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    notify(`${file} was saved.`);
  });
}

/** Names of accounts, which only administrators may read; others see their own. */
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

/** A line for each event, newest first. */
export function eventList(events: readonly ServiceEvent[], names: ReadonlyMap<number, string>): HTMLElement {
  return h(
    'ol',
    { class: 'events' },
    events.map((event) => {
      const href = hrefOf(event);
      const text = eventText(event);
      const { actor, reason, createdAt } = event;
      const who = actor === null ? undefined : (names.get(actor.userId) ?? `account ${actor.userId}`);
      const withKey = actor === null || actor.keyId === null ? '' : ', with an API key';
      return h(
        'li',
        {},
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

/** The path of an order through its statuses, and where it is now. */
export function statusPicture(status: Status, events: readonly ServiceEvent[]): SVGElement {
  const way = ['open', 'paid', 'shipped', 'delivered'] as const;
  const passed = ['open', status, ...events.map(({ type }) => type.replace('order.', ''))];
  const reached = way.findLastIndex((each) => passed.includes(each));
  const isEnded = status === 'cancelled' || status === 'refunded';
  const x = (index: number): number => 30 + index * 92;
  const line = (index: number): SVGElement =>
    svg('path', {
      d: `M${x(index) + 8} 14H${x(index + 1) - 8}`,
      class: index < reached ? 'way done' : 'way',
    });
  const spot = (name: Status, index: number): SVGElement =>
    svg(
      'g',
      { class: index === reached && !isEnded ? 'here' : index <= reached && 'done' },
      svg('circle', { cx: x(index), cy: 14, r: 6 }),
      svg('text', { x: x(index), y: 40, 'text-anchor': 'middle' }, statusNames[name]),
    );
  const label = `Status: ${statusNames[status]}`;
  const end = svg('text', { x: 14, y: 62, class: 'end' }, `Ended: ${statusNames[status].toLowerCase()}`);
  return svg(
    'svg',
    { viewBox: `0 0 340 ${isEnded ? 68 : 48}`, class: 'states', role: 'img', 'aria-label': label },
    [0, 1, 2].map(line),
    way.map(spot),
    isEnded && end,
  );
}

/** The link of a table's row: the whole row is clickable. */
export function rowLink(href: string, text: Child): HTMLElement {
  return h('a', { href, class: 'row' }, text);
}

export function openOrder(id: number): void {
  goTo(`/orders/${id}`);
}
