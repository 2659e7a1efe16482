// Limits the accounts that one address may create, since each account has its own daily quotas.
import { isAdmin, type Caller } from '../auth/access.ts';
import { refundIfFailed, type ConsumeToken, type Limiter } from './limiter.ts';

type SignUpRequest = {
  readonly addressBucket: string;
  readonly isFromThisMachine: boolean;
  readonly caller: Caller | undefined;
  readonly consumeToken: ConsumeToken;
};

/**
 * A sign-up that fails doesn't count, and neither do users created by an administrator or on the machine
 * itself.
 */
export async function withinSignUpRate<Result>(
  request: SignUpRequest,
  limiter: Limiter,
  signUp: () => Promise<Result>,
): Promise<Result> {
  const { addressBucket, isFromThisMachine, caller } = request;
  if (isFromThisMachine || (caller !== undefined && isAdmin(caller))) return signUp();
  return refundIfFailed(request.consumeToken(limiter, addressBucket), signUp);
}
