// Today: sales, orders that wait for their next step, and the latest events.
import { query } from './api-client.ts';
import type { Figures, List, Order, Sales } from './api-types.ts';
import { card, factList } from './cards.ts';
import { type Bar, barPlot } from './charts.ts';
import { watchDay } from './day-change.ts';
import { reloadable, emptyState, setPageTitle, type Page, type Reload, skeleton } from './view.ts';
import { type Child, fill, h } from './elements.ts';
import { addDays, compactMoney, count, dayLabel, dayName, hourLabel, money, startOfDay } from './formats.ts';
import { holdOrders, orderColumns, stepColumn } from './orders-view.ts';
import type { LatestOrder } from './order-steps.ts';
import { eventList } from './event-list.ts';
import { isNews, newestFirst, type NamedEvent } from './histories.ts';
import { LiveValue } from './live-value.ts';
import { countNewer, newerNotice, table } from './tables.ts';
import { currenciesOf, isSale, readSales, sumOf, whatCounts } from './sales-figures.ts';

const spans = [
  { name: 'Today', days: 1, by: 'hour' },
  { name: '7 days', days: 7, by: 'day' },
  { name: '30 days', days: 30, by: 'day' },
] as const;
type Span = (typeof spans)[number];

/** The statuses of orders that wait for their next step, and whether the shop has to do something for it. */
const waiting = [
  { status: 'open', label: 'To be paid', isToDo: true },
  { status: 'paid', label: 'To be shipped', isToDo: true },
  { status: 'shipped', label: 'On the way', isToDo: false },
] as const;
type Kind = (typeof waiting)[number];

/** The newest orders of one status, and how many there are. */
type Waiting = Kind & List<LatestOrder>;

type TodayData = {
  readonly sales: Sales;
  readonly waiting: readonly Waiting[];
  /** Undefined until they have been loaded, which takes two more round trips. */
  readonly events: readonly NamedEvent[] | undefined;
  /** The number of new orders that wait while somebody is about to press a button in the list. */
  readonly newer?: number;
};

export function todayView(page: Page): void {
  const { main, parameters, signal, steps } = page;
  const span = spans.find(({ days }) => String(days) === parameters.get('days')) ?? spans[0];
  const content = h('div', {}, skeleton(8));
  const sales = liveSales(page, span);
  const lists = waiting.map((kind) => liveList(page, kind));
  const end = h('a', { class: 'button', href: daysEnd() }, 'Day’s end');
  steps.addEventListener('stale', () => lists.forEach((list) => list.outdate()), { signal });
  let isFirst = true;
  const load = reloadable<TodayData>(page, content, {
    async load(loading, show) {
      const latest = loading.histories.latest(loading.signal);
      latest.catch(() => undefined); // it is awaited below
      const [current, ...loaded] = await Promise.all([
        sales.get(loading),
        ...lists.map((list) => list.get(loading)),
      ]);
      if (isFirst) show({ sales: current, events: undefined, waiting: loaded });
      isFirst = false;
      return { sales: current, events: await latest, waiting: loaded };
    },
    draw: (shown, reload) => todayContent(page, shown, { span, reload }),
    hold: holdToday,
    concerns: isNews,
  });
  watchDay(signal, () => {
    end.href = daysEnd();
    sales.outdate();
    void load();
  });
  fill(
    main,
    setPageTitle('Today', end, h('a', { class: 'button primary', href: '#/new' }, 'New order')),
    content,
  );
}

/** Only the orders have buttons; what is above them has the same height, whatever it shows. */
function holdToday(shown: TodayData, loaded: TodayData): TodayData {
  const orders = loaded.waiting.flatMap(({ data }) => data);
  const held = loaded.waiting.map((list, index) => {
    const before = shown.waiting[index]?.data ?? [];
    return { ...list, data: holdOrders(before, orders) };
  });
  return { ...loaded, waiting: held, newer: countNewer(toDoOf(shown.waiting), toDoOf(loaded.waiting)) };
}

function daysEnd(): string {
  return `#/day?date=${dayName(new Date())}`;
}

/** The sales of the span, which ends with today. */
function liveSales({ live, signal }: Page, { days, by }: Span): LiveValue<Sales, Page> {
  return new LiveValue(live, signal, {
    load(page: Page) {
      const before = addDays(startOfDay(new Date()), 1);
      return readSales(page, { from: addDays(before, -days), before, by });
    },
    concerns: ({ type, changes }) =>
      ['order.created', 'order.cancelled', 'order.refunded'].includes(type) ||
      'total' in changes ||
      'currency' in changes,
  });
}

/** The list is stale once an order enters or leaves the status, and once one that is shown is changed. */
function liveList({ live, signal }: Page, kind: Kind): LiveValue<Waiting, Page> {
  const { status, isToDo } = kind;
  const parameters = query({ status, include: 'customer', limit: isToDo ? toDoShown : 1, total: true });
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

const toDoShown = 6;
const plotsShown = 2;

type Drawing = { readonly span: Span; readonly reload: Reload };

function todayContent(page: Page, shown: TodayData, { span, reload }: Drawing): Child {
  const { sales, waiting: lists, events, newer = 0 } = shown;
  const notice = newerNotice(newer, 'order', reload);
  const today = (span.by === 'hour' ? sales.buckets : sales.buckets.slice(-1)).flatMap(figuresOf);
  const isEmpty = today.length === 0 && lists.every(({ data }) => data.length === 0);
  if (isEmpty && events === undefined) return skeleton(8);
  if (isEmpty && events?.length === 0) return firstSteps();
  return [
    tiles(today, lists),
    h(
      'div',
      { class: 'columns' },
      h('div', {}, toDoCard(page, toDoOf(lists), notice), salesCard(sales, span)),
      card('Just now', events === undefined ? skeleton(4) : latestEvents(events)),
    ),
  ];
}

function latestEvents(events: readonly NamedEvent[]): Child {
  return events.length === 0 ? h('p', { class: 'soft' }, 'Nothing yet.') : eventList(events);
}

function figuresOf({ figures }: Sales['buckets'][number]): readonly Figures[] {
  return figures;
}

/** Returns the newest orders that the shop has to do something for. */
function toDoOf(lists: readonly Waiting[]): readonly LatestOrder[] {
  return lists
    .filter(({ isToDo }) => isToDo)
    .flatMap(({ data }) => data)
    .sort(newestFirst)
    .slice(0, toDoShown);
}

function tiles(today: readonly Figures[], lists: readonly Waiting[]): HTMLElement {
  const orders = today.reduce((sum, each) => sum + each.orders, 0);
  return h(
    'div',
    { class: 'tiles' },
    tile({
      label: 'Sales today',
      figure: salesText(today),
      note: 'Paid or not; no cancelled and refunded ones',
    }),
    tile({
      label: 'Orders today',
      figure: count(orders),
      note: 'All that were placed',
      href: daysEnd(),
    }),
    lists.map(({ label, status, total = 0 }) =>
      tile({ label, figure: count(total), href: `#/orders?status=${status}` }),
    ),
  );
}

function toDoCard(page: Page, toDo: readonly LatestOrder[], notice: Child): Child {
  if (toDo.length === 0) return undefined;
  const orders = toDo.map((order) => page.steps.latest(order));
  const columns = orderColumns.filter(({ label }) => label !== 'Items' && label !== 'Placed');
  const content = table('Orders that wait', [...columns, stepColumn(page)], orders);
  return h('section', { class: 'card flush' }, h('h2', {}, 'To do'), notice, content);
}

function salesCard(sales: Sales, span: Span): HTMLElement {
  const currencies = currenciesOf(sales.buckets.flatMap(figuresOf).filter(isSale));
  const nothing = h('p', { class: 'soft' }, 'Nothing was sold in this time.');
  return h(
    'section',
    { class: 'card' },
    h('header', { class: 'card-head' }, h('h2', {}, 'Sales'), spanTabs(span)),
    currencies.length === 0 && nothing,
    currencies.slice(0, plotsShown).map((currency) => salesPlot(sales, currency, span)),
    currencies.length > plotsShown && otherSales(sales, currencies.slice(plotsShown)),
    currencies.length > 0 && h('p', { class: 'hint' }, whatCounts),
  );
}

function otherSales({ buckets }: Sales, currencies: readonly string[]): HTMLElement {
  const figures = buckets.flatMap(figuresOf);
  return h(
    'details',
    { class: 'sales' },
    h('summary', {}, `${count(currencies.length)} more`),
    factList(currencies.map((currency) => [currency, money(sumOf(figures, currency), currency)])),
  );
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
    h('span', { class: 'label' }, label),
    h('span', { class: 'figure' }, figure),
    note !== undefined && h('span', { class: 'label' }, note),
  ];
  return href === undefined ? h('div', { class: 'tile' }, content) : h('a', { class: 'tile', href }, content);
}

function firstSteps(): HTMLElement {
  const step = (title: string, text: string, href: string): HTMLElement =>
    h('li', {}, h('a', { href }, title), ` ${text}`);
  return emptyState(
    'Welcome',
    'Nothing is here yet. To begin:',
    h(
      'ol',
      { class: 'steps' },
      step('Enter a customer', 'with a name; the rest is optional.', '#/customers/new'),
      step('Place an order', 'for them. It is open until it is paid.', '#/new'),
      step('Add the people', 'who work here: staff may process all orders.', '#/people'),
      step('Change your password', 'if the service made it.', '#/account'),
    ),
  );
}

function spanTabs(span: Span): HTMLElement {
  const tabs = spans.map(({ name, days }) =>
    h('a', { href: `#/today?days=${days}`, 'aria-current': days === span.days && 'page' }, name),
  );
  return h('nav', { class: 'tabs', 'aria-label': 'Time' }, tabs);
}

function salesText(figures: readonly Figures[]): Child {
  const [first, ...others] = currenciesOf(figures.filter(isSale));
  const more = others.length === 1 ? '+ 1 currency' : `+ ${count(others.length)} currencies`;
  const sum = first === undefined ? count(0) : money(sumOf(figures, first), first);
  return [sum, h('small', {}, others.length === 0 ? '\u00a0' : more)];
}

function salesPlot({ buckets }: Sales, currency: string, { by, name }: Span): HTMLElement {
  const bars: Bar[] = buckets.map(({ from, figures }) => {
    const value = sumOf(figures, currency);
    return { label: by === 'hour' ? hourLabel(from) : dayLabel(from), value, text: money(value, currency) };
  });
  const total = money(
    bars.reduce((sum, { value }) => sum + value, 0),
    currency,
  );
  return h(
    'div',
    { class: 'sales' },
    h('p', {}, h('strong', {}, total), h('span', { class: 'soft' }, ` ${currency}, ${name.toLowerCase()}`)),
    barPlot(`Sales in ${currency}, ${name.toLowerCase()}`, bars, (value) => compactMoney(value, currency)),
  );
}
