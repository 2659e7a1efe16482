// Sensitive changes: those that need a recent sign-in (RFC 9470) or the current password, and which
// credentials they end.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import {
  insideOnly,
  password,
  serviceFor,
  type TestResponse,
  type Person,
  type TestService,
} from '../../support/service.ts';
import { assertIssues, newKey } from '../../support/resource-support.ts';

const minute = 60_000;
const newPassword = 'another good password';

type Other = Person & { readonly keyId: number; readonly suspendedId: number };
type Change = (service: TestService, caller: Person, other: Other) => Promise<TestResponse>;

const sensitive: Readonly<Record<string, Change>> = {
  'one’s own e-mail address': (service, { id, token }) =>
    service.patch(`/api/users/${id}`, { token, body: { email: `new${id}@example.com` } }),
  'another user’s e-mail address': (service, { token }, other) =>
    service.patch(`/api/users/${other.id}`, { token, body: { email: `new${other.id}@example.com` } }),
  'another user’s session': (service, { token }, other) =>
    service.delete(`/api/sessions/${other.sessionId}`, { token }),
  'another user’s API key': (service, { token }, other) =>
    service.delete(`/api/keys/${other.keyId}`, { token }),
  'one’s own password': (service, { id, token }) =>
    service.patch(`/api/users/${id}`, { token, body: { password: newPassword, currentPassword: password } }),
  'another user’s password': (service, { token }, other) =>
    service.patch(`/api/users/${other.id}`, { token, body: { password: newPassword } }),
  'a role': (service, { token }, other) =>
    service.patch(`/api/users/${other.id}`, { token, body: { role: 'staff' } }),
  'a role of a new user': (service, { token, id }) =>
    service.post('/api/users', {
      token,
      body: { name: 'Eve', email: `eve${id}@example.com`, password, role: 'staff' },
    }),
  'an API key': (service, { token }) =>
    service.post('/api/keys', { token, body: { name: 'till', scopes: ['events:read'] } }),
  'another user deleted': (service, { token }, other) => service.delete(`/api/users/${other.id}`, { token }),
  'oneself deleted': (service, { id, token }) => service.delete(`/api/users/${id}`, { token }),
  'a suspension': (service, { token }, { id }) =>
    service.put(`/api/users/${id}/suspension`, { token, body: {} }),
  'the end of a suspension': (service, { token }, { suspendedId }) =>
    service.delete(`/api/users/${suspendedId}/suspension`, { token }),
  'all sessions of another user': (service, { token }, { id }) =>
    service.delete(`/api/sessions?userId=${id}`, { token }),
};

for (const [what, change] of Object.entries(sensitive)) {
  test(
    `a sign-in of more than 10 minutes ago is too old for ${what}, and no refresh replaces it`,
    insideOnly,
    async (t) => {
      const service = await serviceFor(t);
      const [caller, person] = [await service.person('admin'), await service.person()];
      const [{ id: keyId }, { id: suspendedId }] = [
        await newKey(service, person.token),
        await service.person(),
      ];
      await service.put(`/api/users/${suspendedId}/suspension`, { token: caller.token, body: {} });
      const other = { ...person, keyId, suspendedId };
      service.clock.advance(10 * minute + 1_000);
      const { accessToken } = (await service.renew(caller)).body;
      for (const token of [caller.token, accessToken]) {
        const rejected = await change(service, { ...caller, token }, other);
        assertProblem(rejected, 'step-up-required');
        assert.equal(
          rejected.headers['www-authenticate'],
          'Bearer realm="orderly", error="insufficient_user_authentication", max_age="600"',
        );
      }
      const { status, text } = await change(service, await service.signIn(caller.email, password), other);
      assert.ok(status < 300, text);
    },
  );
}

test('a sign-in of 10 minutes ago is recent, and a new name needs no recent one', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { id, token } = await service.person();
  const statusOf = async (body: object): Promise<number> =>
    (await service.patch(`/api/users/${id}`, { token, body })).status;
  service.clock.advance(10 * minute);
  assert.equal(await statusOf({ email: 'new@example.com' }), 200);
  service.clock.advance(4 * minute);
  assert.equal(await statusOf({ name: 'Grace' }), 200);
});

test('one’s own session and key end however long ago the sign-in was', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { token, sessionId } = await service.person('admin');
  const { id: keyId } = await newKey(service, token);
  service.clock.advance(10 * minute + 1_000);
  for (const path of [`/api/keys/${keyId}`, `/api/sessions/${sessionId}`])
    assert.equal((await service.delete(path, { token })).status, 204);
});

describe('a new password of one’s own', () => {
  const running = sharedService();
  const setPassword = (service: TestService, { id, token }: Person, more: object): Promise<TestResponse> =>
    service.patch(`/api/users/${id}`, { token, body: { password: newPassword, ...more } });

  test('a new password of one’s own needs the current one beside it', async () => {
    const service = running();
    const person = await service.person();
    assertIssues(await setPassword(service, person, {}), 400, ['#/currentPassword required']);
    const wrong = await setPassword(service, person, { currentPassword: 'not that password' });
    assertIssues(wrong, 400, ['#/currentPassword mismatch']);
    await service.signIn(person.email, password);
    assert.equal((await setPassword(service, person, { currentPassword: password })).status, 200);
    const old = { email: person.email, password };
    assertProblem(await service.post('/api/sessions', { body: old }), 'invalid-credentials');
    await service.signIn(person.email, newPassword);
  });

  test('a new password of one’s own is the only change that accepts currentPassword', async () => {
    const service = running();
    const [admin, person] = [await service.person('admin'), await service.person()];
    const body = { name: 'Ada', currentPassword: password };
    assertIssues(await service.patch(`/api/users/${person.id}`, { token: person.token, body }), 400, [
      '#/currentPassword unexpected',
    ]);
    const { key } = await newKey(service, person.token, { scopes: ['users:write'] });
    for (const currentPassword of [password, 'not that password'])
      assertIssues(await service.patch(`/api/users/${person.id}`, { key, body: { currentPassword } }), 400, [
        '#/currentPassword unexpected',
      ]);
    const sent = { ...person, token: admin.token };
    assertIssues(await setPassword(service, sent, { currentPassword: password }), 400, [
      '#/currentPassword unexpected',
    ]);
  });

  test('a new password of one’s own counts each current one tried as a sign-in', insideOnly, async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-login-account': '3/60' } });
    const person = await service.person(); // one sign-in
    for (const status of [400, 400, 429])
      assert.equal((await setPassword(service, person, { currentPassword: 'wrong one' })).status, status);
    assert.equal((await service.post('/api/sessions', { body: person })).status, 400); // unknown members
    const { email } = person;
    assert.equal((await service.post('/api/sessions', { body: { email, password } })).status, 429);
  });

  test('a new password of one’s own ends the user’s other sessions; this one and the keys stay', async () => {
    const service = running();
    const person = await service.person();
    const elsewhere = await service.signIn(person.email, password);
    const { key } = await newKey(service, person.token);
    for (const { token } of [person, elsewhere])
      assert.equal((await service.get('/orders', { token })).status, 200);
    await setPassword(service, person, { currentPassword: password });
    assertProblem(await service.get('/orders', { token: elsewhere.token }), 'invalid-token');
    assertProblem(await service.renew(elsewhere), 'invalid-credentials');
    for (const call of [{ token: person.token }, { key }])
      assert.equal((await service.get('/orders', call)).status, 200);
    assert.equal((await service.renew(person)).status, 201);
  });

  test('a new password that an administrator sets ends all sessions and keys of the user', async () => {
    const service = running();
    const [admin, person, bystander] = [
      await service.person('admin'),
      await service.person(),
      await service.person(),
    ];
    const { key } = await newKey(service, person.token);
    const { key: other } = await newKey(service, bystander.token);
    const sent = { ...person, token: admin.token };
    assert.equal((await setPassword(service, sent, {})).status, 200);
    for (const call of [{ token: person.token }, { key }])
      assertProblem(await service.get('/orders', call), 'invalid-token');
    for (const call of [{ token: bystander.token }, { key: other }, { token: admin.token }])
      assert.equal((await service.get('/orders', call)).status, 200);
  });
});
