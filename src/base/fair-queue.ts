// A queue that is fair among clients. Each client has its own line, and lines take turns, however long they
// are. Items are *urgent* or not. While both kinds wait, every fourth item taken is not urgent, so neither
// kind blocks the other.

/** The urgent items taken in a row while other items wait. */
const urgentInRowMax = 3;

export class FairQueue<Item> {
  readonly urgent = new Lines<Item>();
  readonly others = new Lines<Item>();
  /** The urgent items taken since the last item that wasn't urgent. */
  #urgentInRow = 0;

  get size(): number {
    return this.urgent.size + this.others.size;
  }

  /** Returns the next item, or undefined if the queue is empty. */
  take(): Item | undefined {
    if (this.others.size === 0) return this.urgent.take();
    if (this.urgent.size > 0 && this.#urgentInRow < urgentInRowMax) {
      this.#urgentInRow += 1;
      return this.urgent.take();
    }
    this.#urgentInRow = 0;
    return this.others.take();
  }
}

/** The lines of clients with items, beginning with the line whose turn is next. */
class Lines<Item> {
  readonly #lines = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(client: string, item: Item): void {
    this.#size += 1;
    const line = this.#lines.get(client);
    if (line === undefined) this.#lines.set(client, [item]);
    else line.push(item);
  }

  take(): Item | undefined {
    const [next] = this.#lines;
    if (next === undefined) return undefined;
    const [client, line] = next;
    this.#size -= 1;
    this.#lines.delete(client);
    const item = line.shift();
    if (line.length > 0) this.#lines.set(client, line);
    return item;
  }
}
