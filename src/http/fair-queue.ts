// Work that waits, by the client it is for: clients take turns, those who ask for little before the others.

export type Work = () => void;

type Client = { readonly name: string; readonly works: Work[]; taken: number };

/** A client is new until so many of its works have run. */
const newWorksMax = 8;
/** Of so many works one is for a client that is no longer new, however many new ones come. */
const worksPerServed = 10;

/** The order is that of RFC 8290 section 4, with requests for packets. */
export class FairQueue {
  readonly #newClients = new Map<string, Client>();
  readonly #servedClients = new Map<string, Client>();
  #size = 0;
  #taken = 0;

  get size(): number {
    return this.#size;
  }

  /** What a client newly asks for. */
  add(client: string, work: Work): void {
    this.#push(this.#newClients, client, work);
  }

  /** What a client had asked for together with earlier work: it doesn't come before that of others. */
  addFollowing(client: string, work: Work): void {
    this.#push(this.#servedClients, client, work);
  }

  /** Undefined where nothing waits. */
  take(): Work | undefined {
    this.#taken += 1;
    const isForServed = this.#newClients.size === 0 || this.#taken % worksPerServed === 0;
    const clients = isForServed && this.#servedClients.size > 0 ? this.#servedClients : this.#newClients;
    const [client] = clients.values();
    if (client === undefined) return undefined;
    this.#size -= 1;
    client.taken += 1;
    clients.delete(client.name);
    const work = client.works.shift();
    if (client.works.length > 0) this.#putLast(client, clients);
    return work;
  }

  #push(clients: Map<string, Client>, name: string, work: Work): void {
    this.#size += 1;
    const client = this.#newClients.get(name) ?? this.#servedClients.get(name);
    if (client === undefined) clients.set(name, { name, works: [work], taken: 0 });
    else client.works.push(work);
  }

  #putLast(client: Client, before: Map<string, Client>): void {
    const clients = client.taken < newWorksMax ? before : this.#servedClients;
    clients.set(client.name, client);
  }
}
