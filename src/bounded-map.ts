// A map that evicts what was used longest ago once it holds too much.
import assert from 'node:assert';

type Entry<Value> = { readonly value: Value; isUsed: boolean };

/** How many used entries one eviction spares, so that it doesn't walk over all of them if all are in use. */
const secondChancesMax = 16;
/** A full map keeps one in so many of the values that it is offered. */
const admissionInterval = 8;

/**
 * Evicts by second chance (the clock algorithm): the oldest entry goes, unless it was looked up since it
 * became the youngest; then it becomes the youngest again. So a look-up that hits costs one `Map.get`, where
 * a list in the order of use would be rewritten at every read.
 */
export class BoundedMap<Key, Value> {
  readonly #weightMax: number;
  readonly #weigh: (value: Value) => number;
  readonly #entries = new Map<Key, Entry<Value>>(); // the oldest first
  /** At the oldest. One that is kept, since a new one would walk over what was deleted each time. */
  #oldest = this.#entries.entries();
  #weight = 0;
  #offersWithoutRoom = 0;
  /** Look-ups that found an entry, and that didn't. */
  hits = 0;
  misses = 0;

  /** `weigh` returns the same for a value each time. */
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

  set(key: Key, value: Value): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#weightMax / 2) return;
    while (this.#weight + weight > this.#weightMax) this.#evict();
    this.#entries.set(key, { value, isUsed: false });
    this.#weight += weight;
  }

  /**
   * Like `set`, for what was looked up in vain and could be looked up again. Where it would evict others, one
   * value in `admissionInterval` is kept: what is looked up often soon is, and what is looked up once
   * displaces little.
   */
  offer(key: Key, value: Value): void {
    const hasRoom = this.#weight + this.#weigh(value) <= this.#weightMax;
    if (!hasRoom) this.#offersWithoutRoom += 1;
    if (hasRoom || this.#offersWithoutRoom % admissionInterval === 0) this.set(key, value);
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(entry.value);
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = this.#entries.entries();
    this.#weight = 0;
  }

  get size(): number {
    return this.#entries.size;
  }

  get weight(): number {
    return this.#weight;
  }

  /** To be called only if there is an entry. */
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
