// The work of a rejected sign-in is the same whether the user exists or not, so its time reveals nothing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPasswordHasher, type PasswordHasher } from '../../../src/auth/password.ts';
import { deriveKey } from '../../support/cheap-hasher.ts';
import { executable, serviceFor, type TestService } from '../../support/service.ts';

type Work = { readonly derivations: readonly string[]; readonly commits: number };

describe('a rejected sign-in', { skip: executable === undefined ? false : 'needs the inside' }, () => {
  test('a rejected sign-in costs the same for an unknown address and a wrong password', async (t) => {
    const { hasher, derivations } = watchedHasher();
    const service = await serviceFor(t, { hasher });
    const { email } = await service.person();
    const known = await workOf(service, { email, derivations });
    const unknown = await workOf(service, { email: 'nobody@example.com', derivations });
    assert.deepEqual(unknown, known);
    assert.equal(known.derivations.length, 1);
  });

  test('the cost of a rejected sign-in would differ if nothing were hashed for an unknown address', async (t) => {
    const { hasher, derivations } = watchedHasher();
    const leaky: PasswordHasher = {
      ...hasher,
      waiting: 0,
      verify: async (text, phc, job) => phc !== null && hasher.verify(text, phc, job),
    };
    const service = await serviceFor(t, { hasher: leaky });
    const { derivations: found } = await workOf(service, { email: 'nobody@example.com', derivations });
    assert.deepEqual(found, []);
  });
});

/** Returns a hasher that records the parameters of each key that it derives. */
function watchedHasher(): { hasher: PasswordHasher; derivations: string[] } {
  const derivations: string[] = [];
  const hasher = createPasswordHasher({
    cost: { ln: 4, r: 1, p: 1 },
    deriveKey(input) {
      const { ln, r, p, salt, keyBytes } = input;
      derivations.push(JSON.stringify({ ln, r, p, saltBytes: salt.length, keyBytes }));
      return deriveKey(input);
    },
  });
  return { hasher, derivations };
}

/** Signs in with a wrong password, and returns the keys that were derived and the commits that were made. */
async function workOf(
  service: TestService,
  { email, derivations }: { readonly email: string; readonly derivations: string[] },
): Promise<Work> {
  derivations.length = 0;
  const before = await commitsOf(service);
  const { status } = await service.post('/api/sessions', { body: { email, password: 'not that password' } });
  assert.equal(status, 401);
  return { derivations: [...derivations], commits: (await commitsOf(service)) - before };
}

async function commitsOf(service: TestService): Promise<number> {
  const { text } = await service.get('/metrics');
  const [, commits] = /^orderly_storage_commits_total (\d+)$/m.exec(text) ?? [];
  assert.ok(commits !== undefined, text);
  return Number(commits);
}
