// Verifies and hashes all passwords of requests, within rates and quotas.
import { isAdmin, type Caller } from '../../auth/access.ts';
import type { PasswordHasher } from '../../auth/password.ts';
import type { Place } from '../../base/slots.ts';
import { Problem } from '../../problem.ts';
import type { Limiter } from '../../rates/limiter.ts';
import { emailKey } from '../../schema/email.ts';
import type { SecurityEvent } from '../../security-event.ts';
import type { Connection } from '../../storage/connection.ts';

/** The members that are used of a request that brings a password. */
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

/** The stored members of an account that a sign-in needs. */
export type SignInAccount = {
  readonly userId: number;
  readonly hash: string;
  /** When a password that the service generated expires, in milliseconds; null for one that a user chose. */
  readonly expiresAt: number | null;
  readonly isSuspended: boolean;
  /** Whether signing in also needs a one-time code. */
  readonly needsCode: boolean;
};

type SignInLimiters = {
  /** Bounds sign-ins to all accounts from one address. */
  readonly loginAddress: Limiter;
  /** Bounds sign-ins to one account from one address. */
  readonly loginAccount: Limiter;
  /** Bounds sign-ins to one account from all unknown addresses. */
  readonly loginAccountTotal: Limiter;
  /** Bounds codes tried for one account, from each known address and from all others together. */
  readonly loginCode: Limiter;
};

/** An account, an address from which it is used, and the time in milliseconds since 1970. */
export type AddressUse = { readonly userId: number; readonly network: string; readonly now: number };

type PasswordCheckOptions = {
  readonly hasher: PasswordHasher;
  readonly limiters: SignInLimiters;
  readonly findSignInAccount: (db: Connection, email: string) => SignInAccount | undefined;
  /** Whether the account was recently used from this address. */
  readonly isKnownAddress: (db: Connection, use: AddressUse) => boolean;
};

export class PasswordChecks {
  readonly #hasher: PasswordHasher;
  readonly #limiters: SignInLimiters;
  readonly #findSignInAccount: PasswordCheckOptions['findSignInAccount'];
  readonly #isKnownAddress: PasswordCheckOptions['isKnownAddress'];

  constructor({ hasher, limiters, findSignInAccount, isKnownAddress }: PasswordCheckOptions) {
    this.#hasher = hasher;
    this.#limiters = limiters;
    this.#findSignInAccount = findSignInAccount;
    this.#isKnownAddress = isKnownAddress;
  }

  /**
   * Returns the account with that e-mail address if this is its password, otherwise undefined. Consumes
   * tokens of the buckets of sign-ins, and reports failures. All routes that ask for an existing password use
   * it, so that none allows faster guesses than sign-in. An expired password, and that of a suspended user,
   * is hashed, counted and answered like a wrong one.
   */
  async verifyAsSignIn(
    request: PasswordRequest,
    email: string,
    password: string,
  ): Promise<SignInAccount | undefined> {
    const found = this.#findSignInAccount(request.read, email);
    const userId = found?.userId ?? null;
    this.#consumeTokens(request, email, userId);
    const isRight = await this.#hasher.verify(password, found?.hash ?? null, signInPlace(request));
    if (found === undefined || !isRight) {
      request.reportSecurityEvent({ name: 'authn_login_fail', userId });
      return undefined;
    }
    const reason = rejectionReason(found, request.now);
    if (reason !== undefined) {
      request.reportSecurityEvent({ name: 'authn_login_fail', userId, reason });
      return undefined;
    }
    return found;
  }

  /**
   * Consumes a token of the bucket of codes, which is small: six digits are soon guessed by a thief of the
   * password.
   */
  consumeCodeToken(request: PasswordRequest, userId: number): void {
    const key = this.#isExempt(request, userId) ? `${userId} ${request.network}` : `${userId}`;
    try {
      request.consumeToken(this.#limiters.loginCode, key);
    } catch (error) {
      request.reportSecurityEvent({ name: 'authn_login_fail_max', userId });
      throw error;
    }
  }

  /**
   * Returns the hash of a new password. Consumes a token of the bucket of sign-ins unless an administrator
   * sets it.
   */
  hashNew(request: PasswordRequest, password: string): Promise<string> {
    const { caller, network } = request;
    if (caller === undefined || !isAdmin(caller)) request.consumeToken(this.#limiters.loginAddress, network);
    return this.#hasher.hash(password, { clients: clientsOf(request) });
  }

  /**
   * Returns a new hash of a right password if the stored hash has another cost; undefined if not, and if the
   * queue has no room.
   */
  async rehashIfOutdated(
    request: PasswordRequest,
    { hash }: SignInAccount,
    password: string,
  ): Promise<string | undefined> {
    if (!this.#hasher.needsUpgrade(hash)) return undefined;
    try {
      return await this.#hasher.hash(password, signInPlace(request));
    } catch (error) {
      if (error instanceof Problem) return undefined; // the next sign-in may find room
      throw error;
    }
  }

  /** The address's bucket is the last: one client with an old password must not lock out others beside it. */
  #consumeTokens(request: PasswordRequest, email: string, userId: number | null): void {
    const { loginAddress, loginAccount, loginAccountTotal } = this.#limiters;
    const key = emailKey(email);
    try {
      request.consumeToken(loginAccount, `${request.network} ${key}`);
      if (!this.#isExempt(request, userId)) request.consumeToken(loginAccountTotal, key);
      request.consumeToken(loginAddress, request.network);
    } catch (error) {
      request.reportSecurityEvent({ name: 'authn_login_fail_max', userId });
      throw error;
    }
  }

  /**
   * Strangers must not be able to lock a user out, least of all the administrator, so what they try doesn't
   * count for addresses that the account has used or for the machine itself.
   */
  #isExempt({ network, isFromThisMachine, read, now }: PasswordRequest, userId: number | null): boolean {
    return isFromThisMachine || (userId !== null && this.#isKnownAddress(read, { userId, network, now }));
  }
}

/** Returns the reason to reject a right password. No response discloses it. */
function rejectionReason(
  { expiresAt, isSuspended }: SignInAccount,
  now: number,
): 'suspended' | 'password-expired' | undefined {
  if (isSuspended) return 'suspended';
  return expiresAt !== null && now >= expiresAt ? 'password-expired' : undefined;
}

/** Sign-ins go before new passwords. */
function signInPlace(request: PasswordRequest): Place {
  return { clients: clientsOf(request), isUrgent: true };
}

/**
 * A job counts for the principal and the address, but not for the machine itself: all clients of a proxy
 * there that isn't trusted would share its jobs.
 */
function clientsOf({ caller, network, isFromThisMachine }: PasswordRequest): string[] {
  const clients: string[] = [];
  if (!isFromThisMachine) clients.push(network);
  if (caller !== undefined) clients.push(caller.client);
  return clients;
}
