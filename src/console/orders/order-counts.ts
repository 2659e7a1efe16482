// The number of orders in each status, for the tabs of their list: one request for all of them.
import { type ApiClient, query } from '../parts/api-client.ts';
import type { List, Order, Sales, ServiceEvent, Status } from '../parts/api-types.ts';
import { addDays, startOfDay, timeZone } from '../parts/formats.ts';
import type { StatusCounts } from '../parts/list-tools.ts';
import { orderFilter } from './order-filters.ts';
import { figuresOf } from './sales-figures.ts';
import { isStaff, type Page } from '../parts/view.ts';

/** Between two requests: the service counts all orders for each. */
const pauseMilliseconds = 5_000;

/**
 * Calls `show` now, after changes of statuses, and when the returned function is called, since the filters have
 * changed: without numbers where none are known, as for a search, for one customer, for one payment, and for users who aren’t staff.
 */
export function watchCounts(page: Page, show: (counts?: StatusCounts) => void): () => void {
  const { client, live, parameters, signal } = page;
  let known: { readonly filter: string; readonly sales: Sales } | undefined;
  let timer = 0;
  function draw(): void {
    if (known === undefined || known.filter !== filterOf(page)) show();
    else show(countsOf(known.sales, parameters.get('currency')));
  }
  /** The tabs are of use without the numbers, too. */
  function load(): void {
    const filter = filterOf(page);
    if (filter === undefined) return;
    const loaded = readSales(client, filter, signal).then((sales) => {
      known = { filter, sales };
      draw();
    });
    loaded.catch(() => undefined);
  }
  live.watch(signal, (events) => {
    if (timer !== 0 || (events.length > 0 && !events.some(isCounted))) return;
    timer = setTimeout(() => {
      timer = 0;
      load();
    }, pauseMilliseconds);
  });
  signal.addEventListener('abort', () => clearTimeout(timer));
  function change(): void {
    draw();
    if (known?.filter !== filterOf(page)) load();
  }
  change();
  return change;
}

function isCounted({ type, changes }: ServiceEvent): boolean {
  return type === 'order.created' || 'status' in changes || 'currency' in changes;
}

/** Undefined where the numbers would not be those of the list. */
function filterOf({ parameters, user }: Pick<Page, 'parameters' | 'user'>): string | undefined {
  const isNarrowed = ['q', 'customer', 'payment'].some((name) => parameters.has(name));
  if (isNarrowed || !isStaff({ user })) return undefined;
  const { createdFrom: from, createdBefore } = orderFilter(parameters);
  return query({ from, before: createdBefore ?? addDays(startOfDay(new Date()), 1).toISOString() });
}

/** Months before the first order would only cost time. */
async function readSales(client: ApiClient, filter: string, signal: AbortSignal): Promise<Sales> {
  const span = filter.startsWith('from=') ? filter : `${await firstOf(client, signal)}&${filter}`;
  return client.get<Sales>(`/sales?${span}&${query({ by: 'month', timeZone })}`, signal);
}

async function firstOf(client: ApiClient, signal: AbortSignal): Promise<string> {
  const oldest = `/orders?${query({ sort: 'createdAt', limit: 1 })}`;
  const { data } = await client.get<List<Order>>(oldest, signal);
  const first = new Date(data[0]?.createdAt ?? Date.now());
  return query({ from: startOfDay(first).toISOString() });
}

function countsOf(sales: Sales, currency: string | null): StatusCounts {
  const counts = new Map<Status, number>();
  for (const { status, orders, currency: own } of figuresOf(sales))
    if (currency === null || own === currency) counts.set(status, (counts.get(status) ?? 0) + orders);
  return counts;
}
