// The list of orders: search, statuses, live updates, and a button for the next step of each order.
import type { Order } from '../parts/api-types.ts';
import { watchDay } from '../parts/day-change.ts';
import { emptyState, isStaff, type Page } from '../parts/view.ts';
import { Drawing } from '../parts/drawing.ts';
import { h } from '../parts/elements.ts';
import { today } from '../parts/formats.ts';
import { orderColumns, stepColumn } from './order-columns.ts';
import { listPage } from '../parts/list-page.ts';
import { statusTabs, watchCounts } from './order-counts.ts';
import { filterBar, isFiltered, orderFilter } from './order-filters.ts';
import { OrderSelection } from './order-selection.ts';
import { t } from '../parts/texts.ts';

export function ordersView(page: Page): void {
  const { parameters, signal } = page;
  const selection = new OrderSelection(page);
  const tabs = new Drawing(h('nav.tabs', { 'aria-label': t('Status') }));
  const showTabs = watchCounts(page, (counts) => tabs.show(statusTabs(parameters, counts)));
  const filters = filterBar(page, () => {
    showTabs();
    void reload();
  });
  const { number, placed, customer, items, status, total } = orderColumns;
  const shown = [number, placed, customer, items, status, total];
  const reload = listPage<Order>(
    page,
    {
      name: 'orders',
      title: t('Orders'),
      path: '/orders',
      searchLabel: t('Search orders'),
      filter: () => ({ ...orderFilter(parameters), sort: parameters.get('sort') }),
      include: { include: 'customer' },
      columns: () => (isStaff(page) ? [selection.column, ...shown, stepColumn(page)] : shown),
      toolbar: [tabs.element, filters.element],
      buttons: () => h('a.button.primary', { href: '#/new' }, t('New order')),
      file: 'orders.csv',
      none: noOrders,
      onWords() {
        showTabs();
        filters.onWords();
      },
      onRows: (orders) => selection.show(orders),
    },
    selection.element,
  );
  watchDay(signal, today, () => void reload()); // orders of today are shown without their date
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
  const next = h('a.button.primary', { href: '#/new' }, t('Enter the first order'));
  return emptyState(
    t('No orders yet'),
    t('Orders show up here as they are placed, here or through the API.'),
    next,
  );
}
