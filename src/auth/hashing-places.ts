// The places in the queue of password hashing: nobody holds more than a few, sign-ins have some of their own.
import { Problem, unavailable } from '../problem.ts';
import { newPasswordsWaitingMax, signInsWaitingMax } from '../limits.ts';

/** Someone a hash is made for, such as an address, and how many places they may hold at once. */
export type Holder = { readonly name: string; readonly placesMax: number };
export type Place = { readonly queue: 'sign-in' | 'new-password'; readonly holders: readonly Holder[] };

const waitingMax = { 'sign-in': signInsWaitingMax, 'new-password': newPasswordsWaitingMax } as const;
/** Whose turn it is where both queues wait: neither can hold up the other. */
const turns = ['sign-in', 'sign-in', 'sign-in', 'new-password'] as const;

/** `Server` is what a turn is for: one of the threads. */
export function createPlaces<Server>() {
  const held = new Map<string, number>();
  const queues = { 'sign-in': [] as Enter[], 'new-password': [] as Enter[] };
  let turn = 0;
  type Enter = (server: Server) => void;

  /** Throws `quota-exceeded` where a holder has their share already. The function returned gives it back. */
  function hold({ holders }: Place): () => void {
    if (holders.some(({ name, placesMax }) => (held.get(name) ?? 0) >= placesMax)) throw shareExceeded();
    for (const { name } of holders) held.set(name, (held.get(name) ?? 0) + 1);
    return () => {
      for (const { name } of holders) giveBack(name);
    };
  }

  function giveBack(name: string): void {
    const count = (held.get(name) ?? 0) - 1;
    if (count > 0) held.set(name, count);
    else held.delete(name);
  }

  /** Throws `unavailable` where too many in that queue wait already. */
  function wait({ queue }: Place): Promise<Server> {
    if (queues[queue].length >= waitingMax[queue])
      throw unavailable('Too many passwords are being hashed; retry in a moment.');
    return new Promise((enter) => queues[queue].push(enter));
  }

  /** Whoever is next, if anybody waits. */
  function next(): Enter | undefined {
    const queue = turns[turn % turns.length] ?? 'sign-in';
    turn += 1;
    return queues[queue].shift() ?? queues['sign-in'].shift() ?? queues['new-password'].shift();
  }

  return {
    hold,
    wait,
    next,
    get waiting() {
      return queues['sign-in'].length + queues['new-password'].length;
    },
  };
}

/** 429, not 503: the service has room, this client has its share of it. */
function shareExceeded(): Problem {
  const detail = 'Your earlier passwords are still being hashed; wait for those responses first.';
  return new Problem('quota-exceeded', detail, { retryAfterSeconds: 1, violated: ['password-hashing'] });
}
