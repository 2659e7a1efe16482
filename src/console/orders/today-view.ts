// Today: its money, the orders that wait longest for their next step, the latest events, and for administrators what
// they have to look after. Each of the four is loaded again after events that concern it.
import { alertList, type Alert, loadAlerts, registrationHint } from '../office/alerts.ts';
import { customerName } from '../customers/customer-words.ts';
import { query } from '../service/api-client.ts';
import type { List, Order, StatusCounts } from '../words/api-types.ts';
import { card } from '../page/cards.ts';
import { watchDay } from '../browser/day-change.ts';
import { type Child, fill, h } from '../browser/elements.ts';
import { eventList, isNews, latestShown, type NamedEvent, readLatest } from '../page/event-list.ts';
import { age, count, dateTime, money, shopCurrency, shopDays, shortTime, today } from '../words/formats.ts';
import { newerNotice, rowsInPlace } from '../lists/live-rows.ts';
import { hasImports, isRegistrationOpen } from '../words/page-meta.ts';
import { now } from '../words/service-clock.ts';
import type { WaitingStatus } from '../words/statuses.ts';
import { type Column, table } from '../lists/tables.ts';
import { rich, t } from '../words/texts.ts';
import {
  emptyState,
  type News,
  type Page,
  type Reload,
  reloadable,
  setPageTitle,
  skeleton,
} from '../page/view.ts';
import { amountOf, customerHead, orderColumns, pill, stepColumn } from './order-columns.ts';
import { ordersOf, readSold, type Sold } from './sales-figures.ts';

/** A backup that grows old leaves no event. */
const alertsMilliseconds = 60_000;

export function todayView(page: Page): void {
  const { main, signal, user } = page;
  const [tiles, toDo, alerts, latest] = [
    h('div.tiles', tilesOf()),
    h('div', skeleton(6)),
    h('div'),
    h('div', skeleton(6)),
  ];
  const reloads = [
    reloadable<Sums>(page, tiles, {
      load: readSums,
      draw: tilesOf,
      concerns: ({ type }) => type.startsWith('order.'),
    }),
    reloadable<ToDo>(page, toDo, {
      load: readToDo,
      draw: (shown, reload) => shown.orders.length > 0 && toDoCard(page, shown, reload),
      concerns: ({ type }) => /^(order\.|customer\.(changed|erased))/.test(type),
    }),
    reloadable<Latest>(page, latest, {
      load: readNews,
      draw: (shown) => [shown.orders.length === 0 && firstSteps(page), latestCard(shown)],
      concerns: isNews,
    }),
  ];
  if (user.role === 'admin')
    reloadable<readonly Alert[]>(page, alerts, {
      load: (loading) => loadAlerts(loading.client, loading.signal),
      draw: alertList,
      everyMilliseconds: alertsMilliseconds,
    });
  const end = h('a.button', { href: daysEnd() }, t('Day’s end'));
  watchDay(signal, today, () => {
    end.href = daysEnd();
    for (const reload of reloads) void reload();
  });
  const enter = h('a.button.primary', { href: '#/new' }, t('New order'));
  fill(main, setPageTitle(t('Today'), enter, end), tiles, h('div.columns.today', toDo, alerts, latest));
}

function daysEnd(): string {
  return `#/day?date=${today()}`;
}

type Sums = { readonly sold: Sold; readonly counts: StatusCounts };

async function readSums(page: Page): Promise<Sums> {
  const from = shopDays().startOfDay(now());
  const [sold, counts] = await Promise.all([
    readSold(page, { from, before: shopDays().startOfDay(from, 1), by: 'day' }),
    page.client.get<StatusCounts>('/orders/counts', page.signal),
  ]);
  return { sold, counts };
}

/** Without figures until they are known. */
function tilesOf(sums?: Sums): Child {
  const tile = (label: string, note: Child, href: string, figure?: Child): HTMLElement =>
    h('a.tile', { href }, h('span.label', label), h('span.figure', figure ?? '…'), h('span.label', note));
  const { sold, counts } = sums ?? {};
  const placed = sold?.currencies.flatMap((currency) => sold.of(currency).placed);
  return [
    tile(t('Received today'), t('Less refunds'), daysEnd(), sold && receivedText(sold)),
    tile(t('Orders today'), t('Placed'), daysEnd(), placed && count(ordersOf(placed))),
    waitingStatuses.map((status) =>
      tile(waits[status].label, pill(status), oldestFirst(status), counts && count(counts[status])),
    ),
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

/** The tile of each status, and the link to all its orders; those without one wait for somebody else than the shop. */
const waits = {
  paid: { label: t('To be shipped'), all: t('All that are to be shipped') },
  open: { label: t('To be paid'), all: t('All that are to be paid') },
  shipped: { label: t('On the way'), all: undefined },
} as const satisfies Readonly<Record<WaitingStatus, object>>;
const waitingStatuses = Object.keys(waits) as WaitingStatus[]; // a literal has no other keys

function oldestFirst(status: WaitingStatus): string {
  return `#/orders?${query({ status, sort: 'createdAt' })}`;
}

type ToDo = {
  /** The orders that the shop has to do something for; orders to be shipped come first. */
  readonly orders: readonly Order[];
  /** The statuses of which there are more. */
  readonly more: readonly WaitingStatus[];
  /** The number of orders that wait to come into the list. */
  readonly newer: number;
};

/** The orders shown of each status. */
const toDoShown = 6;

async function readToDo({ client, signal }: Page, _show: unknown, news?: News<ToDo>): Promise<ToDo> {
  const shopsOwn = waitingStatuses.filter((status) => waits[status].all !== undefined);
  const include = { include: 'customer' };
  const lists = await Promise.all(
    shopsOwn.map((status) => {
      const parameters = query({ status, ...include, sort: 'createdAt', limit: toDoShown });
      return client.get<List<Order>>(`/orders?${parameters}`, signal);
    }),
  );
  const loaded = lists.flatMap(({ data }) => data);
  const more = shopsOwn.filter((_, index) => lists[index]?.next !== null);
  const before = news?.shown.orders ?? [];
  if (news === undefined || before.length === 0) return { orders: loaded, more, newer: 0 };
  const known = { loaded, path: '/orders', include, subjects: news.subjects, signal };
  const newer = loaded.filter((order) => !before.some(({ id }) => id === order.id)).length;
  return { orders: await rowsInPlace(client, before, known), more, newer };
}

function toDoCard(page: Page, { orders, more, newer }: ToDo, reload: Reload): HTMLElement {
  const links = more.map((status) => h('a', { href: oldestFirst(status) }, waits[status].all));
  return h(
    'section.card.flush',
    h('h2', t('To do')),
    newerNotice(newer, reload),
    table(t('Orders that wait'), [...toDoColumns, stepColumn(page)], page.steps.latest(orders)),
    links.length > 0 && h('p.links', links),
  );
}

const toDoColumns: readonly Column<Order>[] = [
  orderColumns.number,
  {
    label: t('Customer'),
    head: customerHead,
    cell: (order) => [
      amountOf(order),
      h('span.clip', { dir: 'auto' }, customerName(order)),
      h('span.phone', pill(order.status, [order]), !isOfToday(order) && [' ', ageOf(order)]),
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

type Latest = {
  readonly events: readonly NamedEvent[];
  /** The orders that were changed last. */
  readonly orders: readonly Order[];
};

async function readNews(page: Page): Promise<Latest> {
  const changed = query({ include: 'customer', sort: '-updatedAt', limit: latestShown });
  const [events, { data }] = await Promise.all([
    readLatest(page),
    page.client.get<List<Order>>(`/orders?${changed}`, page.signal),
  ]);
  return { events: await withNames(page, events), orders: data };
}

/** Gives events of new customers, products and people their names. Staff can read no names of accounts. */
async function withNames(
  { client, signal, user }: Page,
  events: readonly NamedEvent[],
): Promise<readonly NamedEvent[]> {
  const newest = query({ sort: '-createdAt', limit: latestShown });
  const paths = ['/customers', '/products', ...(user.role === 'admin' ? ['/api/users'] : [])];
  const lists = paths.map(async (path) => {
    const isNew = events.some(
      ({ type, subject }) => /\.created$/.test(type) && subject.startsWith(`${path}/`),
    );
    if (!isNew) return [];
    const list = client.get<List<{ id: number; name: string }>>(`${path}?${newest}`, signal);
    const { data } = await list.catch(() => ({ data: [] }));
    return data.map(({ id, name }): [string, string] => [`${path}/${id}`, name]);
  });
  const names = new Map([[`/api/users/${user.id}`, user.name], ...(await Promise.all(lists)).flat()]);
  const named = events.map((event) => ({ ...event, about: names.get(event.subject) ?? event.about }));
  const isNumber = ({ subject, about }: NamedEvent): boolean =>
    about === undefined && /^\/api\/users\//.test(subject);
  return user.role === 'admin' ? named : named.filter((event) => !isNumber(event));
}

function latestCard({ events, orders }: Latest): Child {
  const bySubject = new Map(orders.map((order) => [`/orders/${order.id}`, order]));
  const about = ({ subject }: NamedEvent): Child => {
    const order = bySubject.get(subject);
    return order && [h('bdi', customerName(order)), money(order.total, order.currency)];
  };
  return events.length > 0 && card(t('Latest'), eventList(events, { about, linesMax: latestShown }));
}

/** What is to be done until the first order. */
function firstSteps({ user }: Page): HTMLElement {
  const isAdmin = user.role === 'admin';
  const step = (title: string, text: string, href: string): HTMLElement =>
    h('li', h('a', { href }, title), ` ${text}`);
  const importLink = (kind: 'customers' | 'products', name: string): HTMLElement =>
    h('a', { href: `#/${kind}/import` }, name);
  const imports = {
    customers: importLink('customers', t('Customers')),
    products: importLink('products', t('Products')),
  };
  return emptyState(
    t('Welcome'),
    t('No order is here yet. To begin:'),
    h(
      'ol.steps',
      step(t('Enter a customer'), t('– a name is enough.'), '#/customers/new'),
      step(t('Enter your products'), t('– each has a name, a price, and a number or barcode.'), '#/products'),
      isAdmin && hasImports && h('li', rich('Import {customers} or {products} from a spreadsheet.', imports)),
      step(t('Place an order'), t('– it is open until it is paid.'), '#/new'),
      step(t('Add the people'), t('who work here: staff may process all orders.'), '#/people'),
      isAdmin && isRegistrationOpen() && h('li', registrationHint()),
    ),
  );
}
