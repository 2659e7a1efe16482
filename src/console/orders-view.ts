// The list of orders: search, statuses, live updates, and a button for the next step of each order.
import { query } from './api-client.ts';
import { type List, type Order, steps } from './api-types.ts';
import { watchDay } from './day-change.ts';
import { reloadable, emptyState, setPageTitle, isStaff, type Page, type Reload, skeleton } from './view.ts';
import { notify } from './dialogs.ts';
import { type Child, fill, h } from './elements.ts';
import { dateTime, money, shortTime, statusNames, stepNames } from './formats.ts';
import { action } from './forms.ts';
import { csvButton, searchField, statusTabs } from './list-tools.ts';
import { pill } from './order-status.ts';
import { type Column, pager, rowLink, table } from './tables.ts';

const rowsPerPage = 50;

export function ordersView(page: Page): void {
  const { main, parameters, signal } = page;
  const list = h('div', { class: 'list' }, skeleton(10));
  const reload = reloadable(page, list, {
    load: ({ client, signal }) => client.get<List<Order>>(`/orders?${listQuery(parameters)}`, signal),
    draw: (orders, reload) => ordersList(page, orders, reload),
    concerns: ({ subject }) => subject.startsWith('/orders/'),
  });
  watchDay(signal, () => void reload()); // orders of today are shown without their date
  const status = parameters.get('status') ?? undefined;
  fill(
    main,
    setPageTitle(
      'Orders',
      csvButton(page, `/orders?${query({ status })}`, 'orders.csv'),
      h('a', { class: 'button primary', href: '#/new' }, 'New order'),
    ),
    h(
      'div',
      { class: 'toolbar' },
      searchField(page, 'orders', { label: 'Search orders', reload }),
      statusTabs(parameters),
    ),
    list,
  );
}

function listQuery(parameters: URLSearchParams): string {
  const q = parameters.get('q') ?? undefined;
  const status = parameters.get('status') ?? undefined;
  const cursor = q === undefined ? (parameters.get('cursor') ?? undefined) : undefined;
  return query({ q, status, cursor, include: 'customer', limit: rowsPerPage });
}

function ordersList(page: Page, { data, next }: List<Order>, reload: Reload): Child {
  const { parameters } = page;
  if (data.length === 0) return noOrders(parameters);
  const columns = [...orderColumns, stepColumn(page, reload)];
  const isSearch = parameters.has('q');
  return [
    table('Orders', isStaff(page) ? columns : orderColumns, data),
    isSearch &&
      data.length === rowsPerPage &&
      h('p', { class: 'hint' }, 'There may be more: add a word to narrow it down.'),
    pager(next, { label: 'Pages of orders', parameters, name: 'orders' }),
  ];
}

function noOrders(parameters: URLSearchParams): HTMLElement {
  if (parameters.has('q'))
    return emptyState(
      'Nothing found',
      'An order is found by its number, its customer’s name, e-mail or phone, and by its items.',
    );
  if (parameters.has('status')) return emptyState('None', 'No order has this status at the moment.');
  const next = h('a', { class: 'button primary', href: '#/new' }, 'Enter the first order');
  return emptyState(
    'No orders yet',
    'Orders show up here as they are placed, here or through the API.',
    next,
  );
}

export const orderColumns: readonly Column<Order>[] = [
  { label: 'Order', kind: 'tight', cell: ({ id }) => rowLink(`#/orders/${id}`, `#${id}`) },
  {
    label: 'Placed',
    kind: 'tight wide',
    cell: ({ createdAt }) =>
      h('time', { datetime: createdAt, title: dateTime(createdAt) }, shortTime(createdAt)),
  },
  {
    label: 'Customer',
    cell: ({ customer, customerId, status }) => [
      h('span', { class: 'clip' }, customer?.name ?? `Customer ${customerId}`),
      h('span', { class: 'phone' }, pill(status)),
    ],
  },
  { label: 'Items', kind: 'wide', cell: ({ items }) => h('span', { class: 'clip soft' }, itemsText(items)) },
  { label: 'Status', kind: 'tight wide', cell: ({ status }) => pill(status) },
  { label: 'Total', kind: 'number', cell: ({ total, currency }) => money(total, currency) },
];

function itemsText([first, ...others]: Order['items']): string {
  if (first === undefined) return '';
  const times = first.quantity === 1 ? '' : `${first.quantity} × `;
  return `${times}${first.name}${others.length === 0 ? '' : `, +${others.length}`}`;
}

/** A button for the usual next step; the order's page has the others. */
export function stepColumn({ client }: Page, reload: Reload): Column<Order> {
  return {
    label: 'Next step',
    kind: 'action',
    cell({ id, status, updatedAt }) {
      const [to] = steps[status];
      if (to === undefined || to === 'refunded') return undefined;
      // one key for each version of the order, so a second click after a lost response has no effect
      const idempotencyKey = `console-${id}-${to}-${updatedAt}`;
      const change = async (): Promise<void> => {
        await client.send('PATCH', `/orders/${id}`, { body: { status: to }, idempotencyKey });
        notify(`Order ${id} is ${statusNames[to].toLowerCase()}.`);
        await reload();
      };
      return action(stepNames[to], change, {
        'data-key': `step-${id}`,
        'aria-label': `${stepNames[to]}: order ${id}`,
      });
    },
  };
}
