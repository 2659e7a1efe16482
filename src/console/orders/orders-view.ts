// The list of orders: search, statuses, live updates, and a button for the next step of each order.
import { query } from '../parts/api-client.ts';
import type { List, Order } from '../parts/api-types.ts';
import { watchDay } from '../parts/day-change.ts';
import {
  reloadable,
  emptyState,
  setPageTitle,
  isStaff,
  type Page,
  type Reload,
  skeleton,
} from '../parts/view.ts';
import { Drawing } from '../parts/drawing.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { count } from '../parts/formats.ts';
import { orderColumns, stepColumn } from './order-columns.ts';
import { csvButton } from '../parts/list-file.ts';
import { type FoundRows, searchField } from '../parts/list-tools.ts';
import { statusTabs, watchCounts } from './order-counts.ts';
import { filterBar, isFiltered, orderFilter } from './order-filters.ts';
import { OrderSelection } from './order-selection.ts';
import { numbered, t } from '../parts/texts.ts';
import { countNewer, inPlace, newerNotice, pager, table } from '../parts/tables.ts';

const rowsPerPage = 50;

/** `newer` is the number of new orders that wait while somebody is about to press a button in the list. */
type OrderList = List<Order> & { readonly newer?: number };

export function ordersView(page: Page): void {
  const { main, parameters, signal } = page;
  const list = h('div', { class: 'list orders' }, skeleton(10));
  let found: FoundRows | undefined;
  const selection = new OrderSelection(page);
  const reload = reloadable<OrderList>(page, list, {
    async load({ client, signal: loading }) {
      const q = parameters.get('q');
      const orders = await client.get<List<Order>>(`/orders?${listQuery(parameters)}`, loading);
      found = { q, rows: orders.data };
      return orders;
    },
    draw(orders, reload) {
      selection.show(orders.data);
      return ordersList(page, orders, { reload, selection });
    },
    hold: holdList,
    concerns: ({ subject }) => subject.startsWith('/orders/'),
  });
  watchDay(signal, () => void reload()); // orders of today are shown without their date
  const tabs = new Drawing(h('nav', { class: 'tabs', 'aria-label': t('Status') }));
  const showTabs = watchCounts(page, (counts) => tabs.show(statusTabs(parameters, counts)));
  const filters = filterBar(page, () => {
    showTabs();
    void reload();
  });
  const onWords = (): void => {
    showTabs();
    filters.onWords();
  };
  fill(
    main,
    setPageTitle(
      t('Orders'),
      csvButton(page, () => `/orders?${listQuery(parameters)}`, 'orders.csv'),
      h('a', { class: 'button primary', href: '#/new' }, t('New order')),
    ),
    h(
      'div',
      { class: 'toolbar' },
      searchField(page, 'orders', { label: t('Search orders'), reload, onWords, found: () => found }),
      tabs.element,
      filters.element,
    ),
    list,
    selection.element,
  );
}

function listQuery(parameters: URLSearchParams): string {
  const q = parameters.get('q');
  const page = { cursor: parameters.get('cursor'), sort: parameters.get('sort') };
  const paged = q === null ? page : {}; // a search has its own order
  return query({ q, ...orderFilter(parameters), ...paged, include: 'customer', limit: rowsPerPage });
}

function holdList(shown: OrderList, loaded: OrderList): OrderList {
  const newer = countNewer(shown.data, loaded.data);
  return { ...loaded, data: inPlace(shown.data, loaded.data), newer };
}

type Listing = { readonly reload: Reload; readonly selection: OrderSelection };

function ordersList(page: Page, { data, next, newer = 0 }: OrderList, { reload, selection }: Listing): Child {
  const { parameters } = page;
  if (data.length === 0) return noOrders(parameters);
  const kind = numbered(newer, '1 new order – show', '{count} new orders – show');
  const { number, placed, customer, items, status, total } = orderColumns;
  const columns = [selection.column, number, placed, customer, items, status, total, stepColumn(page)];
  const isSearch = parameters.has('q');
  return [
    newerNotice(newer, t(kind, { count: count(newer) }), reload),
    table(t('Orders'), isStaff(page) ? columns : Object.values(orderColumns), data),
    isSearch &&
      data.length === rowsPerPage &&
      h('p', { class: 'hint' }, t('There may be more: add a word to narrow it down.')),
    pager(next, { label: t('Pages of orders'), parameters, name: 'orders' }),
  ];
}

function noOrders(parameters: URLSearchParams): HTMLElement {
  if (parameters.has('q'))
    return emptyState(
      t('Nothing found'),
      t(
        'An order is found by its number or amount, its customer’s name, e-mail, phone or city, and by its items.',
      ),
    );
  if (isFiltered(parameters)) return emptyState(t('None'), t('No order has all that the filter asks for.'));
  if (parameters.has('status')) return emptyState(t('None'), t('No order has this status at the moment.'));
  const next = h('a', { class: 'button primary', href: '#/new' }, t('Enter the first order'));
  return emptyState(
    t('No orders yet'),
    t('Orders show up here as they are placed, here or through the API.'),
    next,
  );
}
