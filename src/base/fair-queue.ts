// A queue that is fair among clients: round robin, in which clients with few items go first.

type Client<Item> = { readonly name: string; readonly items: Item[]; taken: number };

/** The number of items taken of a client, up to which it counts as new. */
const newItemsMax = 8;
/** One of this many items is from a client that is no longer new, however many new clients arrive. */
const itemsPerServed = 10;

/** Has the order of RFC 8290 section 4, with items instead of packets. */
export class FairQueue<Item> {
  readonly #newClients = new Map<string, Client<Item>>();
  readonly #servedClients = new Map<string, Client<Item>>();
  #size = 0;
  #taken = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the number of waiting items of a client. */
  sizeOf(name: string): number {
    return this.#find(name)?.items.length ?? 0;
  }

  /** Adds an item that doesn't continue earlier items of its client. */
  add(client: string, item: Item): void {
    this.#push(this.#newClients, client, item);
  }

  /** Adds an item that continues earlier items of its client, so that other clients may overtake it. */
  addFollowing(client: string, item: Item): void {
    this.#push(this.#servedClients, client, item);
  }

  /** Returns the next item, or undefined if the queue is empty. */
  take(): Item | undefined {
    this.#taken += 1;
    const isForServed = this.#newClients.size === 0 || this.#taken % itemsPerServed === 0;
    const clients = isForServed && this.#servedClients.size > 0 ? this.#servedClients : this.#newClients;
    const [client] = clients.values();
    if (client === undefined) return undefined;
    this.#size -= 1;
    client.taken += 1;
    clients.delete(client.name);
    const item = client.items.shift();
    if (client.items.length > 0) this.#putLast(client, clients);
    return item;
  }

  #push(clients: Map<string, Client<Item>>, name: string, item: Item): void {
    this.#size += 1;
    const client = this.#find(name);
    if (client === undefined) clients.set(name, { name, items: [item], taken: 0 });
    else client.items.push(item);
  }

  #find(name: string): Client<Item> | undefined {
    return this.#newClients.get(name) ?? this.#servedClients.get(name);
  }

  #putLast(client: Client<Item>, before: Map<string, Client<Item>>): void {
    const clients = client.taken < newItemsMax ? before : this.#servedClients;
    clients.set(client.name, client);
  }
}
