// Caches pages of lists until any change is on disk.
import { BoundedMap } from '../../base/bounded-map.ts';
import type { ListPage } from './reply.ts';
import { estimateBytes } from '../responses/representation.ts';

/**
 * A key names everything that a page depends on besides the database: the list, its query, and the reader's
 * access. Any change clears the cache once the change is on disk, since nearly any change may affect some
 * page: a new order moves all orders after it.
 */
export class PageCache {
  readonly #pages: BoundedMap<string, CachedPage>;

  constructor(bytesMax: number) {
    this.#pages = new BoundedMap(bytesMax, weigh);
  }

  find(key: string): ListPage<unknown> | undefined {
    return this.#pages.get(key)?.page;
  }

  add(key: string, page: ListPage<unknown>): void {
    this.#pages.set(key, { key, page });
  }

  clear(): void {
    if (this.#pages.size > 0) this.#pages.clear();
  }

  get hits(): number {
    return this.#pages.hits;
  }

  get misses(): number {
    return this.#pages.misses;
  }

  get weight(): number {
    return this.#pages.weight;
  }
}

type CachedPage = { readonly key: string; readonly page: ListPage<unknown> };

/** Also weighs the key, which is as long as the query that the client sent. */
function weigh({ key, page }: CachedPage): number {
  return 2 * key.length + estimateBytes(page);
}
