// The number of orders in each status, for the tabs of their list: one request for all of them.
import { query } from './api-client.ts';
import type { Sales, ServiceEvent, Status } from './api-types.ts';
import { addDays, startOfDay, timeZone } from './formats.ts';
import type { StatusCounts } from './list-tools.ts';
import { orderFilter } from './order-filters.ts';
import { figuresOf } from './sales-figures.ts';
import { isStaff, type Page } from './view.ts';

/** Between two requests: the service counts all orders for each. */
const pauseMilliseconds = 5_000;
/** Before all orders, also imported ones. */
const firstDay = new Date(1980, 0, 1);

/**
 * Calls `show` now, after changes of statuses, and when the returned function is called, since the filters have
 * changed: without numbers where none are known, as for a search, for one customer, and for users who aren’t staff.
 */
export function watchCounts(page: Page, show: (counts?: StatusCounts) => void): () => void {
  const { client, live, parameters, signal } = page;
  let sales: { readonly path: string; readonly value: Sales } | undefined;
  let timer = 0;
  function draw(): void {
    if (sales === undefined || sales.path !== pathOf(page)) show();
    else show(countsOf(sales.value, parameters.get('currency')));
  }
  async function load(): Promise<void> {
    const path = pathOf(page);
    if (path === undefined) return;
    const value = await client.get<Sales>(path, signal).catch(() => undefined);
    if (value === undefined || signal.aborted) return;
    sales = { path, value };
    draw();
  }
  live.watch(signal, (events) => {
    if (timer !== 0 || (events.length > 0 && !events.some(isCounted))) return;
    timer = setTimeout(() => {
      timer = 0;
      void load();
    }, pauseMilliseconds);
  });
  signal.addEventListener('abort', () => clearTimeout(timer));
  function change(): void {
    draw();
    if (sales?.path !== pathOf(page)) void load();
  }
  change();
  return change;
}

function isCounted({ type, changes }: ServiceEvent): boolean {
  return type === 'order.created' || 'status' in changes || 'currency' in changes;
}

/** Undefined where the numbers would not be those of the list. */
function pathOf({ parameters, user }: Pick<Page, 'parameters' | 'user'>): string | undefined {
  if (!isStaff({ user }) || parameters.has('q') || parameters.has('customer')) return undefined;
  const { createdFrom: from = firstDay.toISOString(), createdBefore } = orderFilter(parameters);
  const before = createdBefore ?? addDays(startOfDay(new Date()), 1).toISOString();
  return `/sales?${query({ from, before, by: 'month', timeZone })}`;
}

function countsOf(sales: Sales, currency: string | null): StatusCounts {
  const counts = new Map<Status, number>();
  for (const { status, orders, currency: own } of figuresOf(sales))
    if (currency === null || own === currency) counts.set(status, (counts.get(status) ?? 0) + orders);
  return counts;
}
