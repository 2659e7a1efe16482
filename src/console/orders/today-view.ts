// Today: its money, the orders that wait longest for their next step, the latest events, and for administrators what
// they have to look after. Each of the four is loaded again after events that concern it.
import { alertList, type Alert, loadAlerts } from '../office/alerts.ts';
import { registrationHint } from '../office/registration-hint.ts';
import { customerName } from '../customers/customer-words.ts';
import { query } from '../parts/api-client.ts';
import type { List, Order, ServiceEvent } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import { watchDay } from '../parts/day-change.ts';
import { Drawing } from '../parts/drawing.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { eventList, isNews, type NamedEvent, readLatest } from '../parts/event-list.ts';
import { age, count, dateTime, money, shopCurrency, shopDays, shortTime, today } from '../parts/formats.ts';
import { newerNotice, rowsInPlace } from '../parts/live-rows.ts';
import { isRegistrationOpen } from '../parts/page-text.ts';
import { now } from '../parts/service-clock.ts';
import type { WaitingStatus } from '../parts/statuses.ts';
import { type Column, table } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import { emptyState, type Page, type Reload, reloadable, setPageTitle, skeleton } from '../parts/view.ts';
import { amountOf, orderColumns, pill, stepColumn } from './order-columns.ts';
import { ordersOf, readSold, type Sold } from './sales-figures.ts';

/** A backup that grows old leaves no event. */
const alertsMilliseconds = 60_000;

export function todayView(page: Page): void {
  const { main, signal, user } = page;
  const [money, counts, alerts] = [h('div', moneyTiles()), h('div'), h('div')];
  const [toDo, latest] = [h('div', skeleton(6)), h('div', skeleton(6))];
  const end = h('a.button', { href: daysEnd() }, t('Day’s end'));
  const reloads = [
    reloadable<Sold>(page, money, { load: readToday, draw: moneyTiles, concerns: isOfMoney }),
    waitingOrders(page, counts, toDo),
    reloadable<readonly NamedEvent[] | undefined>(page, latest, {
      load: readEvents,
      draw: (events) =>
        events === undefined ? firstSteps(page) : events.length > 0 && card(t('Latest'), eventList(events)),
      concerns: isNews,
    }),
  ];
  if (user.role === 'admin')
    reloadable<readonly Alert[]>(page, alerts, {
      load: (loading) => loadAlerts(loading.client, loading.signal),
      draw: alertList,
      everyMilliseconds: alertsMilliseconds,
    });
  watchDay(signal, today, () => {
    end.href = daysEnd();
    for (const reload of reloads) void reload();
  });
  const enter = h('a.button.primary', { href: '#/new' }, t('New order'));
  fill(
    main,
    setPageTitle(t('Today'), enter, end),
    h('div.tiles', money, counts),
    h('div.columns.today', toDo, alerts, latest),
  );
}

function daysEnd(): string {
  return `#/day?date=${today()}`;
}

function readToday(page: Page): Promise<Sold> {
  const from = shopDays().startOfDay(now());
  return readSold(page, { from, before: shopDays().startOfDay(from, 1), by: 'day' });
}

/** Notes and addresses are worth nothing. */
function isOfMoney({ type, changes }: ServiceEvent): boolean {
  return (
    type.startsWith('order.') && (type !== 'order.changed' || 'total' in changes || 'currency' in changes)
  );
}

/** Without figures until they are known. */
function moneyTiles(sold?: Sold): Child {
  const href = daysEnd();
  const placed = sold?.currencies.flatMap((currency) => sold.of(currency).placed);
  const orders = placed && count(ordersOf(placed));
  const received = sold && receivedText(sold);
  return [
    tile({ label: t('Received today'), figure: received, href, note: t('Less refunds and corrections') }),
    tile({ label: t('Orders today'), figure: orders, href, note: t('All that were placed') }),
  ];
}

/** All currencies but the first share a line, so that the tile never grows. */
function receivedText({ currencies, of }: Sold): Child {
  const moved = currencies.filter((currency) => of(currency).moved.length > 0);
  const [first = shopCurrency(), ...others] = moved;
  const more = others.map((currency) => {
    const { received } = of(currency);
    return `${received < 0 ? '' : '+ '}${money(received, currency)}`;
  });
  const title = more.join(' ');
  return [money(of(first).received, first), title !== '' && h('small.clip', { title }, title)];
}

type Tile = { readonly label: string; readonly figure: Child; readonly note: Child; readonly href: string };

function tile({ label, figure = '…', note, href }: Tile): HTMLElement {
  return h('a.tile', { href }, h('span.label', label), h('span.figure', figure), h('span.label', note));
}

/** The tile of each status, and the link to all its orders; those without one wait for somebody else than the shop. */
const waits = {
  paid: { label: t('To be shipped'), all: 'All {count} to be shipped' },
  open: { label: t('To be paid'), all: 'All {count} to be paid' },
  shipped: { label: t('On the way'), all: undefined },
} as const satisfies Readonly<Record<WaitingStatus, object>>;
const waitingStatuses = Object.keys(waits) as WaitingStatus[]; // a literal has no other keys

type Waiting = {
  /** The orders that the shop has to do something for; orders to be shipped come first. */
  readonly orders: readonly Order[];
  /** The number of orders of each status. */
  readonly totals: Readonly<Record<WaitingStatus, number>>;
  /** The number of orders that wait to come into the list. */
  readonly newer: number;
};

/** The orders shown of each status. */
const toDoShown = 6;

/** Draws the tiles with their numbers, and the list of those that the shop has to do something for. */
function waitingOrders(page: Page, counts: HTMLElement, toDo: HTMLElement): Reload {
  const tiles = new Drawing(counts);
  const drawTiles = (totals?: Waiting['totals']): void =>
    tiles.show(
      waitingStatuses.map((status) =>
        tile({
          label: waits[status].label,
          figure: totals && count(totals[status]),
          note: pill(status),
          href: oldestFirst(status),
        }),
      ),
    );
  drawTiles();
  return reloadable<Waiting>(page, toDo, {
    async load({ client, signal }, _show, news) {
      const read = async (status: WaitingStatus): Promise<List<Order>> => {
        const limit = waits[status].all === undefined ? 1 : toDoShown;
        const parameters = query({ status, include: 'customer', sort: 'createdAt', limit, total: true });
        return client.get<List<Order>>(`/orders?${parameters}`, signal);
      };
      const [paid, open, shipped] = await Promise.all([read('paid'), read('open'), read('shipped')]);
      const { total: ofPaid = 0 } = paid;
      const totals = { paid: ofPaid, open: open.total ?? 0, shipped: shipped.total ?? 0 };
      const loaded = [...paid.data, ...open.data];
      const before = news?.shown.orders ?? [];
      if (news === undefined || before.length === 0) return { orders: loaded, totals, newer: 0 };
      const { subjects } = news;
      const known = { loaded, path: '/orders', include: { include: 'customer' }, subjects, signal };
      const newer = loaded.filter((order) => !before.some(({ id }) => id === order.id)).length;
      return { orders: await rowsInPlace(client, before, known), totals, newer };
    },
    draw({ orders, totals, newer }, reload) {
      drawTiles(totals);
      return orders.length > 0 && toDoCard(page, { orders, totals, newer }, reload);
    },
    concerns: ({ type }) => /^(order\.|customer\.(changed|erased))/.test(type),
  });
}

function oldestFirst(status: WaitingStatus): string {
  return `#/orders?${query({ status, sort: 'createdAt' })}`;
}

function toDoCard(page: Page, { orders, totals, newer }: Waiting, reload: Reload): HTMLElement {
  const links = waitingStatuses.map((status) => {
    const { all } = waits[status];
    if (all === undefined || totals[status] <= toDoShown) return undefined;
    return h('a', { href: oldestFirst(status) }, t(all, { count: count(totals[status]) }));
  });
  return h(
    'section.card.flush',
    h('h2', t('To do')),
    newerNotice(newer, reload),
    table(t('Orders that wait'), [...toDoColumns, stepColumn(page)], orders),
    links.some((link) => link !== undefined) && h('p.links', links),
  );
}

const toDoColumns: readonly Column<Order>[] = [
  orderColumns.number,
  {
    label: t('Customer'),
    cell: (order) => [
      amountOf(order),
      h('span.clip', { dir: 'auto' }, customerName(order)),
      h('span.phone', pill(order.status), !isOfToday(order) && [' ', ageOf(order)]),
    ],
  },
  { label: t('Waits'), kind: 'tight wide', cell: ageOf },
  orderColumns.total,
];

function isOfToday({ createdAt }: Order): boolean {
  return new Date(createdAt) >= shopDays().startOfDay(now());
}

function ageOf(order: Order): HTMLElement {
  const { createdAt: datetime } = order;
  const isEarly = isOfToday(order);
  const attributes = { datetime, title: dateTime(datetime), class: !isEarly && 'late' };
  return h('time', attributes, isEarly ? shortTime(datetime) : age(datetime));
}

/** Returns the latest events; undefined before the first customer and order, when there are only those of the office. */
async function readEvents(page: Page): Promise<readonly NamedEvent[] | undefined> {
  const events = await readLatest(page);
  if (!events.every(({ subject }) => /^\/(api|shop|webhooks)\b/.test(subject))) return events;
  const { data } = await page.client.get<List<Order>>('/orders?limit=1', page.signal);
  return data.length === 0 ? undefined : events;
}

function firstSteps({ user }: Page): HTMLElement {
  const isAdmin = user.role === 'admin';
  const step = (title: string, text: string, href: string): HTMLElement =>
    h('li', h('a', { href }, title), ` ${text}`);
  const imported = t('from a spreadsheet; products are imported under Products.');
  const ownPassword = t('if the service made it: that one works for 7 days.');
  return emptyState(
    t('Welcome'),
    t('Nothing is here yet. To begin:'),
    h(
      'ol.steps',
      step(t('Enter a customer'), t('– a name is enough.'), '#/customers/new'),
      isAdmin && step(t('Import your customers'), imported, '#/customers/import'),
      step(t('Place an order'), t('– it is open until it is paid.'), '#/new'),
      step(t('Add the people'), t('who work here: staff may process all orders.'), '#/people'),
      step(t('Change your password'), ownPassword, '#/account'),
      isAdmin && isRegistrationOpen() && h('li', registrationHint()),
    ),
  );
}
