// The tools above a list: its search, days, and tabs.
import { isOfInputMethod } from './browser-gaps.ts';
import { typingMilliseconds } from './combobox.ts';
import { h, icon, icons } from './elements.ts';
import type { Page, Reload } from './view.ts';

/** The rows of a list, and the words that have found them. */
export type FoundRows = { readonly q: string | null; readonly rows: readonly { readonly id: number }[] };

type SearchOptions = {
  readonly label: string;
  readonly reload: Reload;
  /** Called when the words in the URL have changed. */
  readonly onWords?: () => void;
  /** Returns what was loaded last: Enter opens the only one that the words have found. */
  readonly found?: () => FoundRows | undefined;
};

/** Searches while the user types. The URL holds the words, without a history entry for each letter. */
export function searchField(
  page: Page,
  name: string,
  { label, reload, onWords, found }: SearchOptions,
): HTMLElement {
  const { parameters } = page;
  const input = h('input', {
    type: 'search',
    value: parameters.get('q'),
    placeholder: label,
    'aria-label': label,
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'none',
    autocorrect: 'off',
    'data-key': 'search',
  });
  let timer = 0;
  input.addEventListener('input', () => {
    const q = input.value.trim();
    if (q === '') parameters.delete('q');
    else parameters.set('q', q);
    parameters.delete('cursor');
    history.replaceState(history.state, '', `#/${name}?${parameters}`);
    onWords?.();
    clearTimeout(timer);
    timer = setTimeout(() => void reload(), typingMilliseconds);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || isOfInputMethod(event) || found === undefined) return;
    const q = input.value.trim();
    clearTimeout(timer);
    void reload().then(() => {
      const { q: words, rows = [] } = found() ?? {};
      const [row, ...others] = rows;
      const isOnly = row !== undefined && others.length === 0 && words === q && input.value.trim() === q;
      if (isOnly && input.isConnected) location.hash = `/${name}/${row.id}`;
    });
  });
  return h('div', { class: 'search' }, icon(icons.search), input);
}

/** A field for a day. Without one it receives the empty text. */
export function dayInput(value: string | null, onDay: (day: string) => void): HTMLInputElement {
  const input = h('input', { type: 'date', value });
  input.addEventListener('change', () => {
    // while a year is typed, its first digits are years as well
    if (input.value === '' || input.value >= '1000') onDay(input.value);
  });
  return input;
}

type TabOptions = {
  readonly current: string;
  readonly href: (value: string) => string;
};

/** Links to the same page with other parameters. */
export function tabLinks(
  label: string,
  tabs: readonly (readonly [value: string, text: string])[],
  { current, href }: TabOptions,
): HTMLElement {
  const links = tabs.map(([value, text]) =>
    h('a', { href: href(value), 'aria-current': value === current && 'page' }, text),
  );
  return h('nav', { class: 'tabs', 'aria-label': label }, links);
}
