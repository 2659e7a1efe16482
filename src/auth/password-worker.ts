// The threads that derive keys from passwords: few threads of low priority, with a bounded queue.
import assert from 'node:assert';
import { capacity, freeMemoryBytes } from '../base/capacity.ts';
import { Thread, ThreadError, type Handler } from '../base/thread.ts';
import { minuteMilliseconds } from '../base/durations.ts';
import { Slots, type Place } from '../base/slots.ts';
import { Problem, unavailable } from '../problem.ts';

/** scrypt's N is 2^ln. */
export type Cost = { readonly ln: number; readonly r: number; readonly p: number };
type ScryptInput = Cost & { readonly password: string; readonly salt: Uint8Array; readonly keyBytes: number };
type ScryptThread = Thread<ScryptInput, Uint8Array>;
type KeyDeriver = Pick<ScryptThread, 'call' | 'end'> & Partial<Pick<ScryptThread, 'isRunning'>>;

/** Makes a thread; tests make something cheaper. */
export type DeriverFactory = () => KeyDeriver;

export type PoolOptions = {
  readonly createDeriver?: DeriverFactory | undefined;
  /** By default as many as the machine has memory for. */
  readonly atOnce?: number;
  readonly freeMemory?: () => number;
};

/** Sign-ins from networks that their accounts have used, which go first. */
const knownSignInsWaitingMax = 24;
/** All others: sign-ins from elsewhere, and new passwords. */
const passwordsWaitingMax = 16;
/** The jobs of one user or network, running or waiting. */
const jobsPerClientMax = 2;
const idleMilliseconds = minuteMilliseconds;
/** What other work may allocate meanwhile, and what the kernel counts beside the memory of the process. */
const besideHashBytes = 5 * 1024 ** 2;
/** What a thread takes that has yet to start. */
const threadBytes = 5 * 1024 ** 2;

export function createScryptPool({
  createDeriver = createThread,
  atOnce = capacity.hashesAtOnce,
  freeMemory = freeMemoryBytes,
}: PoolOptions = {}) {
  const derivers = Array.from({ length: atOnce }, createDeriver);
  let isClosed = false;
  /** Memory of the hashes that run: they allocate it bit by bit. */
  let reservedBytes = 0;
  const free = [...derivers];
  const slots = new Slots({
    running: atOnce,
    waiting: passwordsWaitingMax,
    waitingUrgent: knownSignInsWaitingMax,
    perClient: jobsPerClientMax,
    refuse: (bound) =>
      bound === 'perClient'
        ? shareUsed()
        : unavailable('Too many passwords are being hashed; retry in a moment.'),
  });

  /**
   * Derives a key. Throws `unavailable` if too many jobs are waiting, there is no memory
   * or the pool is closed, and `quota-exceeded` if a client of the job already has its share of jobs.
   */
  function derive(input: ScryptInput, place: Place): Promise<Uint8Array> {
    return slots.run(place, async () => {
      if (isClosed) throw stopping();
      const deriver = free.at(-1);
      assert(deriver !== undefined, 'there is a thread for each slot');
      const bytes = memoryOf(input) + (deriver.isRunning === true ? 0 : threadBytes);
      if (freeMemory() < reservedBytes + bytes + besideHashBytes) throw lacksMemory(bytes);
      free.pop();
      reservedBytes += bytes;
      try {
        return await deriver.call(input);
      } catch (error) {
        if (isClosed) throw stopping();
        throw error instanceof ThreadError ? lacksThread() : error;
      } finally {
        reservedBytes -= bytes;
        free.push(deriver);
      }
    });
  }

  /** Ends the threads, and rejects all jobs. */
  async function close(): Promise<void> {
    isClosed = true;
    await Promise.all(derivers.map((deriver) => deriver.end()));
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
function shareUsed(): Problem {
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

function lacksThread(): Problem {
  return unavailable('No thread can be started for hashing a password now; retry in a moment.');
}

function memoryOf({ ln, r, p }: Cost): number {
  return 128 * r * (2 ** ln + p);
}

function stopping(): Problem {
  return unavailable('The service is stopping.');
}

function createThread(): KeyDeriver {
  return new Thread({ program: deriveKeys, data: undefined, helpers: [], idleMilliseconds });
}

/** The program of the thread. */
function deriveKeys(): Handler<ScryptInput, Uint8Array> {
  const { scryptSync } = process.getBuiltinModule('node:crypto');
  const { readlinkSync } = process.getBuiltinModule('node:fs');
  const { setPriority } = process.getBuiltinModule('node:os');
  try {
    // on Linux priorities are per thread: a sign-in must not slow other requests down
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 10);
  } catch {} // other systems keep the priority
  return ({ password, salt, keyBytes, ln, r, p }) => {
    const memoryBytes = 128 * r * (2 ** ln + p);
    return scryptSync(password, salt, keyBytes, { N: 2 ** ln, r, p, maxmem: memoryBytes + 2 ** 20 });
  };
}
