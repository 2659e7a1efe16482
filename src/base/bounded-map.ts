// A map with a bounded weight. It evicts entries that were not used recently.
import assert from 'node:assert';

type Entry<Value> = { readonly value: Value; isUsed: boolean };

/** One eviction spares at most this many used entries, so that it never walks over the whole map. */
const secondChancesMax = 16;

/**
 * Evicts by second chance (the clock algorithm): removes the oldest entry, unless a look-up has found it
 * since it became the youngest. Then it becomes the youngest again. A hit costs one `Map.get`; a list in the
 * order of use would change with every look-up.
 */
export class BoundedMap<Key, Value> {
  readonly #weightMax: number;
  readonly #weigh: (value: Value) => number;
  readonly #entries = new Map<Key, Entry<Value>>(); // the oldest first
  /** An iterator at the oldest entry. Kept, since a new iterator would walk over all deleted entries. */
  readonly #oldest = this.#entries.entries();
  #weight = 0;
  /** The number of look-ups that found an entry. */
  hits = 0;
  misses = 0;

  /** `weigh` must return the same weight for a value each time. */
  constructor(weightMax: number, weigh: (value: Value) => number = () => 1) {
    this.#weightMax = weightMax;
    this.#weigh = weigh;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.misses += 1;
      return undefined;
    }
    this.hits += 1;
    entry.isUsed = true;
    return entry.value;
  }

  /** Returns the value of the key. If there is none, sets and returns what `find` returns, unless that is undefined. */
  getOrFind(key: Key, find: (key: Key) => Value | undefined): Value | undefined {
    const known = this.get(key);
    if (known !== undefined) return known;
    const found = find(key);
    if (found !== undefined) this.set(key, found);
    return found;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#weightMax / 2) return;
    while (this.#weight + weight > this.#weightMax) this.#evict();
    this.#entries.set(key, { value, isUsed: false });
    this.#weight += weight;
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(entry.value);
  }

  clear(): void {
    this.#entries.clear(); // the iterator goes on with the entries that are set from now on
    this.#weight = 0;
  }

  get size(): number {
    return this.#entries.size;
  }

  get weight(): number {
    return this.#weight;
  }

  /** Requires that there is an entry. */
  #evict(): void {
    for (let chances = secondChancesMax; ; chances -= 1) {
      const [key, entry] = this.#oldest.next().value ?? [];
      assert(key !== undefined && entry !== undefined, 'an iterator at the oldest entry has not ended');
      this.#entries.delete(key);
      if (!entry.isUsed || chances === 0) {
        this.#weight -= this.#weigh(entry.value);
        return;
      }
      entry.isUsed = false;
      this.#entries.set(key, entry);
    }
  }
}
