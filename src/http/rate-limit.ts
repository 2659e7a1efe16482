// Token buckets in memory: how many requests somebody may make in a span of time.
import { BoundedMap } from '../bounded-map.ts';
import { Problem } from '../errors.ts';
import { memoizeLast } from '../memoize-last.ts';
import { bucketsMax } from '../limits.ts';

/** `requests` in `seconds`; undefined is no limit. */
export type Rate = { readonly requests: number; readonly seconds: number } | undefined;

/** What a request is told of its bucket. */
export type Allowance = {
  readonly isSpent: boolean;
  readonly policyName: string;
  /** Of the head of the answer. */
  readonly lines: string;
  readonly retryAfterSeconds: number;
};

export type Limiter = {
  spend(key: string, now: number): Allowance | undefined;
  /** What was taken isn't counted after all. */
  putBack(key: string): void;
  readonly size: number;
};

type Bucket = { level: number; at: number };

/**
 * Past `sizeMax` the buckets used longest ago go first, so a flood of new names pushes out the idle, not the
 * busy. Header fields as in draft-ietf-httpapi-ratelimit-headers: `q` requests in `w` seconds; `r` are left,
 * and after `t` seconds the bucket is full again.
 */
export function createLimiter(policyName: string, rate: Rate, sizeMax = bucketsMax): Limiter {
  if (rate === undefined) return { spend: () => undefined, putBack: () => {}, size: 0 };
  const { requests, seconds } = rate;
  const perMillisecond = requests / (seconds * 1000);
  const begin = `RateLimit-Policy: "${policyName}";q=${requests};w=${seconds}\r\nRateLimit: "${policyName}";r=`;
  const end = memoizeLast((secondsToFull: number) => `;t=${secondsToFull}\r\n`);
  const buckets = new BoundedMap<string, Bucket>(sizeMax);

  function spend(key: string, now: number): Allowance {
    const bucket = buckets.get(key) ?? opened(key, now);
    bucket.level = Math.min(requests, bucket.level + Math.max(0, now - bucket.at) * perMillisecond);
    bucket.at = now;
    const isSpent = bucket.level < 1;
    if (!isSpent) bucket.level -= 1;
    const lines = begin + Math.floor(bucket.level) + end(secondsFor(requests - bucket.level));
    return { isSpent, policyName, lines, retryAfterSeconds: isSpent ? secondsFor(1 - bucket.level) : 0 };
  }

  function putBack(key: string): void {
    const bucket = buckets.get(key);
    if (bucket !== undefined) bucket.level = Math.min(requests, bucket.level + 1);
  }

  function secondsFor(tokens: number): number {
    return Math.ceil(tokens / perMillisecond / 1000);
  }

  function opened(key: string, now: number): Bucket {
    const bucket = { level: requests, at: now };
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    spend,
    putBack,
    get size() {
      return buckets.size;
    },
  };
}

export function quotaExceeded({ policyName, retryAfterSeconds }: Allowance): Problem {
  const unit = retryAfterSeconds === 1 ? 'second' : 'seconds';
  const detail = `Rate limit "${policyName}" exceeded; retry in ${retryAfterSeconds} ${unit}.`;
  return new Problem('quota-exceeded', detail, { retryAfterSeconds, violated: [policyName] });
}
