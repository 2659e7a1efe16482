// Today: its money, the orders that wait longest for their next step, the latest events, and for
// administrators what they have to look after.
import { query } from '../parts/api-client.ts';
import { type Figures, type List, type Order, type Sales, statuses } from '../parts/api-types.ts';
import { type Alert, alertList, loadAlerts } from '../office/alerts.ts';
import { registrationHint } from '../office/registration-hint.ts';
import { isRegistrationOpen } from '../parts/page-text.ts';
import { now } from '../parts/service-clock.ts';
import { card } from '../parts/cards.ts';
import { customerName } from '../customers/customer-words.ts';
import { watchDay } from '../parts/day-change.ts';
import {
  reloadable,
  emptyState,
  type News,
  setPageTitle,
  type Page,
  type Reload,
  skeleton,
} from '../parts/view.ts';
import { type Child, fill, h } from '../parts/elements.ts';
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
import { orderColumns, stepColumn } from './order-columns.ts';
import { eventList } from '../parts/event-list.ts';
import { isNews, type NamedEvent, readLatest } from '../parts/named-events.ts';
import { LiveValue } from '../parts/live-value.ts';
import { pill } from './order-status.ts';
import { isFinal, type WaitingStatus } from '../parts/statuses.ts';
import { newerNotice, rowsInPlace } from '../parts/live-rows.ts';
import { type Column, table } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import { currenciesOf, figuresOf, ordersOf, readSales, receivedOf } from './sales-figures.ts';

/** The statuses of orders that wait for their next step, and whether the shop has to do something for it. */
const waitingWords = {
  paid: { label: t('To be shipped'), all: 'All {count} to be shipped', isToDo: true },
  open: { label: t('To be paid'), all: 'All {count} to be paid', isToDo: true },
  shipped: { label: t('On the way'), all: 'All {count} on the way', isToDo: false },
} as const satisfies Readonly<Record<WaitingStatus, object>>;
const waitingStatuses = Object.keys(waitingWords) as WaitingStatus[]; // a literal has no other keys
const waiting = waitingStatuses.map((status) => ({ status, ...waitingWords[status] }));
type Kind = (typeof waiting)[number];

/** The orders of one status that wait longest, and how many there are. */
type Waiting = Kind & List<Order>;

type TodayData = {
  readonly sales: Sales;
  /** Money of today. */
  readonly received: Sales;
  readonly alerts: readonly Alert[];
  readonly waiting: readonly Waiting[];
  /** Undefined until they have been loaded, after what stands above them. */
  readonly events: readonly NamedEvent[] | undefined;
  /** The number of orders that wait to come into the list. */
  readonly newer?: number;
};

export function todayView(page: Page): void {
  const { main, signal, steps } = page;
  const content = h('div', skeleton(8));
  const sales = liveSales(page);
  const received = liveReceived(page);
  const alerts = liveAlerts(page);
  const latest = liveLatest(page);
  const lists = waiting.map((kind) => liveList(page, kind));
  const end = h('a.button', { href: daysEnd() }, t('Day’s end'));
  steps.addEventListener('stale', () => lists.forEach((list) => list.outdate()), { signal });
  let isFirst = true;
  const load = reloadable<TodayData>(page, content, {
    async load(loading, show, news) {
      const [current, money, ...waits] = await Promise.all([
        sales.get(loading),
        received.get(loading),
        ...lists.map((list) => list.get(loading)),
      ]);
      const first = { sales: current, received: money, waiting: waits };
      if (isFirst) show({ ...first, alerts: [], events: undefined }); // browsers have six connections
      isFirst = false;
      const [toLookAfter, events] = await Promise.all([alerts.get(loading), latest.get(loading)]);
      const today = { ...first, alerts: toLookAfter, events };
      return news === undefined ? today : heldToday(loading, today, news);
    },
    draw: (shown, reload) => todayContent(page, shown, reload),
    concerns: isNews,
  });
  watchDay(signal, today, () => {
    end.href = daysEnd();
    for (const value of [sales, received, alerts]) value.outdate();
    void load();
  });
  fill(
    main,
    setPageTitle(t('Today'), end, h('a.button.primary', { href: '#/new' }, t('New order'))),
    content,
  );
}

/** Returns the orders in their places. What comes into the list meanwhile waits. */
async function heldToday(
  { client, signal }: Page,
  loaded: TodayData,
  { shown, subjects }: News<TodayData>,
): Promise<TodayData> {
  if (toDoOf(shown.waiting).length === 0) return loaded;
  const orders = loaded.waiting.flatMap(({ data }) => data);
  const known = { loaded: orders, path: '/orders', include: { include: 'customer' }, subjects, signal };
  const rows = loaded.waiting.map(async (list, index) => {
    const before = shown.waiting[index]?.data ?? [];
    return { ...list, data: await rowsInPlace(client, before, known) };
  });
  const held = await Promise.all(rows);
  const ids = new Set(toDoOf(shown.waiting).map(({ id }) => id));
  const newer = toDoOf(loaded.waiting).filter(({ id }) => !ids.has(id)).length;
  return { ...loaded, waiting: held, newer };
}

function daysEnd(): string {
  return `#/day?date=${today()}`;
}

/** An order that has ended counts as sold no more. */
const soldTypes: readonly string[] = [
  'order.created',
  ...statuses.filter(isFinal).map((status) => `order.${status}` as const),
];
const moneyTypes: readonly string[] = ['order.paid', 'order.refunded', 'order.corrected'];

function liveSales({ live, signal }: Page): LiveValue<Sales, Page> {
  return new LiveValue(live, signal, {
    load: (page: Page) => readToday(page, 'placed'),
    concerns: ({ type, changes }) => soldTypes.includes(type) || 'total' in changes || 'currency' in changes,
  });
}

function liveReceived({ live, signal }: Page): LiveValue<Sales, Page> {
  return new LiveValue(live, signal, {
    load: (page: Page) => readToday(page, 'received'),
    concerns: ({ type }) => moneyTypes.includes(type),
  });
}

function readToday(page: Page, of: 'placed' | 'received'): Promise<Sales> {
  const from = startOfDay(now());
  return readSales(page, { of, from, before: addDays(from, 1), by: 'day' });
}

function liveAlerts({ live, signal }: Page): LiveValue<readonly Alert[], Page> {
  return new LiveValue(live, signal, {
    load: async ({ client, user, signal: loading }: Page) =>
      user.role === 'admin' ? loadAlerts(client, loading) : [],
    concerns: ({ type }) => type.startsWith('webhook.'),
  });
}

function liveLatest({ live, signal }: Page): LiveValue<readonly NamedEvent[], Page> {
  return new LiveValue(live, signal, { load: (page: Page) => readLatest(page), concerns: isNews });
}

/** The list is stale once an order enters or leaves the status, and once one that is shown is changed. */
function liveList({ live, signal }: Page, kind: Kind): LiveValue<Waiting, Page> {
  const { status, isToDo } = kind;
  const limit = isToDo ? toDoShown : 1;
  const parameters = query({ status, include: 'customer', sort: 'createdAt', limit, total: true });
  const isOf =
    (subject: string) =>
    ({ id, customerId }: Order): boolean =>
      [`/orders/${id}`, `/customers/${customerId}`].includes(subject);
  return new LiveValue(live, signal, {
    async load({ client, signal: loading }: Page) {
      return { ...kind, ...(await client.get<List<Order>>(`/orders?${parameters}`, loading)) };
    },
    concerns({ subject, changes }, shown) {
      const isMoved = [changes['status']].flat().includes(status);
      return isMoved || shown === undefined || (isToDo && shown.data.some(isOf(subject)));
    },
  });
}

/** Of each status. */
const toDoShown = 6;

function todayContent(page: Page, shown: TodayData, reload: Reload): Child {
  const { sales, received, alerts, waiting: lists, events, newer = 0 } = shown;
  const notice = newerNotice(newer, reload);
  const [placed, payments] = [figuresOf(sales), figuresOf(received)];
  const isEmpty = placed.length === 0 && lists.every(({ data }) => data.length === 0);
  if (isEmpty && events === undefined) return skeleton(8);
  const isOfOffice = ({ subject }: NamedEvent): boolean => /^\/(api|shop|webhooks)\b/.test(subject);
  if (isEmpty && events?.every(isOfOffice) === true) return firstSteps(page);
  return [
    tiles({ placed, payments }, lists),
    h(
      'div.columns.today',
      h('div', toDoCard(page, lists, notice)),
      alertList(alerts),
      card(t('Latest'), events === undefined ? skeleton(4) : latestEvents(events)),
    ),
  ];
}

function latestEvents(events: readonly NamedEvent[]): Child {
  return events.length === 0 ? h('p.soft', t('Nothing yet.')) : eventList(events);
}

/** Returns the orders that the shop has to do something for, those to be shipped first. */
function toDoOf(lists: readonly Waiting[]): readonly Order[] {
  return lists.filter(({ isToDo }) => isToDo).flatMap(({ data }) => data);
}

type TodayFigures = { readonly placed: readonly Figures[]; readonly payments: readonly Figures[] };

function tiles({ placed, payments }: TodayFigures, lists: readonly Waiting[]): HTMLElement {
  return h(
    'div.tiles',
    tile({
      label: t('Received today'),
      figure: receivedText(payments),
      note: t('Less refunds and corrections'),
      href: daysEnd(),
    }),
    tile({
      label: t('Orders today'),
      figure: count(ordersOf(placed)),
      note: t('All that were placed'),
      href: daysEnd(),
    }),
    lists.map(({ label, status, total = 0 }) =>
      tile({ label, figure: count(total), href: oldestFirst(status) }),
    ),
  );
}

function oldestFirst(status: Kind['status']): string {
  return `#/orders?${query({ status, sort: 'createdAt' })}`;
}

function toDoCard(page: Page, lists: readonly Waiting[], notice: Child): Child {
  const orders = toDoOf(lists);
  if (orders.length === 0) return undefined;
  const content = table(t('Orders that wait'), [...toDoColumns, stepColumn(page)], orders);
  const others = lists.filter(({ isToDo, data, total = 0 }) => isToDo && total > data.length);
  const links = others.map(({ all: text, status, total = 0 }) =>
    h('a', { href: oldestFirst(status) }, t(text, { count: count(total) })),
  );
  const all = links.length > 0 && h('p.links', links);
  return h('section.card.flush', h('h2', t('To do')), notice, content, all);
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
  const { createdAt } = order;
  const isEarly = isOfToday(order);
  const text = isEarly ? shortTime(createdAt) : age(createdAt);
  return h('time', { datetime: createdAt, title: dateTime(createdAt), class: !isEarly && 'late' }, text);
}

type Tile = {
  readonly label: string;
  readonly figure: Child;
  /** Explains the figure. */
  readonly note?: string;
  readonly href?: string;
};

function tile({ label, figure, note, href }: Tile): HTMLElement {
  const content = [
    h('span.label', label),
    h('span.figure', figure),
    note !== undefined && h('span.label', note),
  ];
  return href === undefined ? h('div.tile', content) : h('a.tile', { href }, content);
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

/** One line for all other currencies: the tile keeps its height when a third one comes. */
function receivedText(payments: readonly Figures[]): Child {
  const [first = shopCurrency(), ...others] = currenciesOf(payments);
  const received = (currency: string): number => receivedOf(payments, currency).received;
  const sums = others.map((currency) => {
    const text = money(received(currency), currency);
    return received(currency) < 0 ? text : `+ ${text}`;
  });
  const more = sums.join(' ');
  return [money(received(first), first), more !== '' && h('small.clip', { title: more }, more)];
}
