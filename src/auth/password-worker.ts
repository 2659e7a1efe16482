// The threads that derive keys from passwords: few, low in priority, behind a bounded queue.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadMemoryMax } from '../base/thread.ts';
import { minuteMilliseconds } from '../base/durations.ts';
import { unavailable } from '../problem.ts';
import { createJobQueue, type HashingJob } from './hashing-jobs.ts';

/** scrypt's N is 2^ln. */
export type Cost = { readonly ln: number; readonly r: number; readonly p: number };
type ScryptInput = Cost & { readonly password: string; readonly salt: Uint8Array; readonly keyBytes: number };
/** Derives one key at a time. */
type KeyDeriver = { derive(input: ScryptInput): Promise<Uint8Array>; end(): Promise<void> };
/** Tests pass a function that derives cheap keys without a thread. */
export type DeriverFactory = (closing: AbortSignal) => KeyDeriver;

const threadsMax = 2;
const idleMilliseconds = minuteMilliseconds;
const resourceLimits = { ...threadMemoryMax, stackSizeMb: 1 };

export function createScryptPool(createDeriver: DeriverFactory = createKeyDeriver) {
  const closing = new AbortController();
  const derivers = Array.from({ length: threadsMax }, () => createDeriver(closing.signal));
  const free = [...derivers];
  const queue = createJobQueue<KeyDeriver>();

  /**
   * Throws `unavailable` if too many jobs are already waiting or the pool is closed, and `quota-exceeded` if
   * one of the job's quotas is exhausted.
   */
  async function derive(input: ScryptInput, job: HashingJob): Promise<Uint8Array> {
    const release = queue.reserve(job);
    try {
      const deriver = free.pop() ?? (await queue.wait(job));
      try {
        return await deriver.derive(input);
      } finally {
        const startNext = queue.next();
        if (startNext === undefined) free.push(deriver);
        else startNext(deriver);
      }
    } finally {
      release();
    }
  }

  /** Ends the threads. Waiting jobs are also rejected: each gets a thread immediately, which throws. */
  async function close(): Promise<void> {
    closing.abort(unavailable('The service is stopping.'));
    await Promise.all(derivers.map((deriver) => deriver.end()));
  }

  return {
    derive,
    close,
    get waiting() {
      return queue.waiting;
    },
  };
}

/** Returns a deriver with one worker: started for its first job, ended after a while without jobs. */
function createKeyDeriver(closing: AbortSignal): KeyDeriver {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(`(${scryptWorker})()`, { eval: true, env: {}, execArgv: [], resourceLimits });
    return started.once('error', () => {
      worker = undefined;
    });
  }

  async function derive(input: ScryptInput): Promise<Uint8Array> {
    closing.throwIfAborted();
    clearTimeout(idle);
    const busy = (worker ??= start());
    busy.ref();
    busy.postMessage(input);
    try {
      const [key] = await once(busy, 'message', { signal: closing });
      return key;
    } catch (error) {
      throw closing.aborted ? closing.reason : error;
    } finally {
      busy.unref();
      idle = setTimeout(end, idleMilliseconds).unref();
    }
  }

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  return { derive, end };
}

/**
 * Runs in the worker, from its source text (a single executable has no file to start one from): it can use
 * nothing from outside its braces.
 */
function scryptWorker(): void {
  const { scryptSync } = process.getBuiltinModule('node:crypto');
  const { readlinkSync } = process.getBuiltinModule('node:fs');
  const { setPriority } = process.getBuiltinModule('node:os');
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  try {
    // on Linux priorities are per thread: a sign-in must not slow other requests down
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 10);
  } catch {} // other systems keep the priority
  parentPort?.on('message', ({ password, salt, keyBytes, ln, r, p }: ScryptInput) => {
    const memoryBytes = 128 * r * (2 ** ln + p);
    parentPort.postMessage(
      scryptSync(password, salt, keyBytes, { N: 2 ** ln, r, p, maxmem: memoryBytes + 2 ** 20 }),
    );
  });
}
