// What a customer has bought: the number of their orders, and the sums by currency.
import { type ApiClient, query } from '../parts/api-client.ts';
import type { List, Order } from '../parts/api-types.ts';
import { count, money } from '../parts/formats.ts';
import type { Child } from '../parts/elements.ts';
import { isFinal } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';

/** The newest orders that are summed, in requests of 200 each. */
const requestsMax = 5;
const ordersPerRequest = 200;

type Bought = { readonly orders: readonly Order[]; readonly total: number };

/** Reads what the first page of their orders has not. */
export async function readBought(
  client: ApiClient,
  path: string,
  { first, signal }: { readonly first: List<Order> | undefined; readonly signal: AbortSignal },
): Promise<Bought> {
  if (first?.next === null) return { orders: first.data, total: first.data.length };
  const orders: Order[] = [];
  let total = 0;
  let next: string | null = `${path}/orders?${query({ limit: ordersPerRequest, total: true })}`;
  for (let requests = 0; next !== null && requests < requestsMax; requests += 1) {
    const page: List<Order> = await client.get<List<Order>>(next, signal);
    orders.push(...page.data);
    total = Math.max(total, page.total ?? 0, orders.length);
    next = page.next;
  }
  return { orders, total };
}

/** Returns facts for a list of them. */
export function boughtFacts({ orders, total }: Bought): readonly (readonly [string, Child])[] {
  if (total === 0) return [];
  const kept = orders.filter(({ status }) => !isFinal(status));
  const sums = new Map<string, number>();
  for (const { currency, total: sum } of kept) sums.set(currency, (sums.get(currency) ?? 0) + sum);
  const isWhole = orders.length === total;
  const label = isWhole ? t('Sum') : t('Sum of the newest {count}', { count: count(orders.length) });
  const facts = [...sums].map(([currency, sum], index): [string, Child] => [
    index === 0 ? label : '',
    money(sum, currency),
  ]);
  const left = orders.length - kept.length;
  const number =
    left === 0 || !isWhole
      ? count(total)
      : t('{total}, {count} of them cancelled or refunded', { total: count(total), count: count(left) });
  return [[t('Orders'), number], ...facts];
}
