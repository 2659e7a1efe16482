// Today: sales, orders that wait for their next step, and the latest events.
import { query } from './api-client.ts';
import type { Figures, List, Order, Sales, ServiceEvent, Status } from './api-types.ts';
import { card, factList } from './cards.ts';
import { type Bar, barPlot } from './charts.ts';
import { reloadable, emptyState, setPageTitle, type Page, type Reload, skeleton } from './view.ts';
import { type Child, fill, h } from './elements.ts';
import {
  addDays,
  compactMoney,
  count,
  dayLabel,
  dayName,
  hourLabel,
  money,
  startOfDay,
  statusNames,
} from './formats.ts';
import { orderColumns, stepColumn } from './orders-view.ts';
import { eventList, PeopleNames, withNames } from './event-list.ts';
import { table } from './tables.ts';
import { currenciesOf, isSale, readSales, sumOf, whatCounts } from './sales-figures.ts';

const spans = [
  { name: 'Today', days: 1, by: 'hour' },
  { name: '7 days', days: 7, by: 'day' },
  { name: '30 days', days: 30, by: 'day' },
] as const;
type Span = (typeof spans)[number];

/** The statuses of orders that wait for their next step. */
const waiting = ['open', 'paid', 'shipped'] as const;

type TodayData = {
  readonly today: Sales;
  readonly sales: Sales;
  readonly counts: readonly (readonly [Status, number])[];
  /** Orders that wait for their next step, newest first. */
  readonly toDo: readonly Order[];
  readonly events: readonly ServiceEvent[];
  readonly names: ReadonlyMap<number, string>;
};

export function todayView(page: Page): void {
  const { main, signal, live, parameters } = page;
  const names = new PeopleNames(page);
  const span = spans.find(({ days }) => String(days) === parameters.get('days')) ?? spans[0];
  const content = h('div', {}, skeleton(8));
  const recent: ServiceEvent[] = [];
  const reload = reloadable(page, content, {
    load: () => load(page, { span, names, recent }),
    draw: (shown, again) => todayContent(page, shown, { span, reload: again }),
  });
  const end = h('a', { class: 'button', href: `#/day?date=${dayName(new Date())}` }, 'Day’s end');
  fill(
    main,
    setPageTitle('Today', end, h('a', { class: 'button primary', href: '#/new' }, 'New order')),
    content,
  );
  live.watch(signal, (events) => {
    const shown = events.filter(({ type }) => !type.startsWith('session.'));
    recent.unshift(...shown.toReversed());
    if (events.length === 0 || shown.length > 0) void reload();
  });
}

type Loading = { readonly span: Span; readonly names: PeopleNames; readonly recent: ServiceEvent[] };

async function load(page: Page, { span, names, recent }: Loading): Promise<TodayData> {
  const { client, signal } = page;
  const tomorrow = addDays(startOfDay(new Date()), 1);
  const waitingList = `/orders?${query({ status: 'open,paid', include: 'customer', limit: toDoShown })}`;
  const [today, sales, counts, { data: toDo }, latest] = await Promise.all([
    readSales(page, { from: addDays(tomorrow, -1), before: tomorrow, by: 'hour' }),
    readSales(page, { from: addDays(tomorrow, -span.days), before: tomorrow, by: span.by }),
    Promise.all(waiting.map((status) => countOf(status))),
    client.get<List<Order>>(waitingList, signal),
    latestEvents(page, recent),
  ]);
  signal.throwIfAborted();
  return { today, sales, counts, toDo, events: latest, names: await names.of(latest) };

  async function countOf(status: Status): Promise<readonly [Status, number]> {
    const list = `/orders?${query({ status, limit: 1, total: true })}`;
    return [status, (await client.get<List<Order>>(list, signal)).total ?? 0];
  }
}

const eventsShown = 14;
const toDoShown = 6;
const plotsShown = 2;

/** Returns the events of the stream, filled up with those of the orders that changed last. */
async function latestEvents({ client, signal }: Page, recent: ServiceEvent[]): Promise<ServiceEvent[]> {
  recent.length = Math.min(recent.length, eventsShown);
  if (recent.length === eventsShown) return recent;
  const { data } = await client.get<List<Order>>('/orders?sort=-updatedAt&limit=6', signal);
  const histories = await Promise.all(
    data.map(({ id }) => client.get<List<ServiceEvent>>(`/orders/${id}/events?limit=4&${withNames}`, signal)),
  );
  const known = new Map(
    [...recent, ...histories.flatMap((each) => each.data)].map((event) => [event.id, event]),
  );
  return [...known.values()].sort(byTime).slice(0, eventsShown);
}

type Drawing = { readonly span: Span; readonly reload: Reload };

function todayContent(page: Page, shown: TodayData, { span, reload }: Drawing): Child {
  const { today, sales, counts, toDo, events, names } = shown;
  const figures = today.buckets.flatMap((bucket) => bucket.figures);
  const isEmpty = toDo.length === 0 && events.length === 0 && counts.every(([, value]) => value === 0);
  if (isEmpty && figures.length === 0) return firstSteps();
  return [
    tiles(figures, counts),
    h(
      'div',
      { class: 'columns' },
      h('div', {}, toDo.length > 0 && toDoCard(page, toDo, reload), salesCard(sales, span)),
      card(
        'Just now',
        events.length === 0 ? h('p', { class: 'soft' }, 'Nothing yet.') : eventList(events, names),
      ),
    ),
  ];
}

/** Sorts the newest first by time, since imported orders keep their original times. */
function byTime(a: ServiceEvent, b: ServiceEvent): number {
  return Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.id - a.id;
}

function tiles(figures: readonly Figures[], counts: TodayData['counts']): HTMLElement {
  const orders = figures.reduce((sum, each) => sum + each.orders, 0);
  return h(
    'div',
    { class: 'tiles' },
    tile({
      label: 'Sales today',
      figure: salesText(figures),
      note: 'Paid or not; no cancelled and refunded ones',
    }),
    tile({
      label: 'Orders today',
      figure: count(orders),
      note: 'All that were placed',
      href: `#/day?date=${dayName(new Date())}`,
    }),
    counts.map(([status, value]) =>
      tile({
        label: waitingNames[status] ?? statusNames[status],
        figure: count(value),
        href: `#/orders?status=${status}`,
      }),
    ),
  );
}

function toDoCard(page: Page, toDo: readonly Order[], reload: Reload): HTMLElement {
  const columns = orderColumns.filter(({ label }) => label !== 'Items' && label !== 'Placed');
  const content = table('Orders that wait', [...columns, stepColumn(page, reload)], toDo);
  return h('section', { class: 'card flush' }, h('h2', {}, 'To do'), content);
}

function salesCard(sales: Sales, span: Span): HTMLElement {
  const currencies = currenciesOf(sales.buckets.flatMap((bucket) => bucket.figures).filter(isSale));
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
  const figures = buckets.flatMap((bucket) => bucket.figures);
  return h(
    'details',
    { class: 'sales' },
    h('summary', {}, `${count(currencies.length)} more`),
    factList(currencies.map((currency) => [currency, money(sumOf(figures, currency), currency)])),
  );
}

const waitingNames: Partial<Record<Status, string>> = {
  open: 'To be paid',
  paid: 'To be shipped',
  shipped: 'On the way',
};

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
  if (first === undefined) return [count(0)];
  const more = others.length === 1 ? '+ 1 currency' : `+ ${count(others.length)} currencies`;
  return [money(sumOf(figures, first), first), others.length > 0 && h('small', {}, more)];
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
