// The tabs of the list of orders, one for each status, with the number of orders in it.
import { query } from '../parts/api-client.ts';
import { type ServiceEvent, type Status, type StatusCounts, statuses } from '../parts/api-types.ts';
import { type Child, h } from '../parts/elements.ts';
import { count } from '../parts/formats.ts';
import { stages } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';
import type { Page } from '../parts/view.ts';
import { orderFilter } from './order-filters.ts';

/** Links to the list with each status, in which the search and the filters go on. */
export function statusTabs(parameters: URLSearchParams, counts?: StatusCounts): Child {
  const current = parameters.get('status') ?? '';
  const tab = (status: Status | '', label: string, number?: number): HTMLElement => {
    const target = new URLSearchParams(parameters);
    target.delete('cursor');
    if (status === '') target.delete('status');
    else target.set('status', status);
    const shown = number !== undefined && h('span.count', count(number));
    const attributes = { href: `#/orders?${target}`, 'aria-current': status === current && 'page' };
    return h('a', attributes, label, shown !== false && ' ', shown);
  };
  const all = counts && Object.values(counts).reduce((sum, each) => sum + each, 0);
  return [
    tab('', t('All'), all),
    statuses.map((status) => tab(status, stages[status].name, counts?.[status])),
  ];
}

/** Between two requests: the service counts all orders for each. */
const pauseMilliseconds = 5_000;

/**
 * Calls `show` now, after changes of statuses, and when the returned function is called, since the filters have
 * changed: without numbers until they are known, and for a search.
 */
export function watchCounts(page: Page, show: (counts?: StatusCounts) => void): () => void {
  const { client, live, parameters, signal } = page;
  let known: { readonly path: string; readonly counts: StatusCounts } | undefined;
  let timer = 0;
  function draw(): void {
    show(known?.path === countsPath(parameters) ? known?.counts : undefined);
  }
  /** The tabs are of use without the numbers, too. */
  function load(): void {
    const path = countsPath(parameters);
    if (path === undefined) return;
    const loaded = client.get<StatusCounts>(path, signal).then((counts) => {
      known = { path, counts };
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
    if (known?.path !== countsPath(parameters)) load();
  }
  change();
  return change;
}

function isCounted({ type, changes }: ServiceEvent): boolean {
  return (
    type === 'order.created' ||
    ['status', 'currency', 'payment', 'customerId'].some((name) => name in changes)
  );
}

/** Undefined for a search, whose orders aren't counted. */
function countsPath(parameters: URLSearchParams): string | undefined {
  if (parameters.has('q')) return undefined;
  const { status: _each, ...filters } = orderFilter(parameters);
  return `/orders/counts?${query(filters)}`;
}
