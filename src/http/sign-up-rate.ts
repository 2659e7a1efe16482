// How many accounts one address may make: over a long span, since each has a quota of objects of its own.
import { isAdmin, type Caller } from '../auth/access.ts';
import type { Limiter } from './rate-limit.ts';
import type { Context } from './route.ts';

type SignUpContext = Pick<
  Context<object, object, unknown, Caller | undefined>,
  'addressBucket' | 'isFromThisMachine' | 'caller' | 'drawOnRate'
>;

/**
 * A sign-up that fails doesn't count, and neither do users made by an administrator or on the machine itself.
 */
export async function withinSignUpRate<Made>(
  context: SignUpContext,
  limiter: Limiter,
  signUp: () => Promise<Made>,
): Promise<Made> {
  const { addressBucket, isFromThisMachine, caller } = context;
  if (isFromThisMachine || (caller !== undefined && isAdmin(caller))) return signUp();
  const refund = context.drawOnRate(limiter, addressBucket);
  try {
    return await signUp();
  } catch (error) {
    refund();
    throw error;
  }
}
