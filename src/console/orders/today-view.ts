// Today: its money, the orders that wait longest for their next step, the latest events, and for administrators what
// they have to look after. Each of the four is loaded again after events that concern it.
import { alertList, type Alert, loadAlerts } from '../office/alerts.ts';
import { registrationHint } from '../office/registration-hint.ts';
import { customerName } from '../customers/customer-words.ts';
import { query } from '../parts/api-client.ts';
import type { Figures, List, Order, ServiceEvent } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import { watchDay } from '../parts/day-change.ts';
import { Drawing } from '../parts/drawing.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { eventList, isNews, type NamedEvent, readLatest } from '../parts/event-list.ts';
import {
  addDays,
  age,
  count,
  dateTime,
  money,
  shopCurrency,
  shortTime,
  startOfDay,
  today,
} from '../parts/formats.ts';
import { newerNotice, rowsInPlace } from '../parts/live-rows.ts';
import { isRegistrationOpen } from '../parts/page-text.ts';
import { now } from '../parts/service-clock.ts';
import type { WaitingStatus } from '../parts/statuses.ts';
import { type Column, table } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import {
  emptyState,
  type News,
  type Page,
  type Reload,
  reloadable,
  setPageTitle,
  skeleton,
} from '../parts/view.ts';
import { orderColumns, pill, stepColumn } from './order-columns.ts';
import {
  currenciesOf,
  figuresOf,
  ofCurrency,
  ordersOf,
  readSold,
  type Sold,
  totalOf,
} from './sales-figures.ts';

export function todayView(page: Page): void {
  const { main, signal, user } = page;
  const [money, counts, toDo, alerts] = [h('div', moneyTiles()), h('div'), h('div', skeleton(6)), h('div')];
  const latest = h('div', skeleton(6));
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

/** A backup that grows old leaves no event. */
const alertsMilliseconds = 60_000;

function daysEnd(): string {
  return `#/day?date=${today()}`;
}

function readToday(page: Page): Promise<Sold> {
  const from = startOfDay(now());
  return readSold(page, { from, before: addDays(from, 1), by: 'day' });
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
  const received = sold && receivedText(figuresOf(sold.received));
  const orders = sold && count(ordersOf(figuresOf(sold.placed)));
  return [
    tile({ label: t('Received today'), figure: received, href, note: t('Less refunds and corrections') }),
    tile({ label: t('Orders today'), figure: orders, href, note: t('All that were placed') }),
  ];
}

/** One line for all other currencies: the tile keeps its height when a third one comes. */
function receivedText(figures: readonly Figures[]): Child {
  const [first = shopCurrency(), ...others] = currenciesOf(figures);
  const received = (currency: string): number => totalOf(ofCurrency(figures, currency));
  const more = others
    .map((currency) => `${received(currency) < 0 ? '' : '+ '}${money(received(currency), currency)}`)
    .join(' ');
  return [money(received(first), first), more !== '' && h('small.clip', { title: more }, more)];
}

type Tile = {
  readonly label: string;
  readonly figure: Child;
  /** Explains the figure. */
  readonly note?: string;
  readonly href: string;
};

function tile({ label, figure = '…', note, href }: Tile): HTMLElement {
  const explained = note !== undefined && h('span.label', note);
  return h('a.tile', { href }, h('span.label', label), h('span.figure', figure), explained);
}

/** The tile of each status, and the link to all its orders; those without one wait for somebody else than the shop. */
const waits = {
  paid: { label: t('To be shipped'), all: 'All {count} to be shipped' },
  open: { label: t('To be paid'), all: 'All {count} to be paid' },
  shipped: { label: t('On the way'), all: undefined },
} as const satisfies Readonly<Record<WaitingStatus, object>>;
const waitingStatuses = Object.keys(waits) as WaitingStatus[]; // a literal has no other keys

/** The orders of one status that wait longest, and how many there are. */
type Waiting = { readonly status: WaitingStatus } & List<Order>;
type WaitingOrders = {
  readonly lists: readonly Waiting[];
  /** The number of orders that wait to come into the list. */
  readonly newer?: number;
};

/** Of each status. */
const toDoShown = 6;

/** Draws the tiles with their numbers, and the list of those that the shop has to do something for. */
function waitingOrders(page: Page, counts: HTMLElement, toDo: HTMLElement): Reload {
  const tiles = new Drawing(counts);
  tiles.show(waitingStatuses.map((status) => waitingTile(status)));
  return reloadable<WaitingOrders>(page, toDo, {
    async load(loading, _show, news) {
      const lists = await Promise.all(waitingStatuses.map((status) => readWaiting(loading, status)));
      return news === undefined ? { lists } : heldInPlace(loading, lists, news);
    },
    draw({ lists, newer = 0 }, reload) {
      tiles.show(lists.map(({ status, total = 0 }) => waitingTile(status, count(total))));
      return toDoCard(page, lists, newerNotice(newer, reload));
    },
    concerns: ({ type }) => /^(order\.|customer\.(changed|erased))/.test(type),
  });
}

async function readWaiting({ client, signal }: Page, status: WaitingStatus): Promise<Waiting> {
  const limit = waits[status].all === undefined ? 1 : toDoShown;
  const parameters = query({ status, include: 'customer', sort: 'createdAt', limit, total: true });
  return { status, ...(await client.get<List<Order>>(`/orders?${parameters}`, signal)) };
}

function waitingTile(status: WaitingStatus, figure?: string): HTMLElement {
  return tile({ label: waits[status].label, figure, href: oldestFirst(status) });
}

/** The orders stay in their places, and what comes into the list meanwhile waits. */
async function heldInPlace(
  { client, signal }: Page,
  loaded: readonly Waiting[],
  { shown, subjects }: News<WaitingOrders>,
): Promise<WaitingOrders> {
  const before = toDoOf(shown.lists);
  if (before.length === 0) return { lists: loaded };
  const orders = loaded.flatMap(({ data }) => data);
  const known = { loaded: orders, path: '/orders', include: { include: 'customer' }, subjects, signal };
  const lists = loaded.map(async (list, index) => {
    return { ...list, data: await rowsInPlace(client, shown.lists[index]?.data ?? [], known) };
  });
  const newer = toDoOf(loaded).filter((order) => !before.some(({ id }) => id === order.id)).length;
  return { lists: await Promise.all(lists), newer };
}

/** Returns the orders that the shop has to do something for, those to be shipped first. */
function toDoOf(lists: readonly Waiting[]): readonly Order[] {
  return lists.filter(({ status }) => waits[status].all !== undefined).flatMap(({ data }) => data);
}

function oldestFirst(status: WaitingStatus): string {
  return `#/orders?${query({ status, sort: 'createdAt' })}`;
}

function toDoCard(page: Page, lists: readonly Waiting[], notice: Child): Child {
  const orders = toDoOf(lists);
  if (orders.length === 0) return undefined;
  const links = lists.flatMap(({ status, data, total = 0 }) => {
    const { all } = waits[status];
    if (all === undefined || total <= data.length) return [];
    return [h('a', { href: oldestFirst(status) }, t(all, { count: count(total) }))];
  });
  return h(
    'section.card.flush',
    h('h2', t('To do')),
    notice,
    table(t('Orders that wait'), [...toDoColumns, stepColumn(page)], orders),
    links.length > 0 && h('p.links', links),
  );
}

const toDoColumns: readonly Column<Order>[] = [
  orderColumns.number,
  {
    label: t('Customer'),
    cell: (order) => [
      h('span.clip', { dir: 'auto' }, customerName(order)),
      h('span.phone', pill(order.status), !isOfToday(order) && [' ', ageOf(order)]),
    ],
  },
  { label: t('Waits'), kind: 'tight wide', cell: ageOf },
  orderColumns.total,
];

function isOfToday({ createdAt }: Order): boolean {
  return new Date(createdAt) >= startOfDay(now());
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
  const step = (title: string, text: string, href: string): HTMLElement =>
    h('li', h('a', { href }, title), ` ${text}`);
  return emptyState(
    t('Welcome'),
    t('Nothing is here yet. To begin:'),
    h(
      'ol.steps',
      step(t('Enter a customer'), t('– a name is enough.'), '#/customers/new'),
      user.role === 'admin' &&
        step(
          t('Import your customers'),
          t('from a spreadsheet; products are imported under Products.'),
          '#/customers/import',
        ),
      step(t('Place an order'), t('– it is open until it is paid.'), '#/new'),
      step(t('Add the people'), t('who work here: staff may process all orders.'), '#/people'),
      step(t('Change your password'), t('if the service made it: that one works for 7 days.'), '#/account'),
      user.role === 'admin' && isRegistrationOpen() && h('li', registrationHint()),
    ),
  );
}
