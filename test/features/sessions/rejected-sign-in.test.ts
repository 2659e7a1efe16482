// The work of a rejected sign-in is the same whether the user exists or not, so its time reveals nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswordHasher } from '../../../src/auth/password.ts';
import { deriveKey } from '../../support/cheap-hasher.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';

test(
  'a rejected sign-in costs the same for an unknown address and a wrong password',
  insideOnly,
  async (t) => {
    const derivations: object[] = [];
    const hasher = createPasswordHasher({
      cost: { ln: 4, r: 1, p: 1 },
      deriveKey(input) {
        const { password: _password, salt, ...work } = input;
        derivations.push({ ...work, saltBytes: salt.length });
        return deriveKey(input);
      },
    });
    const service = await serviceFor(t, { hasher });
    const workOf = async (email: string): Promise<object> => {
      derivations.length = 0;
      const before = service.inside?.database.stats.commits;
      const { status } = await service.post('/api/sessions', {
        body: { email, password: 'not that password' },
      });
      assert.equal(status, 401);
      assert.equal(service.inside?.database.stats.commits, before);
      return [...derivations];
    };
    const known = await workOf((await service.person()).email);
    assert.deepEqual(known, [{ ln: 4, r: 1, p: 1, keyBytes: 32, saltBytes: 16 }]);
    assert.deepEqual(await workOf('nobody@example.com'), known);
  },
);
