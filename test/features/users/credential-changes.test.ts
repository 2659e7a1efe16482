// Changes of passwords, e-mail addresses and roles, and what they end immediately.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { password, serviceFor, type Person } from '../../support/service.ts';
import { newKey, newOrder, rootToken } from '../../support/resource-support.ts';
import { needsClock, minute, bearerRealm, claimsOf } from '../sessions/session-support.ts';

describe('a change of one’s own password or e-mail address', () => {
  const changes = [
    ['PATCH', { password: 'another good password', currentPassword: password }],
    ['PATCH', { email: 'new@example.com' }],
    ['PUT', { name: 'Ada', email: 'newer@example.com' }],
  ] as const;

  for (const [method, body] of changes) {
    test(
      `a change of ${Object.keys(body)} by ${method} needs a sign-in within 10 minutes, which no refresh replaces`,
      needsClock,
      async (t) => {
        const service = await serviceFor(t);
        const person = await service.person();
        const path = `/api/users/${person.id}`;
        service.clock.advance(10 * minute + 1_000);
        const { accessToken } = (
          await service.post(`/api/sessions/${person.sessionId}/tokens`, {
            body: { refreshToken: person.refreshToken },
          })
        ).body;
        assert.equal(claimsOf(accessToken)['auth_time'], claimsOf(person.token)['auth_time']);
        for (const token of [person.token, accessToken]) {
          const response = await service.call(method, path, { token, body });
          assertProblem(response, 'step-up-required', 401);
          assert.equal(
            response.headers['www-authenticate'],
            `${bearerRealm}, error="insufficient_user_authentication", max_age="600"`,
          );
        }
        const { token } = await service.signIn(person.email, password); // so the password is unchanged
        assert.equal((await service.call(method, path, { token, body })).status, 200);
      },
    );
  }

  test(
    'a recent sign-in allows a change of one’s password until the tenth minute has passed',
    needsClock,
    async (t) => {
      const service = await serviceFor(t);
      const { id, token } = await service.person();
      service.clock.advance(10 * minute);
      assert.equal(
        (await service.patch(`/api/users/${id}`, { token, body: { email: 'new@example.com' } })).status,
        200,
      );
    },
  );

  test('a change of the name needs no recent sign-in', needsClock, async (t) => {
    const service = await serviceFor(t);
    const { id, token, email } = await service.person();
    service.clock.advance(14 * minute);
    const renamed = await service.patch(`/api/users/${id}`, { token, body: { name: 'Grace', email } });
    assert.equal(renamed.status, 200);
  });
});

describe('a change acts on the very next request of tokens already out:', () => {
  const running = sharedService();

  test('a new password ends the user’s other sessions with their very next request, and not this one', async () => {
    const service = running();
    const one = await service.person();
    const others = [await service.signIn(one.email, password), await service.signIn(one.email, password)];
    for (const { token } of others) assert.equal((await service.get('/orders', { token })).status, 200);
    assert.equal(
      (
        await service.patch(`/api/users/${one.id}`, {
          token: one.token,
          body: { password: 'another good password', currentPassword: password },
        })
      ).status,
      200,
    );
    for (const { token, sessionId, refreshToken } of others) {
      assertProblem(await service.get('/orders', { token }), 'invalid-token', 401);
      assertProblem(
        await service.post(`/api/sessions/${sessionId}/tokens`, { body: { refreshToken } }),
        'invalid-credentials',
        401,
      );
    }
    assert.equal((await service.get('/orders', { token: one.token })).status, 200);
    assert.equal(
      (
        await service.post(`/api/sessions/${one.sessionId}/tokens`, {
          body: { refreshToken: one.refreshToken },
        })
      ).status,
      201,
    );
  });

  test('a new password by an administrator ends all the user’s sessions with their very next request', async () => {
    const service = running();
    const [one, root] = [await service.person(), await rootToken(service)];
    assert.equal((await service.get('/orders', { token: one.token })).status, 200);
    await service.put(`/api/users/${one.id}`, {
      token: root,
      body: { name: 'Ada', email: one.email, password: 'another good password' },
    });
    assertProblem(await service.get('/orders', { token: one.token }), 'invalid-token', 401);
    assert.equal((await service.get('/orders', { token: root })).status, 200);
  });

  test('a change of the role, up or down, acts on the next request of access tokens and API keys', async () => {
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
    const person: Person = await service.person();
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
      401,
    );
    await service.signIn('moved@example.com', password);
  });
});
