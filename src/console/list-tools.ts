// The tools above a list: its search, and the tabs of statuses.
import { query } from './api-client.ts';
import { type Status, statuses } from './api-types.ts';
import { type Child, h, icon, icons } from './elements.ts';
import { statusNames } from './formats.ts';
import type { Page, Reload } from './view.ts';

const typingMilliseconds = 40;

type SearchOptions = {
  readonly label: string;
  readonly reload: Reload;
  /** Called when the words in the URL have changed. */
  readonly onWords?: () => void;
};

/** Searches while the user types. The URL holds the words, without a history entry for each letter. */
export function searchField(
  page: Page,
  name: string,
  { label, reload, onWords }: SearchOptions,
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
  return h('div', { class: 'search' }, icon(icons.search), input);
}

/** Links to the list with each status, in which the search goes on. */
export function statusTabs(parameters: URLSearchParams): Child {
  const current = parameters.get('status') ?? '';
  const tab = (status: Status | '', label: string): HTMLElement => {
    const q = parameters.get('q') ?? undefined;
    const target = query({ status, q });
    return h('a', { href: `#/orders?${target}`, 'aria-current': status === current && 'page' }, label);
  };
  return [tab('', 'All'), statuses.map((status) => tab(status, statusNames[status]))];
}
