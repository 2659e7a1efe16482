// Events with the names of the accounts behind them: the history of an object, and the latest events of all.
import { type ApiClient, query } from './api-client.ts';
import type { List, Order, ServiceEvent, User } from './api-types.ts';
import type { LiveEvents } from './live-events.ts';
import { LiveValue } from './live-value.ts';
import { isTemporary } from './request-errors.ts';
import { t } from './texts.ts';

/** `by` is undefined without an actor, as for the service itself. */
export type NamedEvent = ServiceEvent & { readonly by: string | undefined };

type Reader = { readonly client: ApiClient; readonly live: LiveEvents; readonly user: User };

/** Sign-ins are no news of the shop. */
export function isNews({ type }: ServiceEvent): boolean {
  return !type.startsWith('session.');
}

const latestShown = 14;
const changedOrders = 6;

export class Histories {
  readonly #reader: Reader;
  readonly #names = new Map<number, string>();
  /** Those of the stream, the newest first. */
  #streamed: ServiceEvent[] = [];
  readonly #earlier: LiveValue<readonly ServiceEvent[], AbortSignal>;

  constructor(reader: Reader, signal: AbortSignal) {
    this.#reader = reader;
    this.#names.set(reader.user.id, t('you'));
    const load = (loading: AbortSignal): Promise<readonly ServiceEvent[]> => this.#readEarlier(loading);
    this.#earlier = new LiveValue(reader.live, signal, { load, concerns: () => false });
    reader.live.watch(signal, (events) => {
      const shown = [...events.filter(isNews).toReversed(), ...this.#streamed];
      this.#streamed = events.length === 0 ? [] : shown.slice(0, latestShown);
    });
  }

  /** Reads the newest events of the object at the path, for staff with all names. */
  async of(path: string, signal: AbortSignal): Promise<readonly NamedEvent[]> {
    return this.#named(await this.#read(path, 50, signal));
  }

  /** Returns the events of the stream, filled up with those of the orders that had changed last before. */
  async latest(signal: AbortSignal): Promise<readonly NamedEvent[]> {
    const isFull = this.#streamed.length === latestShown;
    const events = [...this.#streamed, ...(isFull ? [] : await this.#earlier.get(signal))];
    const byId = new Map(events.map((event) => [event.id, event]));
    return this.#named([...byId.values()].sort(newestFirst).slice(0, latestShown));
  }

  async #readEarlier(signal: AbortSignal): Promise<readonly ServiceEvent[]> {
    const { client } = this.#reader;
    const changed = `/orders?${query({ sort: '-updatedAt', limit: changedOrders })}`;
    const { data } = await client.get<List<Order>>(changed, signal);
    const histories = data.map(({ id }) => this.#read(`/orders/${id}`, 4, signal));
    return (await Promise.all(histories)).flat();
  }

  async #read(path: string, limit: number, signal?: AbortSignal): Promise<readonly ServiceEvent[]> {
    const parameters = query({ limit, include: 'actorName' });
    const { data } = await this.#reader.client.get<List<ServiceEvent>>(
      `${path}/events?${parameters}`,
      signal,
    );
    return data;
  }

  async #named(events: readonly ServiceEvent[]): Promise<readonly NamedEvent[]> {
    for (const event of events) await this.#learnName(event);
    return events.map((event) => {
      const id = event.actor?.userId;
      return {
        ...event,
        by: id === undefined ? undefined : (this.#names.get(id) ?? t('account {id}', { id })),
      };
    });
  }

  /** Events of the stream have no names: these are looked up, once for each account. */
  async #learnName(event: ServiceEvent): Promise<void> {
    const id = event.actor?.userId;
    if (id === undefined || this.#names.has(id)) return;
    try {
      this.#names.set(id, (await this.#nameOf(id, event)) ?? t('account {id}', { id }));
    } catch (error) {
      if (!isTemporary(error)) this.#names.set(id, t('account {id}', { id }));
    }
  }

  async #nameOf(id: number, { actorName, subject }: ServiceEvent): Promise<string | undefined> {
    const { client, user } = this.#reader;
    if (user.role === 'user') return t('somebody else');
    if (actorName !== undefined) return actorName ?? deletedAccount;
    if (user.role === 'admin') return (await client.get<User>(`/api/users/${id}`)).name;
    const found = (await this.#read(subject, 20)).find(({ actor }) => actor?.userId === id);
    return found === undefined ? undefined : (found.actorName ?? deletedAccount);
  }
}

const deletedAccount = t('a deleted account');

type Created = { readonly id: number; readonly createdAt: string };

/** Compares by time before the id, since imported orders keep their original times. */
function newestFirst(a: Created, b: Created): number {
  return Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.id - a.id;
}
