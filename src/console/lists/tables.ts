// Tables of a list's elements, and the links between its pages.
import { type Child, h } from '../browser/elements.ts';
import { t } from '../words/texts.ts';
import { type Page, urlWith } from '../page/view.ts';

export type Column<T> = {
  readonly label: string;
  readonly kind?: 'number' | 'tight' | 'wide' | 'tight wide' | 'action' | 'select';
  /** Shown above the cells instead of the label. */
  readonly head?: () => Child;
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
    const text = kind === 'action' ? h('span.hidden', label) : label;
    return h('th', { scope: 'col', class: kind }, shown?.() ?? text);
  });
  const body = rows.map((row) =>
    h(
      'tr',
      { 'data-key': row.id },
      columns.map(({ cell, kind }) => h('td', { class: kind }, cell(row))),
    ),
  );
  return h(
    'div.scroller',
    h('table', h('caption.hidden', caption), h('thead', h('tr', head)), h('tbody', body)),
  );
}

/** The head of a table in a card. A column without a name has no heading. */
export function tableHead(columns: readonly (readonly [label: string, kind?: string])[]): HTMLElement {
  const cells = columns.map(([label, kind]) =>
    label === '' ? h('td', { class: kind }) : h('th', { scope: 'col', class: kind }, label),
  );
  return h('thead', h('tr', cells));
}

/** Links to the first page and the next one; the current position is in the URL. */
export function pager(page: Page, next: string | null, label: string = t('Pages')): Child {
  const cursor = next === null ? null : new URL(next, location.origin).searchParams.get('cursor');
  const isFirst = !page.parameters.has('cursor');
  if (isFirst && cursor === null) return undefined;
  return h(
    'nav.pager',
    { 'aria-label': label },
    !isFirst && h('a.button', { href: urlWith(page, 'cursor', '') }, t('First page')),
    cursor !== null && h('a.button', { href: urlWith(page, 'cursor', cursor) }, t('Next page')),
  );
}

/** A card with a table, or with what is said where there is nothing. */
export function tableCard<T extends { readonly id: number }>(
  title: string,
  { tool, none, columns, rows }: CardTable<T>,
): HTMLElement {
  const shown = rows.length === 0 ? h('p.soft', none) : table(title, columns, rows);
  return h('section.card.flush', h('header.card-head', h('h2', title), tool), shown);
}

type CardTable<T> = {
  /** Beside the title. */
  readonly tool?: Child;
  readonly none: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
};

/** The link of a table's row: the whole row is clickable. */
export function rowLink(href: string, text: Child): HTMLElement {
  return h('a', { href, class: 'row' }, text);
}

/** A cell with the object’s name, which opens its page; `about` is said below it where there is little room. */
export function nameCell(href: string, name: string, about?: string): Child {
  return [
    rowLink(href, h('span.clip', { dir: 'auto' }, name)),
    about !== undefined && h('span.phone.soft', mailText(about)),
  ];
}

/** Where there is little room, a line ends before the `@`. */
export function mailText(text: string | null): Child {
  const lines = text?.split(/(?=@)/).map((part) => [h('wbr'), part]);
  return lines && h('bdi', lines);
}

type TabOptions = {
  readonly current: string;
  readonly href: (value: string) => string;
};

/** Links to the same page with other parameters. */
export function tabLinks(
  label: string,
  tabs: readonly (readonly [value: string, text: Child])[],
  { current, href }: TabOptions,
): HTMLElement {
  const links = tabs.map(([value, text]) =>
    h('a', { href: href(value), 'aria-current': value === current && 'page' }, text),
  );
  const shown = links.find((link) => link.hasAttribute('aria-current'));
  // a phone has no room for all of them
  requestAnimationFrame(() => shown?.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
  return h('nav.tabs', { 'aria-label': label }, links);
}
