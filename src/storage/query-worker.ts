// Runs slow statements one after another on a thread with a connection of its own.
import { Worker } from 'node:worker_threads';
import type { Row, SqlValue } from './connection.ts';

const idleMilliseconds = 10_000;

type Query = { readonly sql: string; readonly params: readonly SqlValue[] };
type PendingQuery = Query & {
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
};
type Answer = { readonly rows: Row[] } | { readonly error: string; readonly errcode: number | undefined };

export type QueryWorker = ReturnType<typeof createQueryWorker>;

/**
 * The thread couldn't start or ended early, for lack of descriptors or memory: the query may succeed later.
 */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
}

/**
 * The thread that reads starts with its first query and ends when it has been idle a while. The one that
 * writes starts at once and stays: without it the WAL can't be kept short, and when it is needed there may be
 * no descriptor or memory left to start it. The caller bounds how many queries wait.
 */
export function createQueryWorker(file: string, access: 'read' | 'write') {
  const waiting: PendingQuery[] = [];
  let running: PendingQuery | undefined;
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let paused: (() => void) | undefined;

  function query(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      waiting.push({ sql, params, resolve, reject });
      next();
    });
  }

  /** Resolves when nothing runs any more; queries made from now on wait for `resume`. */
  function pause(): Promise<void> {
    return new Promise((resolve) => {
      paused = resolve;
      if (running === undefined) resolve();
    });
  }

  function resume(): void {
    paused = undefined;
    next();
  }

  /** Answers the queries made, then ends the thread. */
  async function close(): Promise<void> {
    if (running !== undefined) await query('SELECT 1');
    clearTimeout(idle);
    const ending = worker;
    worker = undefined;
    if (ending === undefined) return;
    ending.ref();
    await new Promise((resolve) => ending.once('exit', resolve).postMessage(null));
  }

  function next(): void {
    if (running !== undefined || paused !== undefined) return;
    running = waiting.shift();
    if (running === undefined) return;
    const { sql, params } = running;
    clearTimeout(idle);
    worker ??= start();
    worker.ref();
    worker.postMessage({ sql, params } satisfies Query);
  }

  function start(): Worker {
    const started = new Worker(`(${answerQueries.toString()})()`, {
      eval: true, // so that it also runs where there are no source files: in a single executable
      workerData: { file, readOnly: access === 'read' },
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    });
    const ended = (cause?: unknown): void => {
      if (worker !== started) return;
      worker = undefined;
      const reason = cause instanceof Error ? cause.message : 'no reason given';
      const message = `The thread for queries ended early: ${reason}`;
      finish(({ reject }) => reject(new ThreadError(message, { cause })));
    };
    started.unref();
    return started
      .on('error', ended)
      .on('exit', () => ended())
      .on('message', (answer: Answer) => {
        started.unref();
        if (access === 'read') idle = setTimeout(close, idleMilliseconds).unref();
        finish(({ resolve, reject }) => {
          if ('rows' in answer) resolve(answer.rows);
          else reject(Object.assign(new Error(answer.error), { errcode: answer.errcode }));
        });
      });
  }

  function finish(settle: (query: PendingQuery) => void): void {
    if (running !== undefined) settle(running);
    running = undefined;
    paused?.();
    next();
  }

  if (access === 'write') worker = start();
  return {
    query,
    pause,
    resume,
    close,
    get waiting() {
      return waiting.length;
    },
  };
}

/** The whole program of the thread, sent there as text: it can use nothing from outside its braces. */
function answerQueries(): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { file, readOnly } = workerData;
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
      parentPort.postMessage({ rows: sqlite.prepare(query.sql).all(...query.params) });
    } catch (error) {
      const { message, errcode } = error as Error & { errcode?: number }; // node:sqlite throws nothing else
      parentPort.postMessage({ error: message, errcode });
    }
  });
}
