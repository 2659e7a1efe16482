// The rate limiters of a service, each with its buckets.
import { createLimiter, withoutLines, type Limiter, type Rate, type Rates } from './limiter.ts';

export type Limiters = ReturnType<typeof createLimiters>;

export function createLimiters(rates: Rates) {
  return {
    default: createLimiter('default', rates.default),
    anonymous: createLimiter('anonymous', rates.anonymous),
    created: createLimiter('created', rates.created),
    changed: createLimiter('changed', rates.changed),
    signUp: createLimiter('sign-up', rates.signUp),
    signUpNetwork: createLimiter('sign-up-network', timesTen(rates.signUp)),
    loginAccount: createLimiter('login-account', rates.loginAccount),
    // header lines would reveal the account's known addresses, which are exempt
    loginAccountTotal: withoutLines(createLimiter('login-account-total', rates.loginAccountTotal)),
    loginAddress: createLimiter('login-address', rates.loginAddress),
    // header lines would reveal them here as well
    loginCode: withoutLines(createLimiter('login-code', rates.loginCode)),
  };
}

function timesTen(rate: Rate): Rate {
  return rate && { ...rate, requests: 10 * rate.requests };
}

export function countBuckets(limiters: Limiters): number {
  return Object.values<Limiter>(limiters).reduce((sum, { size }) => sum + size, 0);
}
