// Runs SQL statements one after another on a worker thread with its own connection: slow queries, in an order
// that is fair among clients, or checkpoints.
import { Worker } from 'node:worker_threads';
import { threadMemoryMax } from '../base/thread.ts';
import { searchText } from '../schema/search-text.ts';
import type { Row, SqlValue } from './connection.ts';
import { QueryQueue, type QueryClient } from './query-queue.ts';

/** The time on the processor after which a search through rows ends, so that others don't wait for it. */
const searchMillisecondsMax = 1_000;

const idleMilliseconds = 10_000;
/**
 * Starting a thread takes as much CPU time as a fifth of the service's start; the first requests should not
 * wait for that.
 */
const startDelayMilliseconds = 1_000;

/**
 * A search in the rows of a statement, each of which has an id and texts. It keeps the rows in which every
 * phrase matches: at least one of its alternatives occurs in the texts (schema/search-text.ts). In a column
 * of JSON, all phrases must match within one of its objects. After `searchMillisecondsMax` it ends with what
 * it has found: a user's texts may be long, and take long to normalize.
 */
export type RowSearch = {
  readonly phrases: readonly (readonly string[])[];
  readonly columns: 'texts' | 'JSON';
  readonly rowsMax: number;
};

type Query = {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** If set, the result has only ids, each as the key and the id of a position. */
  readonly search?: RowSearch | undefined;
};
export type QueryOptions = QueryClient & { readonly search?: RowSearch | undefined };
type PendingQuery = Query & {
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
  /** Resolves when its snapshot is on disk. */
  synced?: Promise<void>;
};
type Result = { readonly rows: Row[] } | { readonly error: string; readonly errcode: number | undefined };

export type SqlWorkerOptions = {
  readonly file: string;
  readonly access: 'read' | 'write';
  readonly starts: 'after a second' | 'with its first query';
  /** Resolves when all present commits are on disk: a query that may have seen them waits for that. */
  synced(): Promise<void>;
};

/** A thread that couldn't start or ended early, for lack of descriptors or memory: a retry may succeed. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
}

/**
 * A read-only worker's thread ends once it has been idle for a while; the writing one's stays. The caller
 * limits the queries that wait.
 */
export class SqlWorker {
  readonly #options: SqlWorkerOptions;
  readonly #waiting = new QueryQueue<PendingQuery>();
  #running: PendingQuery | undefined;
  #worker: Worker | undefined;
  #starting: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isPaused = false;
  #onPaused = (): void => {};
  #onIdle: (() => void) | undefined;

  constructor(options: SqlWorkerOptions) {
    this.#options = options;
    if (options.starts === 'after a second') {
      const start = (): unknown => this.query('SELECT 1').catch(() => {}); // the next query tries again
      this.#starting = setTimeout(start, startDelayMilliseconds).unref();
    }
  }

  hasRoomFor(client: QueryClient): boolean {
    return this.#waiting.hasRoomFor(client);
  }

  query(sql: string, params: readonly SqlValue[] = [], options: QueryOptions = {}): Promise<Row[]> {
    const { search } = options;
    return new Promise((resolve, reject) => {
      this.#waiting.add({ sql, params, search, resolve, reject }, options);
      this.#next();
    });
  }

  /** Resolves when no query is running; new queries wait for `resume`. */
  pause(): Promise<void> {
    this.#isPaused = true;
    if (this.#running === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onPaused = resolve;
    });
  }

  resume(): void {
    this.#isPaused = false;
    this.#next();
  }

  /** Runs the waiting queries, then ends the thread. */
  async close(): Promise<void> {
    if (this.#running !== undefined) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    clearTimeout(this.#starting);
    clearTimeout(this.#idle);
    const ending = this.#worker;
    this.#worker = undefined;
    if (ending === undefined) return;
    ending.ref();
    await new Promise((resolve) => ending.once('exit', resolve).postMessage(null));
  }

  #next(): void {
    if (this.#running !== undefined || this.#isPaused) return;
    this.#running = this.#waiting.take();
    if (this.#running === undefined) return this.#onIdle?.();
    const { sql, params, search } = this.#running;
    clearTimeout(this.#idle);
    try {
      this.#worker ??= this.#start();
    } catch (cause) {
      return this.#fail('The SQL worker thread could not start', cause);
    }
    this.#worker.ref();
    this.#worker.postMessage({ sql, params, search } satisfies Query);
  }

  #start(): Worker {
    const { file, access } = this.#options;
    const started = new Worker(`(${runStatements.toString()})(${searchText.toString()})`, {
      eval: true, // so that it also runs where there are no source files: in a single executable
      workerData: { file, readOnly: access === 'read', searchMillisecondsMax },
      resourceLimits: threadMemoryMax,
    });
    started.unref();
    return started
      .on('error', (error) => this.#onEnd(started, error))
      .on('exit', () => this.#onEnd(started))
      .on('message', (message: 'snapshot taken' | Result) => {
        if (message === 'snapshot taken') this.#onSnapshot();
        else this.#onResult(started, message);
      });
  }

  #onSnapshot(): void {
    if (this.#running === undefined) return;
    this.#running.synced = this.#options.synced();
    this.#running.synced.catch(() => {}); // reported when the query has its result
  }

  #onResult(worker: Worker, result: Result): void {
    worker.unref();
    if (this.#options.access === 'read')
      this.#idle = setTimeout(() => this.close(), idleMilliseconds).unref();
    this.#finish(({ synced = Promise.resolve(), resolve, reject }) => {
      if ('rows' in result) synced.then(() => resolve(result.rows), reject);
      else reject(Object.assign(new Error(result.error), { errcode: result.errcode }));
    });
  }

  #onEnd(worker: Worker, cause?: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#fail('The SQL worker thread ended early', cause);
  }

  #fail(what: string, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : 'no reason given';
    this.#finish(({ reject }) => reject(new ThreadError(`${what}: ${reason}`, { cause })));
  }

  #finish(settle: (query: PendingQuery) => void): void {
    if (this.#running !== undefined) settle(this.#running);
    this.#running = undefined;
    this.#onPaused();
    this.#next();
  }
}

/** The whole program of the thread, which is sent as text: it can use nothing from outside its braces. */
function runStatements(textOf: typeof searchText): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { file, readOnly, searchMillisecondsMax } = workerData;
  const sqlite = new DatabaseSync(file, {
    readOnly,
    returnArrays: true,
    timeout: 100,
    limits: { attach: 0 },
  });
  parentPort?.on('message', (query: Query | null) => {
    if (query === null) {
      sqlite.close();
      parentPort.close();
      return;
    }
    try {
      parentPort.postMessage({ rows: readOnly ? readInSnapshot(query) : rowsOf(query) });
    } catch (error) {
      const { message, errcode } = error as Error & { errcode?: number }; // node:sqlite throws nothing else
      parentPort.postMessage({ error: message, errcode });
    }
  });

  function readInSnapshot(query: Query): unknown[] {
    sqlite.exec('BEGIN; SELECT 1 FROM sqlite_schema');
    try {
      parentPort?.postMessage('snapshot taken');
      return rowsOf(query);
    } finally {
      sqlite.exec('COMMIT');
    }
  }

  function rowsOf({ sql, params, search }: Query): unknown[] {
    const statement = sqlite.prepare(sql);
    return search === undefined ? statement.all(...params) : matching(statement.iterate(...params), search);
  }

  /** A function within SQL could also do this, but its arguments would stay in memory until the end. */
  function matching(rows: Iterable<unknown>, { phrases, rowsMax, columns }: RowSearch): unknown[] {
    // most JSON need not be parsed: if an object has the words, so does the text
    const inJson = phrases.map((each) => each.map((phrase) => JSON.stringify(phrase.trim()).slice(1, -1)));
    const found: unknown[] = [];
    const until = cpuMilliseconds() + searchMillisecondsMax;
    for (const row of rows as Iterable<[number, ...(string | null)[]]>) {
      const [id, ...texts] = row;
      const isFound =
        columns === 'texts'
          ? contains(textOf(...texts), phrases)
          : contains(upperJson(texts), inJson) && textsOf(texts).some((text) => contains(text, phrases));
      if (isFound) found.push([id, id]);
      if (found.length === rowsMax || cpuMilliseconds() > until) break;
    }
    return found;
  }

  /** The time on the processor: on a busy machine a search must not find less. */
  function cpuMilliseconds(): number {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  }

  function contains(text: string, phrases: RowSearch['phrases']): boolean {
    return phrases.every((each) => each.some((phrase) => text.includes(phrase)));
  }

  /** ASCII, as most texts are, needs no more, which saves a third of the time of a search. */
  function upperJson([json]: readonly (string | null)[]): string {
    const text = json ?? '';
    return /^[ -~]*$/.test(text) ? text.toUpperCase() : textOf(text);
  }

  function textsOf([json]: readonly (string | null)[]): string[] {
    const objects: object[] = JSON.parse(json ?? '[]');
    const isText = (value: unknown): value is string => typeof value === 'string';
    return objects.map((each) => textOf(...Object.values(each).filter(isText)));
  }
}
