// Verifies and hashes all passwords of requests, within rates and bounds.
import { isAdmin, type Caller } from '../../auth/access.ts';
import type { PasswordHasher } from '../../auth/password.ts';
import { Problem } from '../../problem.ts';
import type { Limiter } from '../../rates/limiter.ts';
import { emailKey } from '../../schema/email.ts';
import type { SecurityEvent } from '../../security-event.ts';
import type { Connection } from '../../storage/connection.ts';
import { isKnownNetwork } from './known-network-store.ts';
import { findSignInAccount, type SignInAccount } from './user-store.ts';

/** What a password check needs from a request. */
type PasswordRequest = {
  /** A result of `networkOf`. */
  readonly network: string;
  readonly isFromThisMachine: boolean;
  readonly caller: Caller | undefined;
  readonly read: Connection;
  readonly now: number;
  readonly consumeToken: (this: object, limiter: Limiter, key: string) => void;
  readonly reportSecurityEvent: (event: SecurityEvent) => void;
};

type SignInLimiters = {
  /** Bounds sign-ins to all accounts from one network. */
  readonly loginAddress: Limiter;
  /** Bounds sign-ins to one account from one network. */
  readonly loginAccount: Limiter;
  /** Bounds sign-ins to one account from all unknown networks. */
  readonly loginAccountTotal: Limiter;
  /** Bounds codes tried for one account: from each known network, and from all others together. */
  readonly loginCode: Limiter;
};

export type PasswordChecks = ReturnType<typeof createPasswordChecks>;

export function createPasswordChecks(hasher: PasswordHasher, limiters: SignInLimiters) {
  /**
   * Returns the account with this e-mail address if the password is right, otherwise undefined. Consumes
   * tokens of the sign-in rates, and reports failures. All routes that ask for an existing password use this
   * function, so that none allows faster guesses than sign-in. An expired password, or a suspended user's, is
   * hashed, counted and answered like a wrong password.
   */
  async function verifyAsSignIn(
    request: PasswordRequest,
    email: string,
    password: string,
  ): Promise<SignInAccount | undefined> {
    const { network, read, now } = request;
    const found = findSignInAccount(read, email);
    const userId = found?.userId ?? null;
    const isExempt = isExemptFrom(request, userId);
    reportIfExceeded(request, userId, () => {
      const key = emailKey(email);
      request.consumeToken(limiters.loginAccount, `${network} ${key}`);
      if (!isExempt) request.consumeToken(limiters.loginAccountTotal, key);
      // last, so that a client with an old password doesn't lock out others of its network
      request.consumeToken(limiters.loginAddress, network);
    });
    const claim = { clients: clientsOf(request), isUrgent: isExempt };
    const isRight = await hasher.verify(password, found?.hash ?? null, claim);
    const reason = isRight && found !== undefined ? rejectionReason(found, now) : undefined;
    if (isRight && reason === undefined) return found;
    const event = { name: 'authn_login_fail', userId } as const;
    request.reportSecurityEvent(reason === undefined ? event : { ...event, reason });
    return undefined;
  }

  /**
   * Consumes a token of the rate of codes. The rate is low, since a thief of the password could soon guess
   * six digits.
   */
  function consumeCodeToken(request: PasswordRequest, userId: number): void {
    const key = isExemptFrom(request, userId) ? `${userId} ${request.network}` : `${userId}`;
    reportIfExceeded(request, userId, () => request.consumeToken(limiters.loginCode, key));
  }

  /**
   * Returns the hash of a new password. Consumes a token of the sign-in rate, unless an administrator sets
   * the password.
   */
  function hashNew(request: PasswordRequest, password: string): Promise<string> {
    const { caller, network } = request;
    if (caller === undefined || !isAdmin(caller)) request.consumeToken(limiters.loginAddress, network);
    return hasher.hash(password, { clients: clientsOf(request) });
  }

  /**
   * Returns a new hash of a right password if the stored hash has another cost. Otherwise, or if the queue
   * has no room, returns undefined.
   */
  async function rehashIfOutdated(
    request: PasswordRequest,
    { userId, hash }: SignInAccount,
    password: string,
  ): Promise<string | undefined> {
    if (!hasher.needsUpgrade(hash)) return undefined;
    const claim = { clients: clientsOf(request), isUrgent: isExemptFrom(request, userId) };
    try {
      return await hasher.hash(password, claim);
    } catch (error) {
      if (error instanceof Problem) return undefined; // the next sign-in may find room
      throw error;
    }
  }

  return { verifyAsSignIn, consumeCodeToken, hashNew, rehashIfOutdated };
}

/** Reports a security event if there is no token left in one of the buckets. */
function reportIfExceeded(request: PasswordRequest, userId: number | null, consume: () => void): void {
  try {
    consume();
  } catch (error) {
    request.reportSecurityEvent({ name: 'authn_login_fail_max', userId });
    throw error;
  }
}

/**
 * Whether the request comes from a network that the account has used, or from this machine. Then guesses from other
 * networks don't count against it, and its job is urgent: strangers can lock out neither a user nor an administrator.
 */
function isExemptFrom(
  { network, isFromThisMachine, read, now }: PasswordRequest,
  userId: number | null,
): boolean {
  return isFromThisMachine || (userId !== null && isKnownNetwork(read, { userId, network, now }));
}

/** Returns the reason to reject a right password. No response discloses the reason. */
function rejectionReason(
  { expiresAt, isSuspended }: SignInAccount,
  now: number,
): 'suspended' | 'password-expired' | undefined {
  if (isSuspended) return 'suspended';
  return expiresAt !== null && now >= expiresAt ? 'password-expired' : undefined;
}

/**
 * Returns the clients that a job counts for: the caller and the network. This machine isn't counted, since
 * all clients of an untrusted proxy on it would share its jobs.
 */
function clientsOf({ caller, network, isFromThisMachine }: PasswordRequest): string[] {
  const clients: string[] = [];
  if (!isFromThisMachine) clients.push(network);
  if (caller !== undefined) clients.push(caller.client);
  return clients;
}
