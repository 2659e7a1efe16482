// The list of orders: search, statuses, live updates, and a button for the next step of each order.
import { query } from './api-client.ts';
import { type List, type Order, steps as stepsOf } from './api-types.ts';
import { customerName } from './customer-words.ts';
import { watchDay } from './day-change.ts';
import { reloadable, emptyState, setPageTitle, isStaff, type Page, type Reload, skeleton } from './view.ts';
import { Drawing } from './drawing.ts';
import { type Child, fill, h } from './elements.ts';
import { count, dateTime, shortTime, statusNames, stepNames } from './formats.ts';
import { action } from './forms.ts';
import type { LatestOrder } from './order-steps.ts';
import { csvButton } from './list-file.ts';
import { type FoundRows, searchField, statusTabs } from './list-tools.ts';
import { watchCounts } from './order-counts.ts';
import { filterBar, isFiltered, orderFilter } from './order-filters.ts';
import { OrderSelection } from './order-selection.ts';
import { pill } from './order-status.ts';
import { numbered, t } from './texts.ts';
import {
  type Column,
  countNewer,
  inPlace,
  newerNotice,
  pager,
  rowLink,
  table,
  wrappingMoney,
} from './tables.ts';

const rowsPerPage = 50;

/** `newer` is the number of new orders that wait while somebody is about to press a button in the list. */
type OrderList = List<LatestOrder> & { readonly newer?: number };

export function ordersView(page: Page): void {
  const { main, parameters, signal } = page;
  const list = h('div', { class: 'list' }, skeleton(10));
  let found: FoundRows | undefined;
  let shown: OrderList | undefined;
  const selection = new OrderSelection(page, () => reload());
  const reload = reloadable<OrderList>(page, list, {
    async load({ client, signal: loading }) {
      const q = parameters.get('q');
      const orders = await client.get<List<Order>>(`/orders?${listQuery(parameters)}`, loading);
      found = { q, rows: orders.data };
      if (shown === undefined || !selection.holdsRows) return orders;
      return { ...orders, data: holdOrders(shown.data, orders.data) };
    },
    draw(orders, reload) {
      shown = orders;
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
    selection.bar,
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
  return { ...loaded, data: holdOrders(shown.data, loaded.data), newer };
}

/** Marks orders whose status has changed: the button of their next step must not come where the last one was. */
export function holdOrders(shown: readonly LatestOrder[], loaded: readonly Order[]): readonly LatestOrder[] {
  return inPlace<LatestOrder>(shown, loaded).map((order, index) => {
    const before = shown[index];
    return { ...order, isMoved: before?.isMoved === true || before?.status !== order.status };
  });
}

type Listing = { readonly reload: Reload; readonly selection: OrderSelection };

function ordersList(page: Page, { data, next, newer = 0 }: OrderList, { reload, selection }: Listing): Child {
  const { parameters, steps } = page;
  if (data.length === 0) return noOrders(parameters);
  const kind = numbered(newer, '1 new order – show', '{count} new orders – show');
  const orders = data.map((order) => steps.latest(order));
  const withFailure: Column<LatestOrder> = {
    ...customer,
    cell: (order) => [customer.cell(order), failureText(page, order)],
  };
  const columns = [selection.column, number, placed, withFailure, items, status, total, stepColumn(page)];
  const isSearch = parameters.has('q');
  return [
    newerNotice(newer, t(kind, { count: count(newer) }), reload),
    table(t('Orders'), isStaff(page) ? columns : Object.values(orderColumns), orders),
    isSearch &&
      data.length === rowsPerPage &&
      h('p', { class: 'hint' }, t('There may be more: add a word to narrow it down.')),
    pager(next, { label: t('Pages of orders'), parameters, name: 'orders' }),
  ];
}

/** Why the order was not marked with others. */
function failureText({ steps }: Page, { id }: Order): Child {
  const failure = steps.failureOf(id);
  return failure !== undefined && h('span', { class: 'issue failure', title: failure }, failure);
}

function noOrders(parameters: URLSearchParams): HTMLElement {
  if (parameters.has('q'))
    return emptyState(
      t('Nothing found'),
      t('An order is found by its number, its customer’s name, e-mail or phone, and by its items.'),
    );
  if (isFiltered(parameters))
    return emptyState(t('None'), t('No order is of these days, this customer and this currency.'));
  if (parameters.has('status')) return emptyState(t('None'), t('No order has this status at the moment.'));
  const next = h('a', { class: 'button primary', href: '#/new' }, t('Enter the first order'));
  return emptyState(
    t('No orders yet'),
    t('Orders show up here as they are placed, here or through the API.'),
    next,
  );
}

const number: Column<Order> = {
  label: t('No.'),
  kind: 'tight',
  cell: ({ id }) => rowLink(`#/orders/${id}`, `#${id}`),
};
const placed: Column<Order> = {
  label: t('Placed'),
  kind: 'tight wide',
  cell: ({ createdAt }) =>
    h('time', { datetime: createdAt, title: dateTime(createdAt) }, shortTime(createdAt)),
};
const customer: Column<Order> = {
  label: t('Customer'),
  cell: (order) => [
    h('span', { class: 'clip', dir: 'auto' }, customerName(order)),
    h('span', { class: 'phone' }, pill(order.status)),
  ],
};
const items: Column<Order> = {
  label: t('Items'),
  kind: 'wide',
  cell: (order) => h('span', { class: 'clip soft', dir: 'auto' }, itemsText(order.items)),
};
const status: Column<Order> = {
  label: t('Status'),
  kind: 'tight wide',
  cell: (order) => pill(order.status),
};
const total: Column<Order> = {
  label: t('Total'),
  kind: 'number',
  cell: (order) => wrappingMoney(order.total, order.currency),
};
/** The columns of lists of orders. */
export const orderColumns = { number, placed, customer, items, status, total };

function itemsText([first, ...others]: Order['items']): string {
  if (first === undefined) return '';
  const times = first.quantity === 1 ? '' : `${first.quantity} × `;
  return `${times}${first.name}${others.length === 0 ? '' : `, +${others.length}`}`;
}

/** A button for the usual next step; the order's page has the others. */
export function stepColumn({ steps }: Page): Column<LatestOrder> {
  return {
    label: t('Next step'),
    kind: 'action',
    cell(order) {
      const { id, status, isMoved = false } = order;
      const key = { 'data-key': `step-${id}` };
      if (steps.nextStatusOf(id) !== undefined) return steps.undoButton(id);
      if (isMoved)
        return h('span', { class: 'action' }, h('span', { tabindex: -1, ...key }, statusNames[status]));
      const [to] = stepsOf[status];
      if (to === undefined || to === 'refunded') return undefined;
      const label = t('{step}: order {id}', { step: stepNames[to], id });
      return action(stepNames[to], async () => steps.begin(order, to), { ...key, 'aria-label': label });
    },
  };
}
