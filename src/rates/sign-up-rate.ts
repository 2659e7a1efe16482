// Limits the accounts that one address may create, since each account has its own daily quotas.
import { isAdmin, type Caller } from '../auth/access.ts';
import { isIpv6Bucket, networkOf } from '../network/address-buckets.ts';
import { refundIfFailed, type ConsumeToken, type Limiter } from './limiter.ts';

type SignUpRequest = {
  readonly addressBucket: string;
  readonly isFromThisMachine: boolean;
  readonly caller: Caller | undefined;
  readonly consumeToken: ConsumeToken;
};

/** `network` bounds the sign-ups from a /48 of IPv6, which has 65,536 addresses for `address`. */
export type SignUpLimiters = { readonly address: Limiter; readonly network: Limiter };

/**
 * A sign-up that fails doesn't count, and neither do users created by an administrator or on the machine
 * itself.
 */
export async function withinSignUpRate<Result>(
  request: SignUpRequest,
  limiters: SignUpLimiters,
  signUp: () => Promise<Result>,
): Promise<Result> {
  const { addressBucket, isFromThisMachine, caller } = request;
  if (isFromThisMachine || (caller !== undefined && isAdmin(caller))) return signUp();
  return refundIfFailed(request.consumeToken(limiters.address, addressBucket), async () => {
    if (!isIpv6Bucket(addressBucket)) return signUp();
    return refundIfFailed(request.consumeToken(limiters.network, networkOf(addressBucket)), signUp);
  });
}
