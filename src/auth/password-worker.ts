// The threads that derive keys from passwords: few threads of low priority, with a bounded queue. Where
// there is no memory for scrypt's table, the key is derived with a part of it: the same key, in more time.
import assert from 'node:assert';
import { capacity, freeMemoryBytes } from '../base/capacity.ts';
import { Thread, type Handler } from '../base/thread.ts';
import { minuteMilliseconds } from '../base/durations.ts';
import { Slots, type Place } from '../base/slots.ts';
import { Problem, unavailable } from '../problem.ts';
import { frugalScrypt, type Cost, type FrugalInput, type ScryptInput } from './frugal-scrypt.ts';

type ScryptThread = Thread<FrugalInput, Uint8Array>;
type KeyDeriver = Pick<ScryptThread, 'call' | 'end'> & Partial<Pick<ScryptThread, 'isRunning'>>;

/** Makes a thread; tests make something cheaper. */
export type DeriverFactory = () => KeyDeriver;

export type PoolOptions = {
  readonly createDeriver?: DeriverFactory | undefined;
  /** By default as many as the machine has memory for. */
  readonly atOnce?: number;
  readonly freeMemory?: () => number;
};

const signInsWaitingMax = 24;
const newPasswordsWaitingMax = 8;
/** The jobs of one user or network, running or waiting. */
const jobsPerClientMax = 2;
const idleMilliseconds = minuteMilliseconds;
/** What other work may allocate meanwhile, and what the kernel counts beside the memory of the process. */
const besideHashBytes = 5 * 1024 ** 2;
/** What a thread takes that has yet to start. */
const threadBytes = 5 * 1024 ** 2;
/** Pages of the program's file that stay in memory, if possible: else requests wait for the disk. */
const programBytes = 16 * 1024 ** 2;

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
    waiting: newPasswordsWaitingMax,
    waitingUrgent: signInsWaitingMax,
    perClient: jobsPerClientMax,
    refuse: (bound) =>
      bound === 'perClient'
        ? shareUsed()
        : unavailable('Too many passwords are being hashed; retry in a moment.'),
  });

  /**
   * Derives a key; sign-ins are urgent. Throws `unavailable` if too many jobs are waiting, there is no memory
   * or the pool is closed, and `quota-exceeded` if a client of the job already has its share of jobs.
   */
  function derive(input: ScryptInput, place: Place): Promise<Uint8Array> {
    return slots.run(place, async () => {
      if (isClosed) throw stopping();
      const deriver = free.at(-1);
      assert(deriver !== undefined, 'there is a thread for each slot');
      const startBytes = deriver.isRunning === true ? 0 : threadBytes;
      const room = freeMemory() - reservedBytes - startBytes - besideHashBytes;
      const blocksPerKept = blocksPerKeptWithin(room, input);
      const bytes = startBytes + memoryOf(input, blocksPerKept);
      free.pop();
      reservedBytes += bytes;
      try {
        return await deriver.call({ ...input, blocksPerKept });
      } catch (error) {
        throw isClosed ? stopping() : error;
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
function lacksMemory(): Problem {
  return unavailable('There is no memory for hashing a password now; retry in a moment.');
}

/** Returns 1 for the whole table, 4 for a quarter (twice the time) and 8 for an eighth (three times). */
function blocksPerKeptWithin(room: number, cost: Cost): number {
  const comfortable = [1, 4].find((each) => room >= memoryOf(cost, each) + programBytes);
  if (comfortable !== undefined) return comfortable;
  if (room < memoryOf(cost, 8)) throw lacksMemory();
  return 8;
}

function memoryOf({ ln, r, p }: Cost, blocksPerKept: number): number {
  return 128 * r * (2 ** ln / blocksPerKept + p);
}

function stopping(): Problem {
  return unavailable('The service is stopping.');
}

function createThread(): KeyDeriver {
  return new Thread({ program: deriveKeys, data: undefined, helpers: [frugalScrypt], idleMilliseconds });
}

/** The program of the thread. */
function deriveKeys(_data: unknown, deriveFrugally: typeof frugalScrypt): Handler<FrugalInput, Uint8Array> {
  const { scryptSync } = process.getBuiltinModule('node:crypto');
  const { readlinkSync } = process.getBuiltinModule('node:fs');
  const { setPriority } = process.getBuiltinModule('node:os');
  try {
    // on Linux priorities are per thread: a sign-in must not slow other requests down
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 10);
  } catch {} // other systems keep the priority
  return (input) => {
    if (input.blocksPerKept > 1) return deriveFrugally(input);
    const { password, salt, keyBytes, ln, r, p } = input;
    const memoryBytes = 128 * r * (2 ** ln + p);
    return scryptSync(password, salt, keyBytes, { N: 2 ** ln, r, p, maxmem: memoryBytes + 2 ** 20 });
  };
}
