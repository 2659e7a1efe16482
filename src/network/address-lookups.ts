// Looks up the addresses of receivers, so that names whose look-ups hang don't delay all others.
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { BoundedMap } from '../bounded-map.ts';
import { dayMilliseconds, secondMilliseconds } from '../durations.ts';

/** Finds all addresses of a name. The system's look-up occupies a thread of libuv, and can't be aborted. */
export type AddressLookup = (
  host: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

type Lookup = {
  readonly host: string;
  readonly result: PromiseWithResolvers<LookupAddress[]>;
  /** For each caller that waits for the result: whether they still want it. */
  readonly wantedBy: (() => boolean)[];
  startedAt: number;
};

/** libuv runs at most this many look-ups at once: half of its threads, since these also sync files. */
const runningMax = 2;
/**
 * At most this many are of slow names: while one hangs, for half a minute, other names still have a thread.
 */
const slowRunningMax = 1;
/** A look-up that takes longer makes its name slow for a day, since it may hang only now and then. */
const quickMilliseconds = secondMilliseconds;
const slowMilliseconds = dayMilliseconds;
const slowNamesMax = 1_000;

export class AddressLookups {
  readonly #now: () => number;
  readonly #lookup: AddressLookup;
  /** The look-ups that wait, in their order, and those that run; a name has one at a time. */
  readonly #waiting = new Map<string, Lookup>();
  readonly #running = new Map<string, Lookup>();
  /** The time until which a name is slow. */
  readonly #slowUntil = new BoundedMap<string, number>(slowNamesMax);

  constructor(now: () => number, lookup: AddressLookup = systemLookup) {
    this.#now = now;
    this.#lookup = lookup;
  }

  /** Rejects if the look-up fails, or if nobody wants it any more before it starts. */
  find(host: string, isWanted: () => boolean): Promise<LookupAddress[]> {
    const lookup = this.#running.get(host) ?? this.#waiting.get(host) ?? this.#add(host);
    lookup.wantedBy.push(isWanted);
    this.#startSome();
    return lookup.result.promise;
  }

  #add(host: string): Lookup {
    const lookup = {
      host,
      result: Promise.withResolvers<LookupAddress[]>(),
      wantedBy: [],
      startedAt: Infinity,
    };
    this.#waiting.set(host, lookup);
    return lookup;
  }

  #startSome(): void {
    for (const lookup of this.#waiting.values()) {
      const isWanted = lookup.wantedBy.some((isStillWanted) => isStillWanted());
      if (isWanted && !this.#hasRoomFor(lookup)) continue;
      this.#waiting.delete(lookup.host);
      if (isWanted) this.#start(lookup);
      else lookup.result.reject(new Error('nobody wants its addresses any more'));
    }
  }

  #hasRoomFor(lookup: Lookup): boolean {
    const running = [...this.#running.values()];
    if (running.length >= runningMax) return false;
    return !this.#isSlow(lookup) || running.filter((each) => this.#isSlow(each)).length < slowRunningMax;
  }

  #isSlow({ host, startedAt }: Lookup): boolean {
    const now = this.#now();
    return now - startedAt > quickMilliseconds || now < (this.#slowUntil.get(host) ?? 0);
  }

  #start(lookup: Lookup): void {
    const { host, result } = lookup;
    lookup.startedAt = this.#now();
    this.#running.set(host, lookup);
    this.#lookup(host, { all: true }, (error, addresses) => {
      this.#running.delete(host);
      const now = this.#now();
      if (now - lookup.startedAt > quickMilliseconds) this.#slowUntil.set(host, now + slowMilliseconds);
      if (error === null) result.resolve(addresses);
      else result.reject(error);
      this.#startSome();
    });
  }
}
