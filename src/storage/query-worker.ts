// Runs slow statements one after another on a thread with a connection of its own.
import { Worker } from 'node:worker_threads';
import type { Row, SqlValue } from './connection.ts';

const idleMilliseconds = 10_000;

type Query = { readonly sql: string; readonly params: readonly SqlValue[] };
type Asked = Query & { readonly resolve: (rows: Row[]) => void; readonly reject: (error: unknown) => void };
type Answer = { readonly rows: Row[] } | { readonly error: string; readonly errcode: number | undefined };

/** The thread starts with the first query and ends when it has been idle a while. The caller bounds how many wait. */
export class QueryWorker {
  readonly #workerData: { readonly file: string; readonly readOnly: boolean };
  readonly #waiting: Asked[] = [];
  #running: Asked | undefined;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #paused: (() => void) | undefined;

  constructor(file: string, access: 'read' | 'write') {
    this.#workerData = { file, readOnly: access === 'read' };
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  query(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sql, params, resolve, reject });
      this.#next();
    });
  }

  /** Resolves when nothing runs any more; what is asked from now on waits for `resume`. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#paused = resolve;
      if (this.#running === undefined) resolve();
    });
  }

  resume(): void {
    this.#paused = undefined;
    this.#next();
  }

  /** Answers what was asked, then ends the thread. */
  async close(): Promise<void> {
    if (this.#running !== undefined) await this.query('SELECT 1');
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    worker.ref();
    await new Promise((resolve) => worker.once('exit', resolve).postMessage(null));
  }

  #next(): void {
    if (this.#running !== undefined || this.#paused !== undefined) return;
    this.#running = this.#waiting.shift();
    if (this.#running === undefined) return;
    const { sql, params } = this.#running;
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage({ sql, params } satisfies Query);
  }

  #start(): Worker {
    const worker = new Worker(`(${answerQueries.toString()})()`, {
      eval: true, // so that it also runs where there are no source files: in a single executable
      workerData: this.#workerData,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    });
    const ended = (error: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#ran(({ reject }) => reject(error));
    };
    return worker.on('error', ended).on('exit', () => ended(new Error('The thread for queries ended early.')))
      .on('message', (answer: Answer) => {
        worker.unref();
        this.#idle = setTimeout(() => void this.close(), idleMilliseconds).unref();
        this.#ran(({ resolve, reject }) => {
          if ('rows' in answer) resolve(answer.rows);
          else reject(Object.assign(new Error(answer.error), { errcode: answer.errcode }));
        });
      });
  }

  #ran(settle: (asked: Asked) => void): void {
    if (this.#running !== undefined) settle(this.#running);
    this.#running = undefined;
    this.#paused?.();
    this.#next();
  }
}

/** The whole program of the thread, sent there as text: it can use nothing from outside its braces. */
function answerQueries(): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { file, readOnly } = workerData;
  const sqlite = new DatabaseSync(file, { readOnly, returnArrays: true, timeout: 100, limits: { attach: 0 } });
  parentPort?.on('message', (query: Query | null) => {
    if (query === null) {
      sqlite.close();
      parentPort.close();
      return;
    }
    try {
      parentPort.postMessage({ rows: sqlite.prepare(query.sql).all(...query.params) });
    } catch (error) {
      const { message, errcode } = error as Error & { errcode?: number }; // node:sqlite throws nothing else
      parentPort.postMessage({ error: message, errcode });
    }
  });
}
