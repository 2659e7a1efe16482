// Sensitive changes: those that need a recent sign-in (RFC 9470) or the current password, and which
// credentials they end.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scopes } from '../../../src/auth/access.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import {
  executable,
  password,
  serviceFor,
  type TestResponse,
  type Person,
  type TestService,
} from '../../support/service.ts';
import { assertIssues, newKey } from '../../support/resource-support.ts';

const minute = 60_000;
const needsClock = executable === undefined ? {} : { skip: 'needs the clock' };
const newPassword = 'another good password';

type Other = Person & { readonly keyId: number };
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
};

describe('a sign-in of more than 10 minutes ago is too old for', () => {
  for (const [what, change] of Object.entries(sensitive)) {
    test(`a sign-in of more than 10 minutes ago is too old for ${what}`, needsClock, async (t) => {
      const service = await serviceFor(t);
      const [caller, person] = [await service.person('admin'), await service.person()];
      const { id: keyId } = await newKey(service, person.token);
      const other = { ...person, keyId };
      service.clock.advance(10 * minute + 1_000);
      const rejected = await change(service, caller, other);
      assertProblem(rejected, 'step-up-required', 401);
      assert.match(rejected.headers['www-authenticate'] ?? '', /error="insufficient_user_authentication"/);
      const { status, text } = await change(service, await service.signIn(caller.email, password), other);
      assert.ok(status < 300, text);
    });
  }
});

test('one’s own session and key end however long ago the sign-in was', needsClock, async (t) => {
  const service = await serviceFor(t);
  const { token, sessionId } = await service.person('admin');
  const { id: keyId } = await newKey(service, token);
  service.clock.advance(10 * minute + 1_000);
  for (const path of [`/api/keys/${keyId}`, `/api/sessions/${sessionId}`])
    assert.equal((await service.delete(path, { token })).status, 204);
});

describe('an API key, were it an administrator’s with all scopes,', () => {
  const running = sharedService();

  test('an administrator’s API key with all scopes creates only users with the role user', async () => {
    const service = running();
    const { key } = await newKey(service, (await service.person('admin')).token, { scopes });
    const body = { name: 'Eve', email: 'eve@example.com', password };
    for (const role of ['staff', 'admin'])
      assertProblem(
        await service.post('/api/users', { key, body: { ...body, role } }),
        'insufficient-scope',
        403,
      );
    assert.equal((await service.post('/api/users', { key, body: { ...body, role: 'user' } })).status, 201);
  });

  test('an administrator’s API key with all scopes changes no role and deletes nobody', async () => {
    const service = running();
    const [admin, other] = [await service.person('admin'), await service.person()];
    const { key } = await newKey(service, admin.token, { scopes });
    const path = `/api/users/${other.id}`;
    const { name, email } = (await service.get(path, { key })).body;
    const rejected = [
      await service.patch(path, { key, body: { role: 'staff' } }),
      await service.put(path, { key, body: { name, email, role: 'admin' } }),
      await service.patch(path, { key, body: { password: newPassword } }),
      await service.delete(path, { key }),
    ];
    for (const response of rejected) assertProblem(response, 'insufficient-scope', 403);
    // a member with its present value isn't a change
    assert.equal((await service.patch(path, { key, body: { role: 'user', name: 'Renamed' } })).status, 200);
  });
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

  test('a new password of one’s own counts each current one tried as a sign-in', needsClock, async (t) => {
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
    await setPassword(service, person, { currentPassword: password });
    assertProblem(await service.get('/orders', { token: elsewhere.token }), 'invalid-token', 401);
    for (const call of [{ token: person.token }, { key }])
      assert.equal((await service.get('/orders', call)).status, 200);
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
      assertProblem(await service.get('/orders', call), 'invalid-token', 401);
    for (const call of [{ token: bystander.token }, { key: other }, { token: admin.token }])
      assert.equal((await service.get('/orders', call)).status, 200);
  });
});

test('a user has at most 50 API keys, expired ones included', needsClock, async (t) => {
  const service = await serviceFor(t);
  const [{ token }, other] = [await service.person(), await service.person()];
  const expiresAt = new Date(service.clock.now + 1).toISOString();
  const made = await Promise.all(
    Array.from({ length: 50 }, () => newKey(service, token, { scopes: ['events:read'], expiresAt })),
  );
  service.clock.advance(1);
  const body = { name: 'one more', scopes: ['orders:read'] };
  assertIssues(await service.post('/api/keys', { token, body }), 400, ['# max-keys']);
  await newKey(service, other.token);
  assert.equal((await service.delete(`/api/keys/${made[7].id}`, { token })).status, 204);
  const now = new Date(service.clock.now).toISOString();
  assertIssues(await service.post('/api/keys', { token, body: { ...body, expiresAt: now } }), 400, [
    '#/expiresAt minimum', // one that expires now would be useless
  ]);
  await newKey(service, token);
});
