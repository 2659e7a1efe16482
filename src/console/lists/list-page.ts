// The page of a list: search, tabs, rows with their actions, pages, and the list as a file.
import { query, type QueryParameters } from '../service/api-client.ts';
import type { List } from '../words/api-types.ts';
import { isOfInputMethod } from '../browser/browser-gaps.ts';
import { typingMilliseconds } from '../forms/combobox.ts';
import { Drawing } from '../browser/drawing.ts';
import { type Child, fill, h, icon, icons } from '../browser/elements.ts';
import { choice, uncorrected } from '../forms/forms.ts';
import { csvButton } from './list-file.ts';
import { newerNotice, type Row, rowsInPlace } from './live-rows.ts';
import { type Column, pager, tabLinks, table } from './tables.ts';
import { t } from '../words/texts.ts';
import {
  goTo,
  type News,
  type Page,
  reloadable,
  type Reload,
  setPageTitle,
  setParameter,
  skeleton,
  urlWith,
} from '../page/view.ts';

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
  /** Called with the loaded rows; returns them as they are shown. */
  readonly shown?: (loaded: readonly T[]) => readonly T[];
};

/** The rows, with the words that have found them. */
type Shown<T> = List<T> & { readonly q: string; readonly newer?: number };

const rowsPerPage = 50;

/** Draws the page into `main`, and `below` after the list. */
export function listPage<T extends Row>(page: Page, options: ListOptions<T>, ...below: Child[]): Reload {
  const { parameters } = page;
  const { name, title, path, include = {}, searchBy = 'q', tabs, choices = [], file } = options;
  const element = h('div', { class: `list ${name}` }, skeleton(10));
  const tabBar = h('div');
  const drawing = new Drawing(tabBar);
  let loaded: Shown<T> | undefined;
  const words = (): string => parameters.get('q') ?? '';
  const isSearch = (): boolean => words() !== '' && searchBy === 'q';
  const listPath = (): string => {
    const { sort, ...filters } = options.filter(parameters);
    const order = isSearch() ? {} : { sort, cursor: parameters.get('cursor') };
    return `${path}?${query({ [searchBy]: words(), ...filters, ...order, ...include, limit: rowsPerPage })}`;
  };
  const reload: Reload = reloadable<Shown<T>>(page, element, {
    async load({ client, signal }, _show, news) {
      const q = words();
      loaded = { ...(await client.get<List<T>>(listPath(), signal)), q };
      if (news === undefined || news.shown.data.length === 0) return loaded;
      const known = { loaded: loaded.data, path, include, subjects: news.subjects, signal };
      return inPlace(loaded, { ...news, path }, await rowsInPlace(client, news.shown.data, known));
    },
    draw({ data: rows, next, newer = 0 }) {
      const data = options.shown?.(rows) ?? rows;
      if (data.length === 0) return options.none(parameters);
      const isCut = isSearch() && data.length >= rowsPerPage;
      return [
        newerNotice(newer, reload),
        table(title, options.columns({ q: words(), reload }), data),
        isCut && h('p.hint', t('There may be more: add a word to narrow it down.')),
        pager(page, next),
      ];
    },
    concerns: ({ subject }) => subject.startsWith(`${path}/`),
  });

  /** Another tab keeps the search and the filters. */
  function drawTabs(): void {
    if (tabs === undefined) return;
    const current = parameters.get(tabs.name) ?? '';
    const href = (value: string): string => urlWith(page, tabs.name, value);
    const isShown = tabs.name !== 'sort' || !parameters.has('q');
    drawing.show(isShown && tabLinks(tabs.label, tabs.values, { current, href }));
  }

  function choiceOf({ name: parameter, label, values }: Choice): HTMLElement {
    const control = choice([['', `${label}: –`], ...values], parameters.get(parameter) ?? '');
    control.ariaLabel = label;
    control.addEventListener('change', () => {
      setParameter(page, parameter, control.value);
      void reload();
    });
    return h('div.choice', control);
  }

  /** Searches while the user types. The URL holds the words, without a history entry for each letter. */
  function searchField(label: string): HTMLElement {
    const own = { type: 'search', value: words(), placeholder: label, 'aria-label': label };
    const input = h('input', { ...own, ...uncorrected, 'data-key': 'search' });
    let timer = 0;
    input.addEventListener('input', () => {
      setParameter(page, 'q', input.value.trim());
      drawTabs();
      options.onWords?.();
      clearTimeout(timer);
      timer = setTimeout(() => void reload(), typingMilliseconds);
    });
    input.addEventListener('keydown', async (event) => {
      if (event.key !== 'Enter' || isOfInputMethod(event)) return;
      clearTimeout(timer);
      await reload();
      const [row, ...others] = loaded?.data ?? [];
      const isAnswer = loaded?.q === input.value.trim() && input.isConnected;
      if (row !== undefined && others.length === 0 && isAnswer) goTo(`/${name}/${row.id}`);
    });
    return h('div.search', icon(icons.search), input);
  }

  drawTabs();
  const { searchLabel, toolbar } = options;
  const tools = [searchLabel !== undefined && searchField(searchLabel), tabs && tabBar];
  fill(
    page.main,
    setPageTitle(title, options.buttons(reload), file !== undefined && csvButton(page, listPath, file)),
    h('div.toolbar', tools, choices.map(choiceOf), toolbar),
    element,
    below,
  );
  return reload;
}

/** Keeps the shown rows; rows that are new are only counted. */
function inPlace<T extends Row>(
  loaded: Shown<T>,
  { shown, subjects, path }: News<Shown<T>> & { readonly path: string },
  data: readonly T[],
): Shown<T> {
  if (data.length === 0) return loaded;
  const ids = new Set(shown.data.map(({ id }) => id));
  const newest = shown.data.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), '');
  const isNewer = ({ id, createdAt }: T): boolean => subjects.has(`${path}/${id}`) || createdAt > newest;
  const newer = loaded.data.filter((row) => !ids.has(row.id) && isNewer(row)).length;
  return { ...loaded, data, next: shown.next ?? loaded.next, newer };
}
