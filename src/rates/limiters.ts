// The rate limiters of a service, each with its buckets.
import { createLimiter, withoutLines, type Limiter, type Rates } from './limiter.ts';

export type Limiters = ReturnType<typeof createLimiters>;

export function createLimiters(rates: Rates) {
  return {
    default: createLimiter('default', rates.default),
    anonymous: createLimiter('anonymous', rates.anonymous),
    created: createLimiter('created', rates.created),
    changed: createLimiter('changed', rates.changed),
    signUps: createLimiter('sign-up', rates.signUp),
    account: createLimiter('login-account', rates.loginAccount),
    // header lines would reveal the account's known addresses, which are exempt
    accountTotal: withoutLines(createLimiter('login-account-total', rates.loginAccountTotal)),
    address: createLimiter('login-address', rates.loginAddress),
    // header lines would reveal them here as well
    code: withoutLines(createLimiter('login-code', rates.loginCode)),
  };
}

export function countBuckets(limiters: Limiters): number {
  return Object.values<Limiter>(limiters).reduce((sum, { size }) => sum + size, 0);
}
