// The last administrator can be neither deleted nor given another role.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { idsIn } from '../../support/resource-support.ts';
import { serviceFor } from '../../support/service.ts';

describe('the last administrator', () => {
  const running = sharedService();

  test('the last administrator can be neither deleted nor given another role, by PATCH or by PUT', async () => {
    const service = running();
    const { id, token, email } = await service.signIn(service.admin.email, service.admin.password);
    const path = `/api/users/${id}`;
    assertProblem(await service.delete(path, { token }), 'last-admin');
    for (const role of ['user', 'staff']) {
      assertProblem(await service.patch(path, { token, body: { role } }), 'last-admin');
      assertProblem(
        await service.put(path, { token, body: { name: 'Administrator', email, role } }),
        'last-admin',
      );
    }
    assert.equal((await service.patch(path, { token, body: { name: 'Root', role: 'admin' } })).status, 200);
  });

  for (const [what, method, body] of [
    ['demote', 'PATCH', { role: 'user' }],
    ['delete', 'DELETE', undefined],
  ] as const) {
    test(`the last administrator remains if two administrators ${what} each other at the same time`, async (t) => {
      const service = await serviceFor(t);
      const one = await service.signIn(service.admin.email, service.admin.password);
      const two = await service.person('admin');
      const responses = await Promise.all([
        service.call(method, `/api/users/${one.id}`, { token: two.token, body }),
        service.call(method, `/api/users/${two.id}`, { token: one.token, body }),
      ]);
      assert.equal(responses.filter(({ status }) => status < 300).length, 1);
      const left = responses[0]?.status === 409 ? one : two;
      assert.deepEqual(idsIn(await service.get('/api/users?role=admin', { token: left.token })), [left.id]);
    });
  }
});
