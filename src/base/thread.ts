// A thread of the service: how every thread starts, runs, fails and ends.
//
// A thread runs a *program*, a function that is called once in the thread and returns a *handler*. `call`
// sends the handler a message and resolves with what it returns; calls may overlap. A single executable has
// no file to start a thread from, so the thread receives the program's source text. The program can use only
// its parameters, nothing else from outside its braces. The parameters are `data` (a copy) and `helpers`,
// functions that are also sent as text.
//
// The first call starts the thread. The thread ends after `idleMilliseconds` without a call, by `end`, or by
// a failure. Then running calls reject with a `ThreadError`, and the next call starts another thread. A
// thread with running calls keeps the process alive; an idle thread doesn't.
//
// | thread      | runs                                | ends                  | where              |
// |-------------|-------------------------------------|-----------------------|--------------------|
// | queries     | long reads, on their own connection | after ten seconds     | `sql-worker.ts`    |
// | checkpoints | checkpoints of the WAL              | after ten seconds     | `sql-worker.ts`    |
// | types       | the console's files without types   | when it has done that | `console-files.ts` |
import { Worker } from 'node:worker_threads';
import { systemTimers, type Timers } from './timers.ts';

/**
 * The memory of a thread's JavaScript. With 16 MB for old objects, V8 sometimes ended the whole process as a
 * thread started ("GC during deserialization"): in 8 of 16 runs of some tests, with 64 MB in none of 40.
 */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 };

/**
 * Thrown if a thread couldn't start or ended early, for lack of descriptors or memory: a retry may succeed.
 */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
}

export type Handler<Message, Reply> = (message: Message) => Reply | Promise<Reply>;
type Helper = (...parameters: never) => unknown;

type ThreadOptions<Message, Reply, Data, Helpers extends readonly Helper[]> = {
  readonly program: (data: Data, ...helpers: Helpers) => Handler<Message, Reply>;
  readonly data: Data;
  /** The functions that the program receives, or their texts. */
  readonly helpers: { readonly [Index in keyof Helpers]: Helpers[Index] | string };
  readonly idleMilliseconds?: number | undefined;
  readonly timers?: Timers;
};

type PendingCall<Reply> = {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
};

type ToThread<Message> = { readonly id: number; readonly message: Message };
type FromThread<Reply> =
  { readonly id: number; readonly reply: Reply } | { readonly id: number; readonly error: unknown };

export class Thread<Message, Reply, Data = unknown, Helpers extends readonly Helper[] = readonly Helper[]> {
  readonly #text: string;
  readonly #data: unknown;
  readonly #idleMilliseconds: number | undefined;
  readonly #timers: Timers;
  readonly #calls = new Map<number, PendingCall<Reply>>();
  #lastId = 0;
  #worker: Worker | undefined;
  #cancelIdle = (): void => {};

  constructor(options: ThreadOptions<Message, Reply, Data, Helpers>) {
    const { program, data, helpers, idleMilliseconds, timers = systemTimers } = options;
    this.#text = `(${serveCalls.toString()})(${[program, ...helpers].join(', ')})`;
    this.#data = data;
    this.#idleMilliseconds = idleMilliseconds;
    this.#timers = timers;
  }

  /** Rejects with the handler's error, or with a ThreadError. */
  call(message: Message): Promise<Reply> {
    const worker = (this.#worker ??= this.#start());
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#calls.set(id, { resolve, reject });
    this.#cancelIdle();
    worker.ref();
    worker.postMessage({ id, message } satisfies ToThread<Message>);
    return promise;
  }

  /** Rejects the running calls, and resolves when the thread has ended. */
  async end(reason = 'the thread was ended'): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#cancelIdle();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const { reject } of calls) reject(new ThreadError(reason));
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = this.#create();
    const fail = (reason: string): void => {
      if (this.#worker === worker) void this.end(reason);
    };
    return worker
      .on('error', (error) => fail(`the thread failed: ${String(error)}`))
      .on('exit', () => fail('the thread ended'))
      .on('message', (message: FromThread<Reply>) => this.#receive(worker, message));
  }

  #create(): Worker {
    try {
      return new Worker(this.#text, {
        eval: true,
        workerData: this.#data,
        env: {},
        execArgv: ['--disable-warning=ExperimentalWarning'],
        resourceLimits,
      });
    } catch (cause) {
      throw new ThreadError(`the thread could not start: ${String(cause)}`, { cause });
    }
  }

  #receive(worker: Worker, message: FromThread<Reply>): void {
    const call = this.#calls.get(message.id);
    if (call === undefined) return;
    this.#calls.delete(message.id);
    if ('error' in message) call.reject(message.error);
    else call.resolve(message.reply);
    if (this.#calls.size > 0) return;
    worker.unref();
    if (this.#idleMilliseconds === undefined) return;
    this.#cancelIdle = this.#timers.after(this.#idleMilliseconds, () => void this.end());
  }
}

/** Runs in the thread: calls the handler for each message, and sends what it returns. */
function serveCalls(
  program: (data: unknown, ...helpers: unknown[]) => Handler<unknown, unknown>,
  ...helpers: unknown[]
) {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const handle = program(workerData, ...helpers);
  parentPort?.on('message', async ({ id, message }: ToThread<unknown>) => {
    try {
      const reply = await handle(message);
      parentPort?.postMessage({ id, reply });
    } catch (error) {
      parentPort?.postMessage({ id, error });
    }
  });
}
