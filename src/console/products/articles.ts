// What an order’s items are completed from: the shop’s products, and what was sold before.
import { type ApiClient, query } from '../parts/api-client.ts';
import type { List, Order, Product } from '../parts/api-types.ts';

export type Article = {
  readonly name: string;
  readonly sku: string | null;
  readonly unitPrice: number;
  readonly currency: string;
};

const suggestedMax = 8;

export class Articles {
  readonly #client: ApiClient;
  #sold: readonly Article[] = [];
  /** The products that the last words have found. */
  #found: readonly Product[] = [];

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** All that is known without a request. A product takes the place of what was sold with its name or SKU. */
  get known(): readonly Article[] {
    const isProduct = ({ name, sku, currency }: Article): boolean =>
      this.#found.some(
        (each) =>
          each.currency === currency && (each.name === name || (sku !== null && isSame(each.sku, sku))),
      );
    return [...this.#found, ...this.#sold.filter((each) => !isProduct(each))];
  }

  /**
   * Reads the items of the newest 100 orders that the shop has accepted, with their last prices; none if they can’t
   * be read. In an open order the price may be what a customer wishes.
   */
  async loadSold(): Promise<void> {
    const read = this.#client.get<List<Order>>('/orders?status=paid,shipped,delivered&limit=100');
    const { data } = await read.catch(() => ({ data: [] }));
    const byName = new Map<string, Article>();
    for (const { items, currency } of data) {
      for (const { name, sku, unitPrice } of items) {
        const article = { name, sku, unitPrice, currency };
        if (!byName.has(nameOf(article))) byName.set(nameOf(article), article);
      }
    }
    this.#sold = [...byName.values()];
  }

  /** Finds the products whose names have these words; resolves to whether they were read. */
  async find(words: string, signal: AbortSignal): Promise<boolean> {
    const found = await this.#products(words, signal).catch(() => undefined);
    if (found === undefined || signal.aborted) return false;
    this.#found = found;
    return true;
  }

  /** Returns the product that is sold now with this SKU or barcode, or else what was sold with this SKU. */
  async withCode(code: string): Promise<Article | undefined> {
    const found = (await this.#products(code)).find((each) => hasCode(each, code));
    return found ?? this.#sold.find(({ sku }) => sku !== null && isSame(sku, code));
  }

  async #products(q: string, signal?: AbortSignal): Promise<readonly Product[]> {
    if (q.length > searchedMax) return [];
    const path = `/products?${query({ q, active: true, limit: suggestedMax })}`;
    return (await this.#client.get<List<Product>>(path, signal)).data;
  }
}

/** The service finds no longer text. */
const searchedMax = 100;

function nameOf({ name, currency }: Article): string {
  return `${name} ${currency}`;
}

function hasCode({ sku, barcode }: Product, code: string): boolean {
  return isSame(sku, code) || barcode === code;
}

export function isSame(sku: string, other: string): boolean {
  return sku.toLowerCase() === other.toLowerCase();
}
