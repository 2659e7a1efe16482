// The rate limiters of a service, each with its buckets.
import { createLimiter, type Limiter, type Rates } from './limiter.ts';

export type Limiters = ReturnType<typeof createLimiters>;

export function createLimiters(rates: Rates) {
  return {
    default: createLimiter('default', rates.default),
    anonymous: createLimiter('anonymous', rates.anonymous),
    created: createLimiter('created', rates.created),
    loginAccount: createLimiter('login-account', rates.loginAccount),
    loginAccountTotal: createLimiter('login-account-total', rates.loginAccountTotal),
    loginAddress: createLimiter('login-address', rates.loginAddress),
    loginCode: createLimiter('login-code', rates.loginCode),
  };
}

export function countBuckets(limiters: Limiters): number {
  return Object.values<Limiter>(limiters).reduce((sum, { size }) => sum + size, 0);
}
