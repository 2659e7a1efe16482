// The list of orders: search, statuses, live updates, and a button for the next step of each order.
import { query } from '../service/api-client.ts';
import { type Order, type StatusCounts, statuses } from '../words/api-types.ts';
import { watchDay } from '../browser/day-change.ts';
import { Drawing } from '../browser/drawing.ts';
import { type Child, h } from '../browser/elements.ts';
import { count, today } from '../words/formats.ts';
import { listPage } from '../lists/list-page.ts';
import { statusTitle } from '../words/statuses.ts';
import { tabLinks } from '../lists/tables.ts';
import { t } from '../words/texts.ts';
import { emptyState, isStaff, type Page, urlWith } from '../page/view.ts';
import { orderColumns, stepColumn } from './order-columns.ts';
import { filterBar, filtersIn, orderFilter } from './order-filters.ts';
import { orderSelection } from './order-selection.ts';

export function ordersView(page: Page): void {
  const { parameters, signal } = page;
  const selection = orderSelection(page);
  const tabs = statusTabs(page);
  const filters = filterBar(page, () => {
    tabs.show();
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
      columns: () => (isStaff(page) ? [selection.column(), ...shown, stepColumn(page)] : shown),
      toolbar: [filters.element, tabs.element],
      buttons: () => h('a.button.primary', { href: '#/new' }, t('New order')),
      file: 'orders.csv',
      none: noOrders,
      onWords() {
        tabs.show();
        filters.show();
      },
      shown(loaded) {
        const orders = page.steps.latest(loaded);
        selection.show(orders);
        return orders;
      },
    },
    selection.element,
  );
  watchDay(signal, today, () => void reload()); // orders of today are shown without their date
}

/** Between two requests: the service counts all orders for each. */
const pauseMilliseconds = 5_000;

/**
 * A tab for each status, with the number of its orders: without numbers until they are known, and for a search. Search
 * and filters are kept in each tab. Call `show` when they have changed.
 */
function statusTabs(page: Page) {
  const { client, live, parameters, signal } = page;
  const drawing = new Drawing(h('div.statuses'));
  let known: { readonly path: string; readonly counts: StatusCounts } | undefined;
  let timer = 0;

  const path = (): string => `/orders/counts?${query({ ...orderFilter(parameters), status: undefined })}`;

  function draw(): void {
    const counts = known?.path === path() && !parameters.has('q') ? known.counts : undefined;
    const tab = (value: string, label: string, number?: number): readonly [string, Child] => {
      return [value, [label, number !== undefined && [' ', h('span.count', count(number))]]];
    };
    const all = counts && Object.values(counts).reduce((sum, each) => sum + each, 0);
    const tabs = statuses.map((status) => tab(status, statusTitle(status), counts?.[status]));
    const current = parameters.get('status') ?? '';
    const href = (value: string): string => urlWith(page, 'status', value);
    drawing.show(tabLinks(t('Status'), [tab('', t('All'), all), ...tabs], { current, href }));
  }

  /** The tabs are of use without the numbers, too. */
  async function load(): Promise<void> {
    timer = 0;
    if (parameters.has('q')) return;
    const asked = path();
    const counts = await client.get<StatusCounts>(asked, signal).catch(() => undefined);
    if (counts !== undefined) known = { path: asked, counts };
    draw();
  }

  function show(): void {
    draw();
    if (known?.path !== path()) void load();
  }

  live.watch(signal, (events) => {
    if (timer === 0 && (events.length === 0 || events.some(({ type }) => type.startsWith('order.'))))
      timer = setTimeout(() => void load(), pauseMilliseconds);
  });
  signal.addEventListener('abort', () => clearTimeout(timer));
  show();
  return { element: drawing.element, show };
}

function noOrders(parameters: URLSearchParams): HTMLElement {
  if (parameters.has('q'))
    return emptyState(
      t('Nothing found'),
      t(
        'An order is found by its number or amount, its customer’s name, e-mail, phone or city, and by its items.',
      ),
    );
  if (filtersIn(parameters) > 0)
    return emptyState(t('None'), t('No order has all that the filter asks for.'));
  if (parameters.has('status')) return emptyState(t('None'), t('No order has this status at the moment.'));
  const next = h('a.button.primary', { href: '#/new' }, t('Enter the first order'));
  return emptyState(
    t('No orders yet'),
    t('Orders show up here as they are placed, here or through the API.'),
    next,
  );
}
