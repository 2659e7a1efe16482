// What an order’s items are completed from: the shop’s products, and what was sold before.
import { type ApiClient, query } from '../parts/api-client.ts';
import { type List, type Order, type Product, statuses } from '../parts/api-types.ts';
import { stages } from '../parts/statuses.ts';

export type Article = {
  readonly name: string;
  readonly sku: string | null;
  readonly unitPrice: number;
  readonly currency: string;
};

const suggestedMax = 8;
const accepted = statuses.filter((status) => stages[status].isPaid).join(',');

export class Articles {
  readonly #client: ApiClient;
  #sold: readonly Article[] = [];
  /** The currencies of what was sold before and of the products that were found. */
  readonly currencies = new Set<string>();

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /**
   * Reads the items of the newest 100 orders that the shop has accepted, with their last prices; none if they can’t
   * be read. In an open order the price may be what a customer wishes.
   */
  async loadSold(): Promise<void> {
    const read = this.#client.get<List<Order>>(`/orders?status=${accepted}&limit=100`);
    const { data } = await read.catch(() => ({ data: [] }));
    const byName = new Map<string, Article>();
    for (const { items, currency } of data) {
      this.currencies.add(currency);
      for (const { name, sku, unitPrice } of items) {
        const article = { name, sku, unitPrice, currency };
        if (!byName.has(articleName(article))) byName.set(articleName(article), article);
      }
    }
    this.#sold = [...byName.values()];
  }

  /**
   * Finds the products with this code or these words in their names, and what else was sold before with these words;
   * its price may be an old one. While the service is away no products are found.
   */
  async find(
    words: string,
    signal: AbortSignal,
  ): Promise<{ readonly products: readonly Article[]; readonly sold: readonly Article[] }> {
    const products = await this.#products(words, signal).catch(() => []);
    const isProduct = ({ name, sku }: Article): boolean =>
      products.some((each) => each.name === name || (sku !== null && isSame(each.sku, sku)));
    const all = words.toLowerCase().split(/\s+/);
    const isMeant = ({ name }: Article): boolean => all.every((word) => name.toLowerCase().includes(word));
    const sold = this.#sold.filter((each) => isMeant(each) && !isProduct(each));
    return { products, sold: sold.slice(0, suggestedMax - products.length) };
  }

  async #products(words: string, signal: AbortSignal): Promise<readonly Product[]> {
    const [coded, named] = await Promise.all([
      /^\S{3,}$/.test(words) ? productWithCode(this.#client, words, signal) : undefined,
      productsOf(this.#client, words, signal),
    ]);
    const products = coded === undefined ? named : [coded, ...named.filter(({ id }) => id !== coded.id)];
    for (const { currency } of products) this.currencies.add(currency);
    return products;
  }

  /** Returns the product that is sold now with this SKU or barcode, or else what was sold with this SKU. */
  async withCode(code: string): Promise<Article | undefined> {
    const found = await productWithCode(this.#client, code);
    if (found !== undefined) this.currencies.add(found.currency);
    return found ?? this.#sold.find(({ sku }) => sku !== null && isSame(sku, code));
  }

  /** Returns what has this name, SKU or barcode and is sold in this currency: its price is that of the product. */
  async called(text: string, currency: string): Promise<Article | undefined> {
    const isNamed = (each: Article): boolean => each.currency === currency && isSame(each.name, text);
    const found = (await this.withCode(text)) ?? (await productsOf(this.#client, text)).find(isNamed);
    const sold = found ?? this.#sold.find(isNamed);
    const isOnlySold = sold !== undefined && sold !== found && sold.sku !== null;
    return isOnlySold ? ((await productWithCode(this.#client, sold.sku)) ?? sold) : sold;
  }
}

/** Returns the product that is sold now with this SKU or barcode. */
export async function productWithCode(
  client: ApiClient,
  code: string,
  signal?: AbortSignal,
): Promise<Product | undefined> {
  for (const each of [code, asTypedIn(code)]) {
    const found = each === undefined ? [] : await productsOf(client, each, signal);
    const product = found.find(
      (one, index) => isCoded(one, each ?? '') || (index === 0 && isIn(one, each ?? '')),
    );
    if (product !== undefined) return product;
  }
  return undefined;
}

/** A scanner that types as an American keyboard where a German one is expected: TEA-250 arrives as TEAß250. */
function asTypedIn(code: string): string | undefined {
  if (!code.includes('ß')) return undefined;
  return code.replaceAll(/[ßyz]/gi, (letter) => american[letter] ?? letter);
}

const american: Readonly<Record<string, string>> = { ß: '-', y: 'z', z: 'y', Y: 'Z', Z: 'Y' };

async function productsOf(client: ApiClient, q: string, signal?: AbortSignal): Promise<readonly Product[]> {
  if (q.length > searchedMax) return [];
  const path = `/products?${query({ q, active: true, limit: suggestedMax })}`;
  return (await client.get<List<Product>>(path, signal)).data;
}

/** The service finds no longer text. */
const searchedMax = 100;

function articleName({ name, currency }: Article): string {
  return `${name} ${currency}`;
}

function isCoded({ sku, barcode }: Product, code: string): boolean {
  return isSame(sku, code) || barcode === code;
}

/**
 * Whether the code holds the product's number, perhaps with other zeros in front, or as a part of a GS1 code: the
 * service, which reads such codes, has found this product first.
 */
function isIn({ barcode }: Product, code: string): boolean {
  return barcode !== null && /^\d{8,14}$/.test(barcode) && code.includes(barcode.replace(/^0+/, ''));
}

export function isSame(sku: string, other: string): boolean {
  return sku.toLowerCase() === other.toLowerCase();
}
