// Sensitive changes: those that need a recent sign-in (RFC 9470) or the current password, and which
// credentials they end.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { insideOnly, password, serviceFor, type TestResponse, type Person } from '../../support/service.ts';
import { assertIssues, newKey } from '../../support/resource-support.ts';

const minute = 60_000;
const newPassword = 'another good password';

type Other = Person & { readonly keyId: number; readonly suspendedId: number };

const sensitive: Readonly<Record<string, (caller: Person, other: Other) => Promise<TestResponse>>> = {
  'one’s own e-mail address': ({ patch, id }) => patch(`/api/users/${id}`, { email: `new${id}@example.com` }),
  'another user’s e-mail address': ({ patch }, { id }) =>
    patch(`/api/users/${id}`, { email: `new${id}@example.com` }),
  'another user’s session': (caller, { sessionId }) => caller.delete(`/api/sessions/${sessionId}`),
  'another user’s API key': (caller, { keyId }) => caller.delete(`/api/keys/${keyId}`),
  'one’s own password': ({ patch, id }) =>
    patch(`/api/users/${id}`, { password: newPassword, currentPassword: password }),
  'another user’s password': ({ patch }, { id }) => patch(`/api/users/${id}`, { password: newPassword }),
  'a role': ({ patch }, { id }) => patch(`/api/users/${id}`, { role: 'staff' }),
  'a role of a new user': ({ post }) =>
    post('/api/users', { name: 'Eve', email: 'eve@example.com', password, role: 'staff' }),
  'an API key': ({ post }) => post('/api/keys', { name: 'till', scopes: ['events:read'] }),
  'another user deleted': (caller, { id }) => caller.delete(`/api/users/${id}`),
  'oneself deleted': (caller) => caller.delete(`/api/users/${caller.id}`),
  'a suspension': ({ put }, { id }) => put(`/api/users/${id}/suspension`, {}),
  'the end of a suspension': (caller, { suspendedId }) =>
    caller.delete(`/api/users/${suspendedId}/suspension`),
  'all sessions of another user': (caller, { id }) => caller.delete(`/api/sessions?userId=${id}`),
};

for (const [what, change] of Object.entries(sensitive))
  test(`an old sign-in, even if renewed, is too old for ${what}`, insideOnly, async (t) => {
    const service = await serviceFor(t);
    const [caller, person] = [await service.person('admin'), await service.person()];
    const [key, suspended] = [await newKey(service, person.token), await service.person()];
    await caller.put(`/api/users/${suspended.id}/suspension`, {});
    const other = { ...person, keyId: key.id, suspendedId: suspended.id };
    service.clock.advance(10 * minute + 1_000);
    const renewed = service.as({ token: (await service.renew(caller)).body.accessToken });
    for (const client of [caller, renewed])
      assertProblem(await change({ ...caller, ...client }, other), 'step-up-required');
    const { status, text } = await change(await service.signIn(caller.email, password), other);
    assert.ok(status < 300, text);
  });

test('10 minutes ago is recent; a new name or a sign-out needs no recent sign-in', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { id, token, sessionId, patch, delete: end } = await service.person('admin');
  const { id: keyId } = await newKey(service, token);
  service.clock.advance(10 * minute);
  assert.equal((await patch(`/api/users/${id}`, { email: 'new@example.com' })).status, 200);
  service.clock.advance(4 * minute);
  assert.equal((await patch(`/api/users/${id}`, { name: 'Grace' })).status, 200);
  for (const path of [`/api/keys/${keyId}`, `/api/sessions/${sessionId}`])
    assert.equal((await end(path)).status, 204);
});

describe('a new password of one’s own', () => {
  const running = sharedService();
  const setPassword = (
    { id }: Person,
    more: object,
    { patch }: Pick<Person, 'patch'>,
  ): Promise<TestResponse> => patch(`/api/users/${id}`, { password: newPassword, ...more });

  test('a new password of one’s own needs the current one beside it', async () => {
    const { person, as, signIn } = running();
    const ada = await person();
    assertIssues(await setPassword(ada, {}, ada), 400, ['#/currentPassword required']);
    const wrong = await setPassword(ada, { currentPassword: 'not that password' }, ada);
    assertIssues(wrong, 400, ['#/currentPassword mismatch']);
    await signIn(ada.email, password);
    assert.equal((await setPassword(ada, { currentPassword: password }, ada)).status, 200);
    const old = await as().post('/api/sessions', { email: ada.email, password });
    assertProblem(old, 'invalid-credentials');
    await signIn(ada.email, newPassword);
  });

  test('a new password of one’s own is the only change that accepts currentPassword', async () => {
    const [admin, ada] = [await running().person('admin'), await running().person()];
    const byKey = running().as(await newKey(running(), ada.token, { scopes: ['users:write'] }));
    const path = `/api/users/${ada.id}`;
    for (const response of [
      await ada.patch(path, { name: 'Ada', currentPassword: password }),
      await byKey.patch(path, { currentPassword: password }),
      await byKey.patch(path, { currentPassword: 'not that password' }),
      await setPassword(ada, { currentPassword: password }, admin),
    ])
      assertIssues(response, 400, ['#/currentPassword unexpected']);
  });

  test('a new password of one’s own counts each current one tried as a sign-in', insideOnly, async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-login-account': '3/60' } });
    const ada = await service.person(); // one sign-in
    for (const status of [400, 400, 429])
      assert.equal((await setPassword(ada, { currentPassword: 'wrong one' }, ada)).status, status);
    const { email } = ada;
    assert.equal((await service.as().post('/api/sessions', { email, password })).status, 429);
  });

  test('a new password of one’s own ends the user’s other sessions; this one and the keys stay', async () => {
    const { person, signIn, as, renew } = running();
    const ada = await person();
    const elsewhere = await signIn(ada.email, password);
    const byKey = as(await newKey(running(), ada.token));
    for (const { get } of [ada, elsewhere]) assert.equal((await get('/orders')).status, 200);
    await setPassword(ada, { currentPassword: password }, ada);
    assertProblem(await elsewhere.get('/orders'), 'invalid-token');
    assertProblem(await renew(elsewhere), 'invalid-credentials');
    for (const { get } of [ada, byKey]) assert.equal((await get('/orders')).status, 200);
    assert.equal((await renew(ada)).status, 201);
  });

  test('a new password that an administrator sets ends all sessions and keys of the user', async () => {
    const { person, as } = running();
    const [admin, ada, bystander] = [await person('admin'), await person(), await person()];
    const ofAda = as(await newKey(running(), ada.token));
    const ofBystander = as(await newKey(running(), bystander.token));
    assert.equal((await setPassword(ada, {}, admin)).status, 200);
    for (const { get } of [ada, ofAda]) assertProblem(await get('/orders'), 'invalid-token');
    for (const { get } of [bystander, ofBystander, admin]) assert.equal((await get('/orders')).status, 200);
  });
});
