// Token buckets in memory. They limit how many requests a client may send in a span of time. Each request
// consumes a token of its client's bucket (`consumeClientToken` of `Responder`), and some a token of a further one
// (`consumeToken` of `RouteCall`). If the bucket is empty, the request ends with 429. Probes, the console's files and
// preflights from origins that the settings allow consume no token.
//
// | bucket                | of                                  | consumes a token                              |
// |-----------------------|-------------------------------------|-----------------------------------------------|
// | `default`             | user, API keys included             | every request with a valid credential         |
// | `anonymous`           | network                             | every other request, also without a route     |
// | `created`             | user, unless staff; network         | a new object, a change or deletion; a sign-up |
// | `login-account`       | network and account                 | a sign-in                                     |
// | `login-account-total` | account                             | a sign-in from an unknown network             |
// | `login-address`       | network                             | a sign-in, a new password                     |
// | `login-code`          | known network and account; account  | a one-time code                               |
import { BoundedMap } from '../base/bounded-map.ts';
import { counted } from '../base/message-words.ts';
import type { HeaderFields } from '../base/header-fields.ts';
import { Problem } from '../problem.ts';

const bucketsMax = 100_000;

/** A bucket holds `requests` tokens, and fills in `seconds`; undefined means no limit. */
export type Rate = { readonly requests: number; readonly seconds: number } | undefined;

/** The rates of the service; `loginAccount`, for example, is set with `--rate-login-account`. */
export type Rates = Readonly<
  Record<
    'default' | 'anonymous' | 'changes' | 'loginAccount' | 'loginAccountTotal' | 'loginAddress' | 'loginCode',
    Rate
  >
>;

/** The state of a bucket after a request has consumed a token. `isExceeded`: the bucket had no token left. */
type BucketState = {
  readonly isExceeded: boolean;
  readonly rateName: string;
  readonly fields: HeaderFields;
  readonly retryAfterSeconds: number;
};

export type Limiter = {
  /** Consumes a token of the bucket with this key; returns undefined if there is no limit. */
  consumeToken(key: string, now: number): BucketState | undefined;
  /** The number of buckets. */
  readonly size: number;
};

type Bucket = { level: number; at: number };

export function createLimiter(rateName: string, rate: Rate, bucketCountMax = bucketsMax): Limiter {
  return rate === undefined ? unlimited : new TokenBuckets(rateName, rate, bucketCountMax);
}

const unlimited: Limiter = { consumeToken: () => undefined, size: 0 };

/** Beyond a bound, buckets are dropped, mostly those not used recently (`BoundedMap`). */
class TokenBuckets implements Limiter {
  readonly #rateName: string;
  readonly #policy: string;
  readonly #requests: number;
  readonly #perMillisecond: number;
  readonly #buckets: BoundedMap<string, Bucket>;

  constructor(rateName: string, { requests, seconds }: NonNullable<Rate>, bucketCountMax: number) {
    this.#rateName = rateName;
    this.#policy = `"${rateName}";q=${requests};w=${seconds}`;
    this.#requests = requests;
    this.#perMillisecond = requests / (seconds * 1000);
    this.#buckets = new BoundedMap(bucketCountMax);
  }

  consumeToken(key: string, now: number): BucketState {
    const bucket = this.#refilled(key, now);
    const isExceeded = bucket.level < 1;
    if (!isExceeded) bucket.level -= 1;
    return {
      isExceeded,
      rateName: this.#rateName,
      fields: this.#fieldsOf(bucket),
      retryAfterSeconds: isExceeded ? this.#secondsFor(1 - bucket.level) : 0,
    };
  }

  get size(): number {
    return this.#buckets.size;
  }

  #refilled(key: string, now: number): Bucket {
    const bucket = this.#buckets.get(key) ?? this.#open(key, now);
    const gained = Math.max(0, now - bucket.at) * this.#perMillisecond; // a clock may be set back
    bucket.level = Math.min(this.#requests, bucket.level + gained);
    bucket.at = now;
    return bucket;
  }

  #open(key: string, now: number): Bucket {
    const bucket = { level: this.#requests, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /**
   * The fields of draft-ietf-httpapi-ratelimit-headers: `q` requests in `w` seconds; `r` are left, and the
   * bucket is full again after `t` seconds.
   */
  #fieldsOf({ level }: Bucket): HeaderFields {
    const secondsToFull = this.#secondsFor(this.#requests - level);
    const state = `"${this.#rateName}";r=${Math.floor(level)};t=${secondsToFull}`;
    return ['RateLimit-Policy', this.#policy, 'RateLimit', state];
  }

  #secondsFor(tokens: number): number {
    return Math.ceil(tokens / this.#perMillisecond / 1000);
  }
}

export function rateExceeded({ rateName, retryAfterSeconds }: BucketState): Problem {
  const detail = `Rate limit "${rateName}" exceeded; retry in ${counted(retryAfterSeconds, 'second')}.`;
  return new Problem('quota-exceeded', detail, { retryAfterSeconds, violated: [rateName] });
}

export type Limiters = ReturnType<typeof createLimiters>;

export function createLimiters(rates: Rates) {
  return {
    default: createLimiter('default', rates.default),
    anonymous: createLimiter('anonymous', rates.anonymous),
    changes: createLimiter('created', rates.changes),
    loginAccount: createLimiter('login-account', rates.loginAccount),
    loginAccountTotal: createLimiter('login-account-total', rates.loginAccountTotal),
    loginAddress: createLimiter('login-address', rates.loginAddress),
    loginCode: createLimiter('login-code', rates.loginCode),
  };
}

export function countBuckets(limiters: Limiters): number {
  return Object.values<Limiter>(limiters).reduce((sum, { size }) => sum + size, 0);
}
