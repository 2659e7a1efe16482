// Every password that a request brings: checked as a sign-in or hashed as a new one, within rates and quotas.
import { isAdmin, type Caller } from '../auth/access.ts';
import type { HashingQuota, HashingJob } from '../auth/hashing-jobs.ts';
import type { PasswordHasher } from '../auth/password.ts';
import { Problem } from '../problem.ts';
import { KnownAddresses } from './known-addresses.ts';
import type { Limiter } from './rate-limit.ts';
import type { Context } from './route.ts';
import { hashingJobsMax, hashingJobsPerNetworkMax } from '../limits.ts';
import { emailKey } from '../schema/email.ts';
import type { Connection } from '../storage/connection.ts';

export type PasswordChecks = ReturnType<typeof createPasswordChecks>;
/** What is used of a request's context. */
type Request = Pick<
  Context<object, object, unknown, Caller | undefined>,
  'address' | 'isLoopback' | 'caller' | 'db' | 'now' | 'spend' | 'report'
>;

/** Of the account with an e-mail address. */
export type Credentials = {
  readonly id: number;
  readonly passwordHash: string;
  /** In milliseconds, of a password that the service generated; null for one that a user chose. */
  readonly passwordExpiresAt: number | null;
};

export type SignInLimiters = {
  /** All accounts, from one address. */
  readonly address: Limiter;
  /** One account, from one address. */
  readonly account: Limiter;
  /** One account, from all addresses. */
  readonly accountTotal: Limiter;
};

export function createPasswordChecks({
  hasher,
  limiters,
  findCredentials,
}: {
  readonly hasher: PasswordHasher;
  readonly limiters: SignInLimiters;
  readonly findCredentials: (db: Connection, email: string) => Credentials | undefined;
}) {
  const known = new KnownAddresses();

  /**
   * Whether this is the password of the account with that e-mail address: its credentials, or undefined.
   * Draws on the buckets of sign-ins, and reports what fails. For everything that asks for a password that
   * exists, so that no route lets anyone guess faster than sign-in does. A password that has expired is
   * hashed, counted and answered like a wrong one.
   */
  async function verifyAsSignIn(
    request: Request,
    email: string,
    password: string,
  ): Promise<Credentials | undefined> {
    const found = findCredentials(request.db.read, email);
    const userId = found?.id ?? null;
    const putBack = spend(request, email, userId);
    const isRight = await hasher.verify(password, found?.passwordHash ?? null, jobOf(request, 'sign-in'));
    const isExpired = isRight && hasExpired(found, request.now);
    if (found !== undefined && isRight && !isExpired) {
      putBack();
      return found;
    }
    if (isExpired) request.report({ name: 'authn_login_fail', userId, reason: 'password-expired' });
    else request.report({ name: 'authn_login_fail', userId });
    return undefined;
  }

  /** The function returned takes it from the account's total again: that counts what failed. */
  function spend(request: Request, email: string, userId: number | null): () => void {
    const account = emailKey(email);
    request.spend(limiters.address, request.address);
    try {
      request.spend(limiters.account, `${request.address} ${account}`);
      if (isKnown(request, userId)) return () => {};
      return request.spend(limiters.accountTotal, account);
    } catch (error) {
      request.report({ name: 'authn_login_fail_max', userId });
      throw error;
    }
  }

  /**
   * Strangers must not be able to lock anyone out, least of all the administrator: what they fail at counts
   * neither for an address that the account has used nor on the machine itself.
   */
  function isKnown({ address, isLoopback }: Request, userId: number | null): boolean {
    return isLoopback || (userId !== null && known.has(userId, address));
  }

  /** The account was used from here, by whoever has its password or its refresh token. */
  function addKnownAddress({ address }: Pick<Request, 'address'>, userId: number): void {
    known.add(userId, address);
  }

  /** The hash of a new password. Only an administrator's don't draw on the address's bucket of sign-ins. */
  function hashNew(request: Request, password: string): Promise<string> {
    const { caller, address } = request;
    if (caller === undefined || !isAdmin(caller)) request.spend(limiters.address, address);
    return hasher.hash(password, jobOf(request, 'new-password'));
  }

  /** Another hash of a right password where the stored one is of another cost; not while others wait. */
  async function upgrade(
    request: Request,
    { passwordHash }: Credentials,
    password: string,
  ): Promise<string | undefined> {
    if (!hasher.needsUpgrade(passwordHash)) return undefined;
    try {
      return await hasher.hash(password, jobOf(request, 'sign-in'));
    } catch (error) {
      if (error instanceof Problem) return undefined; // the next sign-in may find room
      throw error;
    }
  }

  return { verifyAsSignIn, hashNew, upgrade, remember: addKnownAddress };
}

function hasExpired(credentials: Credentials | undefined, now: number): boolean {
  const expiresAt = credentials?.passwordExpiresAt ?? null;
  return expiresAt !== null && now >= expiresAt;
}

/**
 * A job counts for the principal, the address and, with IPv6, for the /48 that one customer may have. Not
 * for the machine itself: a proxy on it that isn't trusted would share two among all.
 */
function jobOf({ caller, address, isLoopback }: Request, queue: HashingJob['queue']): HashingJob {
  const quotas: HashingQuota[] = [];
  if (!isLoopback) quotas.push({ key: address, jobsMax: hashingJobsMax });
  if (caller !== undefined) quotas.push({ key: `user:${caller.userId}`, jobsMax: hashingJobsMax });
  if (address.endsWith('::/64')) {
    const network = `${address.split(':', 3).join(':')}::/48`;
    quotas.push({ key: network, jobsMax: hashingJobsPerNetworkMax });
  }
  return { queue, quotas };
}
