// Sends the service's own requests: a POST to a webhook's URL. Starts, watches and ends the thread that sends
// them, since a hostile receiver could occupy an event loop for long.
import { isIP } from 'node:net';
import { hostOf } from '../../base/addresses.ts';
import { Thread, ThreadError } from '../../base/thread.ts';
import { minuteMilliseconds } from '../../base/durations.ts';
import { permits, type WebhookTargets } from './webhook-targets.ts';
import type { Timers } from '../../base/timers.ts';
import { blocked, postSettings, sendPosts, type PostResult, type SentPost } from './post-thread.ts';

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

const idleMilliseconds = minuteMilliseconds;
/** A thread that hasn't ended an aborted request after this time is ended. */
const abortMillisecondsMax = 10_000;

/** The text of the system's look-up, which exists on the thread. */
const systemLookup = "process.getBuiltinModule('node:dns').lookup";

/**
 * Follows no redirects, and uses no proxy that the environment names. The thread ends after a minute without
 * posts, or when it fails: then its running posts have failed, and the next post starts another thread.
 */
export class OutgoingPosts {
  readonly #targets: WebhookTargets;
  readonly #timers: Timers;
  readonly #thread: Thread<SentPost, PostResult>;

  constructor({ targets, timers, lookup = systemLookup, authorities }: OutgoingPostsOptions) {
    this.#targets = targets;
    this.#timers = timers;
    this.#thread = new Thread({
      program: sendPosts,
      data: postSettings({ targets: targets.blocks, authorities }),
      helpers: [blocked, permits, lookup],
      idleMilliseconds,
      timers,
    });
  }

  async post({ url, headers, body, signal }: Post): Promise<PostResult> {
    const host = hostOf(url);
    // a URL with an IP address causes no look-up, which would check the address
    if (isIP(host) !== 0 && !this.#targets.permits(host, url.protocol)) return blocked(host);
    let cancelTimer = (): void => {};
    const limitAbort = (): void => {
      cancelTimer = this.#timers.after(abortMillisecondsMax, () => this.#end('the thread did not respond'));
    };
    signal.addEventListener('abort', limitAbort, { once: true });
    try {
      return await this.#thread.call({ url: url.href, headers, body }, { signal });
    } catch (error) {
      const cause = error instanceof ThreadError ? error.message : String(error);
      return { kind: 'failed', code: 'other', cause };
    } finally {
      signal.removeEventListener('abort', limitAbort);
      cancelTimer();
    }
  }

  /** Ends the running requests. */
  close(): void {
    this.#end('the service is stopping');
  }

  #end(reason: string): void {
    void this.#thread.end(reason);
  }
}
