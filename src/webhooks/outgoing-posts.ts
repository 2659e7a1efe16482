// Sends the service's own requests: a POST to a webhook's URL. Starts, watches and ends the thread that does it,
// since hostile receivers could occupy an event loop for long.
import { isIP } from 'node:net';
import { Worker } from 'node:worker_threads';
import { hostOf } from '../base/addresses.ts';
import { threadMemoryMax } from '../base/thread.ts';
import { minuteMilliseconds } from '../base/durations.ts';
import type { WebhookTargets } from '../resources/webhooks/webhook-targets.ts';
import type { Timers } from '../base/timers.ts';
import { blocked, postProgram, threadSettings, type PostResult, type ToThread } from './post-thread.ts';

type Post = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request in any state. */
  readonly signal: AbortSignal;
};

type OutgoingPostsOptions = {
  readonly targets: WebhookTargets;
  readonly timers: Timers;
  /** The text of a function that tests use instead of `dns.lookup`, since it runs on the thread. */
  readonly lookup?: string | undefined;
  /** The authorities to trust instead of the default ones, in PEM. */
  readonly authorities?: readonly string[] | undefined;
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
 * Redirects are not followed, and proxies that the environment names not used. The thread ends after a minute
 * without posts, or when it fails: then its running posts have failed, and the next post starts another.
 */
export class OutgoingPosts {
  readonly #options: OutgoingPostsOptions;
  readonly #running = new Map<number, Running>();
  #worker: Worker | undefined = undefined;
  #lastId = 0;
  #cancelIdle = nothing;

  constructor(options: OutgoingPostsOptions) {
    this.#options = options;
  }

  async post(post: Post): Promise<PostResult> {
    const { url, headers, body, signal } = post;
    const host = hostOf(url);
    // a URL with an address causes no look-up, which would check it
    if (isIP(host) !== 0 && !this.#options.targets.permits(host, url.protocol)) return blocked(host);
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      return { kind: 'failed', cause: `the thread could not start: ${String(error)}` };
    }
    const { promise, resolve } = Promise.withResolvers<PostResult>();
    const id = (this.#lastId += 1);
    const abort = (): void => this.#abort(id);
    this.#running.set(id, { post, resolve, abort, cancelTimer: nothing });
    this.#cancelIdle();
    this.#worker.ref();
    this.#send({ kind: 'post', id, post: { url: url.href, headers, body } });
    signal.addEventListener('abort', abort, { once: true });
    return promise;
  }

  /** Ends the requests under way. */
  close(): void {
    this.#end('the service is stopping');
  }

  #start(): Worker {
    const { targets, authorities, lookup } = this.#options;
    const worker = new Worker(postProgram(lookup), {
      eval: true, // so that it also runs where there are no source files: in a single executable
      workerData: {
        ...threadSettings,
        tls: { ...threadSettings.tls, ca: authorities },
        targets: targets.blocks,
      },
      resourceLimits: threadMemoryMax,
    });
    const end = (cause: string): void => {
      if (this.#worker === worker) this.#end(cause);
    };
    return worker
      .on('error', (error) => end(`the thread failed: ${String(error)}`))
      .on('exit', () => end('the thread ended'))
      .on('message', ([id, result]: readonly [number, PostResult]) => this.#finish(id, result));
  }

  #end(cause: string): void {
    const worker = this.#worker;
    this.#worker = undefined;
    for (const id of this.#running.keys()) this.#finish(id, { kind: 'failed', cause });
    this.#cancelIdle();
    void worker?.terminate();
  }

  /** The result still comes from the thread, which may just have received a response. */
  #abort(id: number): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#send({ kind: 'abort', id });
    running.cancelTimer = this.#options.timers.after(abortMillisecondsMax, () =>
      this.#end('the thread did not respond'),
    );
  }

  #finish(id: number, result: PostResult): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    running.post.signal.removeEventListener('abort', running.abort);
    running.cancelTimer();
    running.resolve(result);
    if (this.#running.size > 0) return;
    this.#worker?.unref();
    this.#cancelIdle = this.#options.timers.after(idleMilliseconds, () => this.#end('the thread was idle'));
  }

  #send(message: ToThread): void {
    this.#worker?.postMessage(message);
  }
}
