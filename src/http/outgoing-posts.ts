// Sends the service's own requests: a POST to a webhook's URL, over connections to checked addresses only.
import { isIP } from 'node:net';
import { AddressLookups, type AddressLookup } from '../network/address-lookups.ts';
import { hostOf, type WebhookTargets } from '../network/webhook-targets.ts';
import type { Timers } from '../timers.ts';
import type { FoundAddresses, PostFailure, PostResult } from './post-thread.ts';
import { PostWorker, type Post, type PostWorkerOptions, type Target } from './post-worker.ts';

type OutgoingPostsOptions = {
  readonly targets: WebhookTargets;
  readonly now: () => number;
  readonly timers: Timers;
  readonly lookup?: AddressLookup | undefined;
} & Pick<PostWorkerOptions, 'authorities' | 'program'>;

/**
 * Sends POST requests from a thread, which runs while there are some. Addresses are checked as they are
 * looked up for a connection, so nothing can change between the check and the connection. Redirects are not
 * followed, and proxies that the environment names not used.
 */
export class OutgoingPosts {
  readonly #options: OutgoingPostsOptions;
  readonly #lookups: AddressLookups;
  #worker: PostWorker | undefined = undefined;

  constructor(options: OutgoingPostsOptions) {
    this.#options = options;
    this.#lookups = new AddressLookups(options.now, options.lookup);
  }

  async post(post: Post): Promise<PostResult> {
    const host = hostOf(post.url);
    // a URL with an address causes no look-up, which would check it
    if (isIP(host) !== 0 && !this.#permits(host, post.url.protocol)) return blocked(host);
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      return { kind: 'failed', cause: `the thread could not start: ${String(error)}` };
    }
    return this.#worker.post(post);
  }

  /** Ends the requests under way. */
  close(): void {
    this.#worker?.end('the service is stopping');
  }

  #start(): PostWorker {
    const { timers, authorities, program } = this.#options;
    return new PostWorker({
      timers,
      authorities,
      program,
      findAddresses: (target) => this.#findAddresses(target),
      onEnd: () => {
        this.#worker = undefined;
      },
    });
  }

  /** Returns addresses only if all of the name's are permitted. */
  async #findAddresses({ host, protocol, isWanted }: Target): Promise<FoundAddresses> {
    try {
      const addresses = await this.#lookups.find(host, isWanted);
      const other = addresses.find(({ address }) => !this.#permits(address, protocol));
      if (other !== undefined) return blocked(other.address);
      if (addresses.length === 0) return { kind: 'failed', cause: `${host} has no address.` };
      return addresses;
    } catch (error) {
      return { kind: 'failed', cause: lookupCause(error) };
    }
  }

  #permits(address: string, protocol: string): boolean {
    return this.#options.targets.permits(address, protocol);
  }
}

function blocked(address: string): PostFailure {
  return { kind: 'blocked', cause: `${address} may not be connected to` };
}

function lookupCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
