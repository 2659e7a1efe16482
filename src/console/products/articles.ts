// What an order’s items are completed from: the shop’s products, and what was sold before.
import { type ApiClient, query } from '../service/api-client.ts';
import { type List, type Order, type Product, statuses } from '../words/api-types.ts';
import { otherNumbers } from '../words/gtin.ts';
import { stages } from '../words/statuses.ts';

export type Article = {
  readonly name: string;
  readonly sku: string | null;
  readonly unitPrice: number;
  readonly currency: string;
};

const suggestedMax = 8;
const accepted = statuses.filter((status) => stages[status].isPaid).join(',');

export function articlesOf(client: ApiClient) {
  let sold: readonly Article[] = [];
  /** The currencies of what was sold before and of the products that were found. */
  const currencies = new Set<string>();

  function seen<T extends Article>(article: T): T {
    currencies.add(article.currency);
    return article;
  }

  /** Returns the product that is sold now with this SKU or barcode, or else what was sold with this SKU. */
  async function withCode(code: string): Promise<Article | undefined> {
    const product = await productWithCode(client, code);
    return product === undefined ? sold.find(({ sku }) => sku !== null && isSame(sku, code)) : seen(product);
  }

  async function productsFor(words: string, signal: AbortSignal): Promise<readonly Product[]> {
    const [coded, named] = await Promise.all([
      /^\S{3,}$/.test(words) ? productWithCode(client, words, signal) : undefined,
      productsOf(client, words, signal),
    ]);
    const others = named.filter(({ id }) => id !== coded?.id);
    return (coded === undefined ? others : [coded, ...others]).map(seen);
  }

  return {
    currencies,
    withCode,

    /**
     * Reads the items of the newest 100 orders that the shop has accepted, with their last prices; none if they can’t
     * be read. In an open order the price may be what a customer wishes.
     */
    async loadSold(): Promise<void> {
      const read = client.get<List<Order>>(`/orders?status=${accepted}&limit=100`);
      const { data } = await read.catch(() => ({ data: [] }));
      const byName = new Map<string, Article>();
      for (const { items, currency } of data)
        for (const { name, sku, unitPrice } of items) {
          const key = `${name} ${currency}`;
          if (!byName.has(key)) byName.set(key, seen({ name, sku, unitPrice, currency }));
        }
      sold = [...byName.values()];
    },

    /**
     * Finds the products with this code or these words in their names, and what else was sold before with these words;
     * its price may be an old one. While the service is away no products are found.
     */
    async find(
      words: string,
      signal: AbortSignal,
    ): Promise<{ readonly products: readonly Article[]; readonly sold: readonly Article[] }> {
      const products = await productsFor(words, signal).catch(() => []);
      const all = words.toLowerCase().split(/\s+/);
      const isMeant = ({ name, sku }: Article): boolean =>
        all.every((word) => name.toLowerCase().includes(word)) &&
        !products.some((each) => each.name === name || (sku !== null && isSame(each.sku, sku)));
      return { products, sold: sold.filter(isMeant).slice(0, suggestedMax - products.length) };
    },

    /** Returns what has this name, SKU or barcode and is sold in this currency, with the product's price. */
    async called(text: string, currency: string): Promise<Article | undefined> {
      const isNamed = (each: Article): boolean => each.currency === currency && isSame(each.name, text);
      const found = (await withCode(text)) ?? (await productsOf(client, text)).find(isNamed);
      if (found !== undefined) return found;
      const before = sold.find(isNamed);
      const { sku = null } = before ?? {};
      return sku === null ? before : ((await productWithCode(client, sku)) ?? before);
    },
  };
}

/** Returns the product that is sold now under this name; undefined also if none can be found at the moment. */
export async function productNamed(
  client: ApiClient,
  name: string,
  signal?: AbortSignal,
): Promise<Product | undefined> {
  const found = await productsOf(client, name, signal).catch(() => []);
  return found.find((product) => isSame(product.name, name));
}

/** Returns the product that is sold now with this SKU or barcode, or with another number of the same article. */
export async function productWithCode(
  client: ApiClient,
  code: string,
  signal?: AbortSignal,
): Promise<Product | undefined> {
  for (const each of [code, ...otherNumbers(code), asTypedIn(code)]) {
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
