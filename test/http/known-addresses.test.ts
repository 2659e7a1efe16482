// The addresses from which an account was used: how many are known, and who displaces them.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createPasswordChecks } from '../../src/http/password-checks.ts';
import { createLimiter, quotaExceeded, type Limiter } from '../../src/http/rate-limit.ts';
import { cheapHasher } from '../cheap-hasher.ts';
import { executable, serviceFor } from '../service.ts';

const needsInside = executable === undefined ? {} : { skip: 'needs the inside' };
const emails = ['first@example.com', 'second@example.com'] as const;
const [first, second] = [1, 2];
const home = '192.0.2.1';

test('one user’s new addresses, however many, displace none of another user', needsInside, async (t) => {
  const { remember, isLockedOut } = await checksFor(t);
  remember({ address: home }, first);
  for (let index = 0; index < 40_000; index += 1) remember({ address: `2001:db8:0:${index}::/64` }, second);
  assert.equal(await isLockedOut(emails[0], home), false);
});

test('a user’s eight last used addresses are known, and no more', needsInside, async (t) => {
  const { remember, isLockedOut } = await checksFor(t);
  for (let host = 1; host <= 8; host += 1) remember({ address: `192.0.2.${host}` }, first);
  remember({ address: home }, first); // used again
  remember({ address: '192.0.2.9' }, first);
  const lockedOut: boolean[] = [];
  for (let host = 1; host <= 9; host += 1) lockedOut.push(await isLockedOut(emails[0], `192.0.2.${host}`));
  assert.deepEqual(lockedOut, [false, true, false, false, false, false, false, false, false]);
});

/** Of two accounts, each of which strangers have failed to sign in to as often as they may. */
async function checksFor(t: TestContext) {
  const service = await serviceFor(t);
  const { inside } = service;
  assert(inside !== undefined, 'it is skipped otherwise');
  const accountTotal = createLimiter('login-account-total', { requests: 1, seconds: 3600 });
  const [address, account] = [createLimiter('address', undefined), createLimiter('account', undefined)];
  for (const email of emails) accountTotal.spend(email, 0);
  const passwordHash = await cheapHasher().hash('a right password');
  const { verifyAsSignIn, remember } = createPasswordChecks({
    hasher: cheapHasher(),
    limiters: { address, account, accountTotal },
    findCredentials: (_db, email) => ({
      id: email === emails[0] ? first : second,
      passwordHash,
      passwordExpiresAt: null,
    }),
  });
  const spend = (limiter: Limiter, key: string): (() => void) => {
    const allowance = limiter.spend(key, 0);
    if (allowance?.isSpent === true) throw quotaExceeded(allowance);
    return () => {};
  };
  const isLockedOut = async (email: string, from: string): Promise<boolean> => {
    const context = { isLoopback: false, caller: undefined, db: inside.db, now: 0, spend, report: () => {} };
    const found = verifyAsSignIn({ ...context, address: from }, email, 'a wrong password');
    return found.then(
      () => false,
      () => true,
    );
  };
  return { remember, isLockedOut };
}
