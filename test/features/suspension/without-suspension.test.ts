// A service without the routes that suspend users.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executable, serviceFor } from '../../support/service.ts';

test(
  'a user stays suspended without the routes that suspend users',
  { skip: executable !== undefined },
  async (t) => {
    const first = await serviceFor(t);
    const root = await first.signIn(first.admin.email, first.admin.password);
    const person = await first.person();
    const suspended = `/api/users/${person.id}/suspension`;
    const { status } = await first.put(suspended, { token: root.token, body: { reason: 'left' } });
    assert.equal(status, 201);
    await first.stop();

    const settings = { without: 'suspension,console' };
    const next = await serviceFor(t, { folder: first.folder, settings });
    const credentials = { email: person.email, password: person.password };
    assert.equal((await next.post('/api/sessions', { body: credentials })).status, 401);
  },
);
