// What waits, by the client it is for: clients take turns, those who ask for little before the others.

type Client<Item> = { readonly name: string; readonly items: Item[]; taken: number };

/** A client is new until so many of its items were taken. */
const newItemsMax = 8;
/** Of so many items one is for a client that is no longer new, however many new ones come. */
const itemsPerServed = 10;

/** The order is that of RFC 8290 section 4, with requests for packets. */
export class FairQueue<Item> {
  readonly #newClients = new Map<string, Client<Item>>();
  readonly #servedClients = new Map<string, Client<Item>>();
  #size = 0;
  #taken = 0;

  get size(): number {
    return this.#size;
  }

  /** Of one client. */
  sizeOf(name: string): number {
    return this.#find(name)?.items.length ?? 0;
  }

  /** What a client newly asks for. */
  add(client: string, item: Item): void {
    this.#push(this.#newClients, client, item);
  }

  /** What a client had asked for together with earlier work: it doesn't come before that of others. */
  addFollowing(client: string, item: Item): void {
    this.#push(this.#servedClients, client, item);
  }

  /** Undefined where nothing waits. */
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
