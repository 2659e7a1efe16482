// Passwords are hashed off the main thread, in Node's own pool: few at once, with a bounded queue.
import { scrypt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { capacity, freeMemoryBytes } from '../base/capacity.ts';
import { secondMilliseconds } from '../base/durations.ts';
import { Slots, type SlotClaim } from '../base/slots.ts';
import { Problem, unavailable } from '../problem.ts';

/** scrypt's N is 2^ln. */
export type Cost = { readonly ln: number; readonly r: number; readonly p: number };
type ScryptInput = Cost & { readonly password: string; readonly salt: Uint8Array; readonly keyBytes: number };

/** Derives a key; tests do it for less. */
export type DeriveKey = (input: ScryptInput) => Promise<Uint8Array>;

export type PoolOptions = {
  readonly deriveKey?: DeriveKey | undefined;
  readonly freeMemory?: () => number;
  /** Called when a hash lacks memory, before the job is rejected. */
  readonly collectGarbage?: () => Promise<void>;
};

/** Sign-ins from networks that their accounts have used, which go first. */
const knownSignInsWaitingMax = 24;
/** All others: sign-ins from elsewhere, and new passwords. */
const passwordsWaitingMax = 16;
/** The jobs of one user or network, running or waiting. */
const jobsPerClientMax = 2;
/** For a hash that lacks memory: what runs meanwhile may have given some back after the first one. */
const collectionsMax = 3;
/** What other work may allocate meanwhile, and what the kernel counts in addition to the memory of the process. */
const besideHashBytes = 5 * 1024 ** 2;

export function createScryptPool({
  deriveKey = deriveInPool,
  freeMemory = freeMemoryBytes,
  collectGarbage = createGarbageCollector(),
}: PoolOptions = {}) {
  let isClosed = false;
  /** Memory of the hashes that run: they allocate it bit by bit. */
  let reservedBytes = 0;
  const slots = new Slots({
    running: capacity.hashesAtOnce,
    waiting: passwordsWaitingMax,
    waitingUrgent: knownSignInsWaitingMax,
    perClient: jobsPerClientMax,
    refuse: (bound) =>
      bound === 'perClient'
        ? tooManyOfClient()
        : unavailable('Too many passwords are being hashed; retry in a moment.'),
  });

  /**
   * Derives a key. Throws `unavailable` if too many jobs are waiting, there is no memory
   * or the pool is closed, and `quota-exceeded` if a client of the job already has its share of jobs.
   */
  function derive(input: ScryptInput, claim: SlotClaim): Promise<Uint8Array> {
    return slots.run(claim, async () => {
      if (isClosed) throw stopping();
      const bytes = memoryOf(input);
      const hasMemory = (): boolean => freeMemory() >= reservedBytes + bytes + besideHashBytes;
      for (let tries = 0; !hasMemory(); tries += 1) {
        if (tries === collectionsMax) throw lacksMemory(bytes);
        await collectGarbage();
      }
      reservedBytes += bytes;
      try {
        const key = await deriveKey(input);
        if (isClosed) throw stopping();
        return key;
      } finally {
        reservedBytes -= bytes;
      }
    });
  }

  /** Rejects all jobs. A job that runs is rejected when it has ended. */
  function close(): void {
    isClosed = true;
  }

  return {
    derive,
    close,
    get waiting() {
      return slots.waiting;
    },
  };
}

/** 429, not 503: the service has room, but not for more jobs of this client. */
function tooManyOfClient(): Problem {
  const detail = 'Your earlier passwords are still being hashed; wait for those responses first.';
  return new Problem('quota-exceeded', detail, { retryAfterSeconds: 1, violated: ['password-hashing'] });
}

/** The kernel would end a process that has no memory for its hash. */
function lacksMemory(bytes: number): Problem {
  const megabytes = Math.round(bytes / 1e6);
  return unavailable(
    `There is no memory for hashing a password now, which takes ${megabytes} MB; retry in a moment.`,
  );
}

function memoryOf({ ln, r, p }: Cost): number {
  return 128 * r * (2 ** ln + p);
}

function stopping(): Problem {
  return unavailable('The service is stopping.');
}

const scryptAsync = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

function deriveInPool(input: ScryptInput): Promise<Uint8Array> {
  const { password, salt, keyBytes, ln, r, p } = input;
  return scryptAsync(password, salt, keyBytes, { N: 2 ** ln, r, p, maxmem: memoryOf(input) + 2 ** 20 });
}

/**
 * Makes V8 return unused memory to the system. This takes some 0.2 s, so it is done at most every other second. Only on
 * small machines: `start.sh` gives the function there.
 */
function createGarbageCollector(): () => Promise<void> {
  let nextAt = -Infinity;
  return async () => {
    const collect = globalThis.gc;
    if (collect === undefined) return;
    await pause(Math.max(0, nextAt - performance.now()));
    collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
    nextAt = performance.now() + 2 * secondMilliseconds;
  };
}
