// Users: changing them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { password } from '../../support/service.ts';
import { assertIssues, newKey, newOrder, rootToken, shown } from '../../support/resource-support.ts';

describe('changing a user', () => {
  const running = sharedService();

  test('changing a user works as GET, edit, PUT, and keeps an omitted role and password', async () => {
    const service = running();
    const { id, token, email } = await service.person('staff');
    const path = `/api/users/${id}`;
    const { body } = await service.get(path, { token });
    const { role: _omitted, ...others } = body;
    for (const sent of [body, others]) {
      const put = await service.put(path, { token, body: { ...sent, name: 'Ada King' } });
      assert.deepEqual(put.body, { ...body, name: 'Ada King' });
    }
    await service.signIn(email, password);
  });

  test('changing a user without an effect is 200 with the same entity tag', async () => {
    const service = running();
    const { id, token, email } = await service.person();
    const path = `/api/users/${id}`;
    const { body, headers } = await service.get(path, { token });
    for (const patch of [{}, { name: body.name }, body]) {
      const response = await service.patch(path, { token, body: patch });
      assert.equal(response.status, 200);
      assert.deepEqual(response.body, body);
      assert.equal(response.headers.etag, headers.etag);
    }
    assert.equal(
      (await service.put(path, { token, body: { name: body.name, email } })).headers.etag,
      headers.etag,
    );
  });

  test('changing any member of a user, even the password, changes the entity tag', async () => {
    const service = running();
    const { id, token } = await service.person();
    const path = `/api/users/${id}`;
    const tags = [(await service.get(path, { token })).headers.etag];
    for (const patch of [
      { name: 'Grace' },
      { email: 'grace@example.com' },
      { password: 'another good password', currentPassword: password },
      { name: 'Ada Lovelace' },
    ]) {
      tags.push((await service.patch(path, { token, body: patch })).headers.etag);
    }
    assert.equal(new Set(tags).size, tags.length);
  });

  const wrongPatches: readonly (readonly [body: object, ...issues: string[]])[] = [
    [
      { name: null, email: null, password: null, role: null, id: null, createdAt: null },
      ...['name', 'email', 'password', 'role', 'id', 'createdAt'].map((name) => `#/${name} type`),
    ],
    [
      { id: 4711, createdAt: '2020-01-01T00:00:00.000Z', password: 'a new one for Ada' },
      '#/id read-only',
      '#/createdAt read-only',
      '#/currentPassword required',
    ],
    [{ id: 4711, name: '', password: 'password' }, '#/name min-length', '#/password password'],
    [{ id: '7', name: '', role: 'root' }, '#/id type', '#/name min-length', '#/role enum'],
    [{ version: 1 }, '#/version unknown-member'],
    [[], '# type'],
  ];
  for (const [body, ...issues] of wrongPatches) {
    test(`changing a user by PATCH to ${JSON.stringify(body)} is rejected, and every issue is named`, async () => {
      const service = running();
      const { id, token } = await service.person();
      assertIssues(await service.patch(`/api/users/${id}`, { token, body }), 400, issues);
    });
  }

  const wrongPuts: readonly (readonly [change: object, ...issues: string[]])[] = [
    [{ name: undefined, email: undefined }, '#/name required', '#/email required'],
    [{ name: null, password: null, role: null }, '#/name type'],
    [{ updatedAt: '2020-01-01T00:00:00.000Z' }, '#/updatedAt unknown-member'],
  ];
  for (const [change, ...issues] of wrongPuts) {
    test(`changing a user by PUT with ${shown(change)} is rejected, and every issue is named`, async () => {
      const service = running();
      const { id, token, email } = await service.person();
      assertIssues(
        await service.put(`/api/users/${id}`, { token, body: { name: 'Ada', email, ...change } }),
        400,
        issues,
      );
    });
  }

  test('changing an unknown user is 403 as for another one, 404 for administrators, and creates nothing', async () => {
    const service = running();
    const unknown: readonly (readonly [method: string, body?: object])[] = [
      ['GET'],
      ['PUT', { name: 'Eve', email: 'eve@example.com' }],
      ['PATCH', { name: 'Eve' }],
      ['DELETE'],
    ];
    const root = await rootToken(service);
    const total = async () => (await service.get('/api/users?total=true', { token: root })).body.total;
    for (const role of ['user', 'staff', 'admin'] as const) {
      const { token } = await service.person(role);
      const before = await total();
      for (const [method, body] of unknown) {
        const response = await service.call(method, '/api/users/4711', { token, body });
        assertProblem(response, role === 'admin' ? 'not-found' : 'forbidden');
      }
      assert.equal(await total(), before);
    }
  });

  test('changing the role of a user needs an administrator', async () => {
    const service = running();
    for (const role of ['user', 'staff'] as const) {
      const { id, token, email } = await service.person(role);
      assertProblem(await service.patch(`/api/users/${id}`, { token, body: { role: 'admin' } }), 'forbidden');
      assertProblem(
        await service.put(`/api/users/${id}`, { token, body: { name: 'Eve', email, role: 'admin' } }),
        'forbidden',
      );
      assert.equal(
        (await service.patch(`/api/users/${id}`, { token, body: { role, name: 'Eve' } })).status,
        200,
      );
      const promoted = await service.patch(`/api/users/${id}`, {
        token: await rootToken(service),
        body: { role: 'admin' },
      });
      assert.equal(promoted.body.role, 'admin');
    }
  });

  test('changing the role of a user, up or down, acts on the next request of access tokens and API keys', async () => {
    const service = running();
    const [root, owner, person] = [await rootToken(service), await service.person(), await service.person()];
    const order = await newOrder(service, owner.token);
    const { key } = await newKey(service, person.token);
    const seen = async (): Promise<number[]> => [
      (await service.get(`/orders/${order.id}`, { token: person.token })).status,
      (await service.get(`/orders/${order.id}`, { key })).status,
    ];
    assert.deepEqual(await seen(), [403, 403]);
    for (const [role, status] of [
      ['staff', 200],
      ['user', 403],
      ['admin', 200],
      ['user', 403],
    ] as const) {
      assert.equal(
        (await service.patch(`/api/users/${person.id}`, { token: root, body: { role } })).status,
        200,
      );
      assert.deepEqual(await seen(), [status, status]);
    }
  });

  test('a new e-mail address signs in at once, while the old one doesn’t', async () => {
    const service = running();
    const person = await service.person();
    await service.patch(`/api/users/${person.id}`, {
      token: person.token,
      body: { email: 'moved@example.com' },
    });
    assert.equal(
      (await service.get(`/api/users/${person.id}`, { token: person.token })).body.email,
      'moved@example.com',
    );
    assertProblem(
      await service.post('/api/sessions', { body: { email: person.email, password } }),
      'invalid-credentials',
    );
    await service.signIn('moved@example.com', password);
  });
});
