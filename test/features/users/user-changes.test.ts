// Users: changing them, and the passwords that they may choose.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { newKey, newOrder, testIssues } from '../../support/resource-support.ts';
import { password, type TestResponse } from '../../support/service.ts';

describe('changing a user', () => {
  const running = sharedService();

  test('changing a user works as GET, edit, PUT, and keeps an omitted role and password', async () => {
    const { id, email, get, put } = await running().person('staff');
    const path = `/api/users/${id}`;
    const { body } = await get(path);
    const { role: _omitted, ...others } = body;
    for (const sent of [body, others])
      assert.deepEqual((await put(path, { ...sent, name: 'Ada King' })).body, { ...body, name: 'Ada King' });
    await running().signIn(email, password);
  });

  test('changing a user has a new entity tag, even for a password, but not without an effect', async () => {
    const { id, email, get, put, patch } = await running().person();
    const path = `/api/users/${id}`;
    const { body, headers } = await get(path);
    for (const sent of [{}, { name: body.name }, body]) {
      const same = await patch(path, sent);
      assert.deepEqual([same.status, same.body, same.headers.etag], [200, body, headers.etag]);
    }
    assert.equal((await put(path, { name: body.name, email })).headers.etag, headers.etag);
    const tags = [headers.etag];
    for (const sent of [
      { name: 'Grace' },
      { email: 'grace@example.com' },
      { password: 'another good password', currentPassword: password },
      { name: body.name },
    ])
      tags.push((await patch(path, sent)).headers.etag);
    assert.equal(new Set(tags).size, 5);
  });

  const patching = async (body: object): Promise<TestResponse> => {
    const { id, patch } = await running().person();
    return patch(`/api/users/${id}`, body);
  };
  const time = '2020-01-01T00:00:00.000Z';
  testIssues('changing a user by PATCH to', patching, [
    [{ name: null, email: null, role: null }, '#/name type', '#/email type', '#/role type'],
    [{ password: null, id: null, createdAt: null }, '#/password type', '#/id type', '#/createdAt type'],
    [{ id: 4711, createdAt: time }, '#/id read-only', '#/createdAt read-only'],
    [{ id: 4711, password: 'a new one for Ada' }, '#/id read-only', '#/currentPassword required'],
    [{ id: 4711, name: '', password: 'password' }, '#/name min-length', '#/password password'],
    [{ id: '7', name: '', role: 'root' }, '#/id type', '#/name min-length', '#/role enum'],
    [{ version: 1 }, '#/version unknown-member'],
    [[], '# type'],
  ]);
  const putting = async (change: object): Promise<TestResponse> => {
    const { id, email, put } = await running().person();
    return put(`/api/users/${id}`, { name: 'Ada', email, ...change });
  };
  testIssues('changing a user by PUT with', putting, [
    [{ name: undefined, email: undefined }, '#/name required', '#/email required'],
    [{ name: null, password: null, role: null }, '#/name type'],
    [{ updatedAt: time }, '#/updatedAt unknown-member'],
  ]);

  test('changing an unknown user is 403 as for another one, 404 for administrators, and creates nothing', async () => {
    const people = [await running().person(), await running().person('staff'), await running().root()];
    const [, , root] = people;
    const total = async () => (await root?.get('/api/users?total=true'))?.body.total;
    const before = await total();
    const eve = { name: 'Eve', email: 'eve@example.com' };
    for (const caller of people)
      for (const [method, body] of [['GET'], ['PUT', eve], ['PATCH', eve], ['DELETE']] as const) {
        const response = await running().call(method, '/api/users/4711', { token: caller.token, body });
        assertProblem(response, caller === root ? 'not-found' : 'forbidden');
      }
    assert.equal(await total(), before);
  });

  test('changing the role of a user needs an administrator, and acts on the next request of tokens and keys', async () => {
    const { person, root, as } = running();
    const [admin, owner, { id, email, ...ada }] = [await root(), await person(), await person()];
    const order = await newOrder(running(), owner.token);
    const byKey = as(await newKey(running(), ada.token));
    const path = `/api/users/${id}`;
    for (const [role, status] of [
      ['user', 403],
      ['staff', 200],
      ['user', 403],
      ['admin', 200],
      ['user', 403],
    ] as const) {
      assert.equal((await admin.patch(path, { role })).body.role, role);
      for (const { get } of [ada, byKey]) assert.equal((await get(`/orders/${order.id}`)).status, status);
      if (role === 'admin') continue;
      assertProblem(await ada.patch(path, { role: 'admin' }), 'forbidden');
      assertProblem(await ada.put(path, { name: 'Eve', email, role: 'admin' }), 'forbidden');
      assert.equal((await ada.patch(path, { role, name: 'Eve' })).status, 200);
    }
  });
});
