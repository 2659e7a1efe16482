// Tables of a list's elements, and the links between its pages.
import { type Child, h } from './elements.ts';
import { t } from './texts.ts';

export type Column<T> = {
  readonly label: string;
  readonly kind?: 'number' | 'tight' | 'wide' | 'tight wide' | 'action' | 'select';
  /** Shown above the cells instead of the label. */
  readonly head?: Child;
  readonly cell: (row: T) => Child;
};

/**
 * Where the table has no room for columns of the kind `wide`, it has what the class `phone` marks in the others. The
 * first cell holds the row's link.
 */
export function table<T extends { readonly id: number }>(
  caption: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
): HTMLElement {
  const head = columns.map(({ label, kind, head: shown }) => {
    const text = kind === 'action' ? h('span', { class: 'hidden' }, label) : label;
    return h('th', { scope: 'col', class: kind }, shown ?? text);
  });
  const body = rows.map((row) =>
    h(
      'tr',
      { 'data-key': row.id },
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

/** The head of a table in a card. A column without a name has no heading. */
export function tableHead(columns: readonly (readonly [label: string, kind?: string])[]): HTMLElement {
  const cells = columns.map(([label, kind]) =>
    label === '' ? h('td', {}) : h('th', { scope: 'col', class: kind }, label),
  );
  return h('thead', {}, h('tr', {}, cells));
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
    !isFirst && h('a', { class: 'button', href: to(null) }, t('First page')),
    cursor !== null && h('a', { class: 'button', href: to(cursor) }, t('Next page')),
  );
}

/** The link of a table's row: the whole row is clickable. */
export function rowLink(href: string, text: Child): HTMLElement {
  return h('a', { href, class: 'row' }, text);
}
