// Suspending a user, and ending all sessions: what ends immediately, what isn't disclosed, and what is recorded.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService, shownOf } from '../../support/http-support.ts';
import { assertIssues, newKey, rootService, valuesIn } from '../../support/resource-support.ts';
import { linesAbout } from '../../support/security-line-support.ts';
import { insideOnly, password, serviceFor, type Person } from '../../support/service.ts';

const pathOf = ({ id }: Person): string => `/api/users/${id}/suspension`;

describe('a suspension', () => {
  let root: Person;
  const running = sharedService({}, async (service) => {
    root = await service.root();
  });
  /** The changes of the user, newest first. */
  const changesOf = async ({ id }: Person): Promise<unknown[]> => {
    const events = valuesIn(await root.get(`/api/users/${id}/events`), 'type', 'changes');
    return events.filter((each) => /^user\.(changed|suspended)/.test(String(each)));
  };

  test('a suspension is created, read, changed and lifted at one path', async () => {
    const person = await running().person();
    const path = pathOf(person);
    assertProblem(await root.get(path), 'not-found');
    assertIssues(await root.put(path, { reason: 'a'.repeat(201) }), 400, ['#/reason max-length']);
    const made = await root.put(path, { reason: 'Laptop stolen' });
    assert.deepEqual([made.status, made.headers.location], [201, path]);
    assert.deepEqual(Object.keys(made.body), ['userId', 'createdAt', 'reason']);
    assert.deepEqual([made.body.userId, made.body.reason], [person.id, 'Laptop stolen']);
    const changed = await root.put(path, { ...made.body, reason: 'Left' });
    assert.deepEqual([changed.status, changed.headers.location], [200, undefined]);
    assert.deepEqual(changed.body, { ...made.body, reason: 'Left' });
    const read = await root.get(path);
    assert.deepEqual([read.text, read.headers.etag], [changed.text, changed.headers.etag]);
    assert.equal((await root.delete(path)).status, 204);
    assertProblem(await root.delete(path), 'not-found');
    assert.deepEqual(await changesOf(person), [
      ['user.changed', { suspension: null }],
      ['user.changed', { suspensionReason: null }],
      ['user.suspended', {}],
    ]);
  });

  test('a suspension that is sent again unchanged leaves no event', async () => {
    const person = await running().person();
    const etags = new Set<unknown>();
    for (const reason of ['Laptop stolen', 'Laptop stolen', 'Left', 'Left', 'Laptop stolen'])
      etags.add((await root.put(pathOf(person), { reason })).headers.etag);
    assert.equal(etags.size, 3, 'one for each change, though the last restores the first');
    assert.equal((await changesOf(person)).length, 3);
  });

  test('a suspension ends sessions and keys with the next request, and signing in', async () => {
    const { person, as, renew, signIn } = running();
    const gone = await person();
    const byKey = as(await newKey(running(), gone.token));
    await root.put(pathOf(gone), { reason: 'Laptop stolen' });
    for (const { get } of [gone, byKey]) assertProblem(await get('/orders'), 'invalid-token');
    assertProblem(await renew(gone), 'invalid-credentials');
    const ask = async (secret: string): Promise<object> =>
      shownOf(await as().post('/api/sessions', { email: gone.email, password: secret }));
    assert.deepEqual(await ask('not that password'), await ask(password));
    await root.delete(pathOf(gone));
    assert.deepEqual(linesAbout(running(), gone.id).slice(-2), [
      ['authn_login_fail', 'suspended'],
      ['user_updated', 'suspension-lifted'],
    ]);
    assert.ok(linesAbout(running(), gone.id).some(([name]) => name === 'authn_login_lock'));
    assert.doesNotMatch(running().logged.join('\n'), /Laptop/);
    await signIn(gone.email, password);
    assertProblem(await byKey.get('/orders'), 'invalid-token');
  });

  test('a suspension leaves the user object unchanged, and is deleted with it', async () => {
    const person = await running().person();
    const [path, userPath] = [pathOf(person), `/api/users/${person.id}`];
    const before = await root.get(userPath);
    await root.put(path, {});
    assert.equal((await root.get(userPath)).text, before.text);
    assert.equal((await root.delete(userPath)).status, 204);
    assertProblem(await root.get(path), 'not-found');
    assertProblem(await root.put(path, {}), 'not-found');
  });

  test('a suspension respects the conditions of the request', async () => {
    const path = pathOf(await running().person());
    assertProblem(await root.put(path, {}, { 'if-match': '*' }), 'precondition-failed');
    const { status, headers } = await root.put(path, {}, { 'if-none-match': '*' });
    assert.equal(status, 201);
    assertProblem(await root.put(path, {}, { 'if-none-match': '*' }), 'precondition-failed');
    assert.equal((await root.put(path, {}, { 'if-match': String(headers.etag) })).status, 200);
    assertProblem(await root.delete(path, { 'if-match': '"stale"' }), 'precondition-failed');
  });
});

test('a suspension of the last administrator who isn’t suspended is not possible', async (t) => {
  const { service, root } = await rootService(t);
  assert.equal((await root.put(pathOf(await service.person('admin')), {})).status, 201);
  const path = `/api/users/${root.id}`;
  for (const refused of [
    await root.put(pathOf(root), {}),
    await root.delete(path),
    await root.patch(path, { role: 'user' }),
  ])
    assertProblem(refused, 'last-admin');
});

const ends = ([name]: unknown[]): boolean => name === 'session_expired';

test('ending all one’s sessions ends the present one, and leaves keys and others alone', async (t) => {
  const service = await serviceFor(t);
  const first = await service.person();
  const [second, other] = [await service.signIn(first.email, password), await service.person()];
  const byKey = service.as(await newKey(service, first.token));
  assert.equal((await first.delete('/api/sessions')).status, 204);
  for (const { get } of [first, second]) assertProblem(await get('/orders'), 'invalid-token');
  for (const { get } of [byKey, other]) assert.equal((await get('/orders')).status, 200);
  assert.equal(linesAbout(service, first.id).filter(ends).length, 1);
});

test('ending all sessions of a user leaves an event only if one had not expired', insideOnly, async (t) => {
  const { service, root } = await rootService(t);
  const [{ id }, expired] = [await service.person(), await service.person()];
  const path = `/api/sessions?userId=${id}`;
  for (let again = 0; again < 3; again += 1) assert.equal((await root.delete(path)).status, 204);
  service.clock.advance(14 * 86_400_000);
  const later = await service.root();
  assert.equal((await later.delete(`/api/sessions?userId=${expired.id}`)).status, 204);
  assert.deepEqual(valuesIn(await later.get('/events?type=session.ended'), 'subject'), [path]);
  const lines = [...linesAbout(service, id), ...linesAbout(service, expired.id)];
  assert.equal(lines.filter(ends).length, 1);
  const unknown = '/api/sessions?userId=4711';
  assertProblem(await (await service.person()).delete(unknown), 'forbidden');
  assertProblem(await later.delete(unknown), 'not-found');
});
