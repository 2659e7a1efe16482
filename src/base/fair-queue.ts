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

type Line<Item> = { readonly client: string; readonly items: Queue<Item> };

/** The lines of clients with items. Adding and taking take the same time, however many clients and items wait. */
class Lines<Item> {
  readonly #lines = new Map<string, Line<Item>>();
  /** The lines in the order of their turns. */
  readonly #turns = new Queue<Line<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(client: string, item: Item): void {
    this.#size += 1;
    let line = this.#lines.get(client);
    if (line === undefined) {
      line = { client, items: new Queue() };
      this.#lines.set(client, line);
      this.#turns.add(line);
    }
    line.items.add(item);
  }

  take(): Item | undefined {
    const line = this.#turns.take();
    if (line === undefined) return undefined;
    this.#size -= 1;
    const item = line.items.take();
    if (line.items.isEmpty) this.#lines.delete(line.client);
    else this.#turns.add(line);
    return item;
  }
}

type Link<Item> = { readonly item: Item; next: Link<Item> | undefined };

/** A linked list, since taking the first element of an array moves all others. */
class Queue<Item> {
  #first: Link<Item> | undefined = undefined;
  #last: Link<Item> | undefined = undefined;

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  add(item: Item): void {
    const link: Link<Item> = { item, next: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
  }

  take(): Item | undefined {
    const link = this.#first;
    if (link === undefined) return undefined;
    this.#first = link.next;
    if (this.#first === undefined) this.#last = undefined;
    link.next = undefined; // or a link that is garbage in the old generation would keep those after it
    return link.item;
  }
}
