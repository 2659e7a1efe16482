// A map that evicts what was used longest ago once it holds too much.

/**
 * Two generations: what is found in the old one moves to the young one; when the young one holds half of
 * `weightMax` it becomes the old one and the old one is dropped. So a look-up that hits costs one
 * `Map.get`, where a strict least-recently-used list would be rewritten at every read.
 */
export class BoundedMap<Key, Value> {
  readonly #weightMax: number;
  readonly #weigh: (value: Value) => number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  #youngWeight = 0;
  #oldWeight = 0;
  /** Look-ups that found something, and that didn't. */
  hits = 0;
  misses = 0;

  constructor(weightMax: number, weigh: (value: Value) => number = () => 1) {
    this.#weightMax = weightMax;
    this.#weigh = weigh;
  }

  get(key: Key): Value | undefined {
    const found = this.#young.get(key);
    if (found !== undefined) {
      this.hits += 1;
      return found;
    }
    const aged = this.#old.get(key);
    if (aged === undefined) this.misses += 1;
    else {
      this.hits += 1;
      this.set(key, aged);
    }
    return aged;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#weightMax / 2) return;
    if (this.#youngWeight + weight > this.#weightMax / 2) this.#age();
    this.#young.set(key, value);
    this.#youngWeight += weight;
  }

  delete(key: Key): void {
    const young = this.#young.get(key);
    if (young !== undefined && this.#young.delete(key)) this.#youngWeight -= this.#weigh(young);
    const old = this.#old.get(key);
    if (old !== undefined && this.#old.delete(key)) this.#oldWeight -= this.#weigh(old);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngWeight = this.#oldWeight = 0;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get weight(): number {
    return this.#youngWeight + this.#oldWeight;
  }

  #age(): void {
    this.#old = this.#young;
    this.#oldWeight = this.#youngWeight;
    this.#young = new Map();
    this.#youngWeight = 0;
  }
}
