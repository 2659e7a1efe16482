// Suspending a user: what ends immediately, what no longer works, what isn't disclosed, and lifting it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService, shownOf } from '../../support/http-support.ts';
import {
  insideOnly,
  password,
  serviceFor,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';
import { assertIssues, newKey, rootService, rootToken } from '../../support/resource-support.ts';

const wrong = 'not that password';

describe('a suspension', () => {
  const running = sharedService();
  const pathOf = (id: number): string => `/api/users/${id}/suspension`;

  test('a suspension is created, read, changed and lifted at one path', async () => {
    const service = running();
    const token = await rootToken(service);
    const { id } = await service.person();
    assertProblem(await service.get(pathOf(id), { token }), 'not-found');
    const made = await service.put(pathOf(id), { token, body: { reason: 'Laptop stolen' } });
    assert.deepEqual([made.status, made.headers.location], [201, pathOf(id)]);
    assert.deepEqual(Object.keys(made.body), ['userId', 'createdAt', 'reason']);
    assert.deepEqual([made.body.userId, made.body.reason], [id, 'Laptop stolen']);
    const changed = await service.put(pathOf(id), { token, body: { ...made.body, reason: 'Left' } });
    assert.deepEqual([changed.status, changed.headers.location], [200, undefined]);
    assert.deepEqual(changed.body, { ...made.body, reason: 'Left' });
    const read = await service.get(pathOf(id), { token });
    assert.deepEqual([read.text, read.headers.etag], [changed.text, changed.headers.etag]);
    assert.equal((await service.delete(pathOf(id), { token })).status, 204);
    assertProblem(await service.delete(pathOf(id), { token }), 'not-found');
    const { data } = (await service.get(`/api/users/${id}/events`, { token })).body;
    type Change = { readonly type: string; readonly changes: object };
    assert.deepEqual(
      data.filter(({ type }: Change) => type === 'user.changed').map(({ changes }: Change) => changes),
      [{ suspension: null }, { suspensionReason: null }],
    );
  });

  test('a suspension that is sent again unchanged leaves no event', async () => {
    const service = running();
    const token = await rootToken(service);
    const { id } = await service.person();
    const etags: unknown[] = [];
    for (const reason of ['Laptop stolen', 'Laptop stolen', 'Left', 'Left', 'Laptop stolen'])
      etags.push((await service.put(pathOf(id), { token, body: { reason } })).headers.etag);
    assert.equal(new Set(etags).size, 3, 'one for each change, though the last restores the first');
    const { data } = (await service.get(`/api/users/${id}/events`, { token })).body;
    const types: string[] = data.map(({ type }: { readonly type: string }) => type);
    assert.deepEqual(types.slice(0, types.indexOf('user.suspended') + 1).filter(isOfUser), [
      'user.changed',
      'user.changed',
      'user.suspended',
    ]);
  });

  test('a suspension ends sessions and keys with the next request, and signing in', async () => {
    const service = running();
    const admin = await rootToken(service);
    const person = await service.person();
    const { id, email, token } = person;
    const { key } = await newKey(service, token);
    await service.put(pathOf(id), { token: admin, body: {} });
    assertProblem(await service.get('/orders', { token }), 'invalid-token');
    assertProblem(await service.get('/orders', { key }), 'invalid-token');
    assertProblem(await service.renew(person), 'invalid-credentials');
    const right = await service.post('/api/sessions', { body: { email, password } });
    assert.deepEqual(
      shownOf(right),
      shownOf(await service.post('/api/sessions', { body: { email, password: wrong } })),
    );
    await service.delete(pathOf(id), { token: admin });
    await service.signIn(email, password);
    assertProblem(await service.get('/orders', { key }), 'invalid-token');
  });

  test('a suspension leaves the user object unchanged, and is deleted with it', async () => {
    const service = running();
    const admin = await rootToken(service);
    const { id } = await service.person();
    const before = await service.get(`/api/users/${id}`, { token: admin });
    await service.put(pathOf(id), { token: admin, body: {} });
    assert.equal((await service.get(`/api/users/${id}`, { token: admin })).text, before.text);
    assert.equal((await service.delete(`/api/users/${id}`, { token: admin })).status, 204);
    assertProblem(await service.get(pathOf(id), { token: admin }), 'not-found');
    assertProblem(await service.put(pathOf(id), { token: admin, body: {} }), 'not-found');
  });

  test('a suspension respects the conditions of the request', async () => {
    const service = running();
    const token = await rootToken(service);
    const { id } = await service.person();
    const put = (headers: Record<string, string>): Promise<TestResponse> =>
      service.put(pathOf(id), { token, headers, body: {} });
    assertProblem(await put({ 'if-match': '*' }), 'precondition-failed');
    const { status, headers } = await put({ 'if-none-match': '*' });
    assert.equal(status, 201);
    assertProblem(await put({ 'if-none-match': '*' }), 'precondition-failed');
    assert.equal((await put({ 'if-match': String(headers.etag) })).status, 200);
    const stale = { token, headers: { 'if-match': '"stale"' } };
    assertProblem(await service.delete(pathOf(id), stale), 'precondition-failed');
  });

  const invalid: readonly (readonly [body: object, ...issues: string[]])[] = [
    [{ reason: '' }, '#/reason min-length'],
    [{ reason: 'a'.repeat(201) }, '#/reason max-length'],
    [{ reason: 7 }, '#/reason type'],
    [{ until: '2027-01-01' }, '#/until unknown-member'],
    [{ userId: 1, createdAt: '2026-01-01T00:00:00Z' }, '#/userId read-only', '#/createdAt read-only'],
  ];
  for (const [body, ...issues] of invalid)
    test(`a suspension is rejected with ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const service = running();
      const { id } = await service.person();
      assertIssues(await service.put(pathOf(id), { token: await rootToken(service), body }), 400, issues);
    });

  test('a suspension of the last administrator who isn’t suspended is not possible', async (t) => {
    const service = await serviceFor(t);
    const root = await service.signIn(service.admin.email, service.admin.password);
    const other = await service.person('admin');
    assert.equal((await service.put(pathOf(other.id), { token: root.token, body: {} })).status, 201);
    for (const refused of [
      await service.put(pathOf(root.id), { token: root.token, body: {} }),
      await service.delete(`/api/users/${root.id}`, { token: root.token }),
      await service.patch(`/api/users/${root.id}`, { token: root.token, body: { role: 'user' } }),
    ])
      assertProblem(refused, 'last-admin');
  });

  test('a suspension is in the log, and so are the sign-ins that it rejects', async (t) => {
    const { service, token } = await rootService(t);
    const { id, email } = await service.person();
    await service.put(pathOf(id), { token, body: { reason: 'Laptop stolen' } });
    await service.post('/api/sessions', { body: { email, password } });
    await service.delete(pathOf(id), { token });
    const lines = linesAbout(service, id);
    assert.deepEqual(lines.slice(-3), [
      ['authn_login_lock', undefined],
      ['authn_login_fail', 'suspended'],
      ['user_updated', 'suspension-lifted'],
    ]);
    assert.doesNotMatch(service.logged.join('\n'), /Laptop/);
  });
});

test('ending all one’s sessions ends the present one, and leaves keys and others alone', async (t) => {
  const service = await serviceFor(t);
  const first = await service.person();
  const second = await service.signIn(first.email, password);
  const other = await service.person();
  const { key } = await newKey(service, first.token);
  assert.equal((await service.delete('/api/sessions', { token: first.token })).status, 204);
  for (const { token } of [first, second])
    assertProblem(await service.get('/orders', { token }), 'invalid-token');
  assert.equal((await service.get('/orders', { key })).status, 200);
  assert.equal((await service.get('/orders', { token: other.token })).status, 200);
  assert.deepEqual(linesAbout(service, first.id).filter(([name]) => name === 'session_expired').length, 1);
});

test('ending all sessions of a user leaves an event only if one had not expired', insideOnly, async (t) => {
  const { service, token } = await rootService(t);
  const { id } = await service.person();
  const expired = await service.person();
  for (let again = 0; again < 3; again += 1)
    assert.equal((await service.delete(`/api/sessions?userId=${id}`, { token })).status, 204);
  service.clock.advance(14 * 86_400_000);
  const later = await rootToken(service);
  const path = `/api/sessions?userId=${expired.id}`;
  assert.equal((await service.delete(path, { token: later })).status, 204);
  const { body } = await service.get('/events?type=session.ended', { token: later });
  assert.deepEqual(body.data.map(subjectOf), [`/api/sessions?userId=${id}`]);
  const lines = [...linesAbout(service, id), ...linesAbout(service, expired.id)];
  assert.equal(lines.filter(([name]) => name === 'session_expired').length, 1);
});

test('ending all sessions of an unknown user is 403 as for another one, and 404 for administrators', async (t) => {
  const service = await serviceFor(t);
  const path = '/api/sessions?userId=4711';
  assertProblem(await service.delete(path, { token: (await service.person()).token }), 'forbidden');
  assertProblem(await service.delete(path, { token: await rootToken(service) }), 'not-found');
});

function linesAbout({ logged }: TestService, userId: number): unknown[][] {
  return logged
    .map((line) => JSON.parse(line))
    .filter((line) => line.userId === userId)
    .map(({ message, reason, change }) => [message, reason ?? change]);
}

function subjectOf({ subject }: { readonly subject: string }): string {
  return subject;
}

function isOfUser(type: string): boolean {
  return type.startsWith('user.');
}
