// Starts, watches and ends the thread that sends POST requests, since hostile receivers could occupy an event
// loop for long.
import { Worker } from 'node:worker_threads';
import { minuteMilliseconds } from '../durations.ts';
import { threadMemoryMax } from '../limits.ts';
import type { Timers } from '../timers.ts';
import {
  sendPosts,
  threadSettings,
  type FoundAddresses,
  type FromThread,
  type PostResult,
  type ToThread,
} from './post-thread.ts';

export type Post = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request in any state. */
  readonly signal: AbortSignal;
};

export type PostWorkerOptions = {
  readonly timers: Timers;
  /** Finds the addresses for a connection, which uses one of them. */
  readonly findAddresses: (target: Target) => Promise<FoundAddresses>;
  /** Called once, when no further posts can be sent. */
  readonly onEnd: () => void;
  /** The authorities to trust instead of the default ones, in PEM. */
  readonly authorities?: readonly string[] | undefined;
  /** The thread's program, unless a test has its own. */
  readonly program?: string | undefined;
};

/** The receiver of a new connection. */
export type Target = {
  readonly host: string;
  readonly protocol: string;
  /** Whether a running post still needs the connection. */
  readonly isWanted: () => boolean;
};

type Running = {
  readonly post: Post;
  readonly resolve: (result: PostResult) => void;
  readonly abort: () => void;
  cancelTimer: () => void;
};

const idleMilliseconds = minuteMilliseconds;
/** A thread that hasn't ended an aborted request by then is ended itself. */
const abortMillisecondsMax = 10_000;
const nothing = (): void => {};

/**
 * One thread, from its start to its end: after a minute without posts, or when it fails. Its running posts
 * have failed then.
 */
export class PostWorker {
  readonly #options: PostWorkerOptions;
  readonly #worker: Worker;
  readonly #running = new Map<number, Running>();
  #lastId = 0;
  #cancelIdle = nothing;
  #hasEnded = false;

  constructor(options: PostWorkerOptions) {
    this.#options = options;
    const { program = `(${sendPosts.toString()})()`, authorities } = options;
    this.#worker = new Worker(program, {
      eval: true, // so that it also runs where there are no source files: in a single executable
      workerData: { ...threadSettings, tls: { ...threadSettings.tls, ca: authorities } },
      resourceLimits: threadMemoryMax,
    });
    this.#worker
      .on('error', (error) => this.end(`the thread failed: ${String(error)}`))
      .on('exit', () => this.end('the thread ended'))
      .on('message', (message: FromThread) => {
        if (message.kind === 'result') this.#finish(message.id, message.result);
        else void this.#answerLookup(message.id, message);
      });
  }

  post(post: Post): Promise<PostResult> {
    const { promise, resolve } = Promise.withResolvers<PostResult>();
    const id = (this.#lastId += 1);
    const abort = (): void => this.#abort(id);
    this.#running.set(id, { post, resolve, abort, cancelTimer: nothing });
    this.#cancelIdle();
    this.#worker.ref();
    const { url, headers, body, signal } = post;
    this.#send({ kind: 'post', id, post: { url: url.href, headers, body } });
    signal.addEventListener('abort', abort, { once: true });
    return promise;
  }

  end(cause: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.onEnd();
    for (const id of this.#running.keys()) this.#finish(id, { kind: 'failed', cause });
    this.#cancelIdle();
    void this.#worker.terminate();
  }

  /** The result still comes from the thread, which may just have received a response. */
  #abort(id: number): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#send({ kind: 'abort', id });
    running.cancelTimer = this.#options.timers.after(abortMillisecondsMax, () =>
      this.end('the thread did not respond'),
    );
  }

  async #answerLookup(id: number, { host, protocol }: Omit<Target, 'isWanted'>): Promise<void> {
    const isWanted = (): boolean =>
      [...this.#running.values()].some(
        ({ post: { url, signal } }) => url.hostname === host && !signal.aborted,
      );
    const found = await this.#options.findAddresses({ host, protocol, isWanted });
    this.#send({ kind: 'addresses', id, found });
  }

  #finish(id: number, result: PostResult): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    running.post.signal.removeEventListener('abort', running.abort);
    running.cancelTimer();
    running.resolve(result);
    if (this.#running.size > 0) return;
    this.#worker.unref();
    this.#cancelIdle = this.#options.timers.after(idleMilliseconds, () => this.end('the thread was idle'));
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }
}
