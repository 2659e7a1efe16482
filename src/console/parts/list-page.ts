// The page of a list: search, tabs, rows with their actions, pages, and the list as a file.
import { query, type QueryParameters } from './api-client.ts';
import type { List } from './api-types.ts';
import { Drawing } from './drawing.ts';
import { type Child, fill, h } from './elements.ts';
import { newerNotice, type Row, rowsInPlace } from './live-rows.ts';
import { choice } from './forms.ts';
import { csvButton } from './list-file.ts';
import { type FoundRows, searchField, tabLinks } from './list-tools.ts';
import { type Column, pager, table } from './tables.ts';
import { t } from './texts.ts';
import { type News, type Page, reloadable, type Reload, setPageTitle, skeleton } from './view.ts';

/** Values of a parameter in the page’s URL, of which one may be chosen. */
export type Choice = {
  readonly name: string;
  readonly label: string;
  readonly values: readonly (readonly [value: string, label: string])[];
};

export type ListOptions<T extends Row> = {
  /** The page’s name in the URL, which begins the links to its objects: `customers`. */
  readonly name: string;
  readonly title: string;
  /** The list in the API, which begins the paths of its objects: `/api/users`. */
  readonly path: string;
  /** The parameter of the API for the words of the search. Only `q` has an order of its own. */
  readonly searchBy?: 'q' | 'name';
  /** Absent where the list has no search. */
  readonly searchLabel?: string;
  /** The parameters of the API beside search, cursor and limit. */
  readonly filter: (parameters: URLSearchParams) => QueryParameters;
  /** What objects are read with, too: `include`. */
  readonly include?: QueryParameters;
  readonly columns: (rows: { readonly q: string; readonly reload: Reload }) => readonly Column<T>[];
  /** A search has its own order, so it has no tabs of `sort`. */
  readonly tabs?: Choice;
  readonly choices?: readonly Choice[];
  /** More tools above the list. */
  readonly toolbar?: Child;
  /** The buttons beside the title, the main one first. */
  readonly buttons: (reload: Reload) => Child;
  /** The list can be saved as this file. */
  readonly file?: string;
  /** Shown instead of an empty list. */
  readonly none: (parameters: URLSearchParams) => Child;
  /** Called when the words of the search have changed. */
  readonly onWords?: () => void;
  /** Called with what is shown. */
  readonly onRows?: (rows: readonly T[]) => void;
};

type Shown<T> = List<T> & { readonly newer?: number };

const rowsPerPage = 50;

/** Draws the page into `main`, and `below` after the list. */
export function listPage<T extends Row>(page: Page, options: ListOptions<T>, ...below: Child[]): Reload {
  const { main, parameters } = page;
  const { name, title, path, filter, include = {}, searchBy = 'q', searchLabel, tabs } = options;
  const element = h('div', { class: `list ${name}` }, skeleton(10));
  let found: FoundRows | undefined;
  const words = (): string | null => parameters.get('q');
  const listPath = (): string => {
    const isSearch = words() !== null && searchBy === 'q';
    const { sort, ...filters } = filter(parameters);
    const order = isSearch ? {} : { sort, cursor: parameters.get('cursor') };
    return `${path}?${query({ [searchBy]: words(), ...filters, ...order, ...include, limit: rowsPerPage })}`;
  };
  const reload: Reload = reloadable<Shown<T>>(page, element, {
    async load(loading, _show, news) {
      const q = words();
      const loaded = await loading.client.get<List<T>>(listPath(), loading.signal);
      found = { q, rows: loaded.data };
      const isShown = news !== undefined && news.shown.data.length > 0;
      return isShown ? inPlace(loading, loaded, { ...news, path, include }) : loaded;
    },
    draw(list) {
      options.onRows?.(list.data);
      return listContent(options, list, { parameters, reload });
    },
    concerns: ({ subject }) => subject.startsWith(`${path}/`),
  });
  const tabBar = new Drawing(h('div', {}));
  const drawTabs = (): void => {
    const isHidden = tabs === undefined || (tabs.name === 'sort' && parameters.has('q'));
    tabBar.show(!isHidden && tabsOf(name, tabs, parameters));
  };
  const onWords = (): void => {
    drawTabs();
    options.onWords?.();
  };
  drawTabs();
  fill(
    main,
    setPageTitle(
      title,
      options.buttons(reload),
      options.file !== undefined && csvButton(page, listPath, options.file),
    ),
    h(
      'div',
      { class: 'toolbar' },
      searchLabel !== undefined &&
        searchField(page, name, { label: searchLabel, reload, onWords, found: () => found }),
      tabs !== undefined && tabBar.element,
      (options.choices ?? []).map((each) => choiceOf(each, page, { name, reload })),
      options.toolbar,
    ),
    element,
    below,
  );
  return reload;
}

/** In another tab the search and the filters go on. */
function tabsOf(
  name: string,
  { label, name: parameter, values }: Choice,
  parameters: URLSearchParams,
): Child {
  const href = (value: string): string => {
    const target = new URLSearchParams(parameters);
    target.delete('cursor');
    if (value === '') target.delete(parameter);
    else target.set(parameter, value);
    return `#/${name}?${target}`;
  };
  return tabLinks(label, values, { current: parameters.get(parameter) ?? '', href });
}

type ChoicePlace = { readonly name: string; readonly reload: Reload };

function choiceOf(
  { name: parameter, label, values }: Choice,
  { parameters }: Page,
  { name, reload }: ChoicePlace,
): HTMLElement {
  const control = choice([['', `${label}: –`], ...values], parameters.get(parameter) ?? '');
  control.ariaLabel = label;
  control.addEventListener('change', () => {
    if (control.value === '') parameters.delete(parameter);
    else parameters.set(parameter, control.value);
    parameters.delete('cursor');
    history.replaceState(history.state, '', `#/${name}?${parameters}`);
    void reload();
  });
  return h('div', { class: 'choice' }, control);
}

type Drawn = { readonly parameters: URLSearchParams; readonly reload: Reload };

function listContent<T extends Row>(
  { name, title, columns, none, searchBy = 'q' }: ListOptions<T>,
  { data, next, newer = 0 }: Shown<T>,
  { parameters, reload }: Drawn,
): Child {
  if (data.length === 0) return none(parameters);
  const q = parameters.get('q') ?? '';
  const isCut = q !== '' && searchBy === 'q' && data.length >= rowsPerPage;
  return [
    newerNotice(newer, reload),
    table(title, columns({ q, reload }), data),
    isCut && h('p', { class: 'hint' }, t('There may be more: add a word to narrow it down.')),
    pager(next, { label: t('Pages'), parameters, name }),
  ];
}

type NewsOf<T> = News<Shown<T>> & { readonly path: string; readonly include: QueryParameters };

async function inPlace<T extends Row>(
  { client, signal }: Page,
  loaded: List<T>,
  { shown, subjects, path, include }: NewsOf<T>,
): Promise<Shown<T>> {
  const known = { loaded: loaded.data, path, include, subjects, signal };
  const data = await rowsInPlace(client, shown.data, known);
  if (data.length === 0) return loaded;
  const ids = new Set(shown.data.map(({ id }) => id));
  const newest = shown.data.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), '');
  const newer = loaded.data.filter(
    ({ id, createdAt }) => !ids.has(id) && (subjects.has(`${path}/${id}`) || createdAt > newest),
  ).length;
  return { ...loaded, data, next: shown.next ?? loaded.next, newer };
}
