// Refresh tokens: one use each, the grace period of a replaced one, rotated secrets, and what is stored.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unavailable } from '../../../src/problem.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { insideOnly, password, serviceFor, type Person } from '../../support/service.ts';
import { assertInNoFile, assertIssues } from '../../support/resource-support.ts';

const day = 86_400_000;

describe('a refresh token', () => {
  const running = sharedService();
  const used = async ({ sessionId }: Person, refreshToken: string) =>
    running().renew({ sessionId, refreshToken });

  test('a refresh token gives new tokens of the same session; access tokens live until they expire', async () => {
    const person = await running().person();
    const { status, body, headers } = await running().renew(person);
    assert.equal(status, 201);
    assert.deepEqual([body.id, body.userId], [person.sessionId, person.id]);
    assert.equal(headers['cache-control'], 'no-store');
    assert.notEqual(body.refreshToken, person.refreshToken);
    assert.notEqual(body.accessToken, person.token);
    for (const token of [body.accessToken, person.token])
      assert.equal((await running().get('/orders', { token })).status, 200);
  });

  test('a refresh token just replaced gets the same one until that is used', insideOnly, async () => {
    const person = await running().person();
    const first = (await running().renew(person)).body;
    const usedAt = new Date(running().clock.now).toISOString();
    running().clock.advance(13 * day);
    const again = await running().renew(person);
    assert.deepEqual([again.status, again.body.refreshToken], [201, first.refreshToken]);
    const { get } = running().as({ token: again.body.accessToken });
    const { body } = await get(`/api/sessions/${person.sessionId}`);
    assert.equal(body.lastUsedAt, usedAt, 'that was no use of the session');
    assert.equal((await used(person, first.refreshToken)).status, 201);
  });

  test('a refresh token used again after its successor was used ends the session immediately', async () => {
    const person = await running().person();
    const first = (await running().renew(person)).body;
    const second = (await used(person, first.refreshToken)).body;
    const tokens = [person.token, first.accessToken, second.accessToken];
    for (const token of tokens) assert.equal((await running().get('/orders', { token })).status, 200);
    assertProblem(await running().renew(person), 'invalid-credentials');
    for (const token of tokens) assertProblem(await running().get('/orders', { token }), 'invalid-token');
    assertProblem(await used(person, second.refreshToken), 'invalid-credentials');
  });

  test('a refresh token used twenty times at once gets one new token, twenty times', async () => {
    const person = await running().person();
    const responses = await Promise.all(Array.from({ length: 20 }, () => running().renew(person)));
    assert.ok(responses.every(({ status }) => status === 201));
    const [next = '', ...others] = new Set(responses.map(({ body }) => String(body.refreshToken)));
    assert.deepEqual(others, []);
    assert.equal((await used(person, next)).status, 201);
  });

  test('a refresh token that is none of the session ends and writes nothing', insideOnly, async () => {
    const [one, two] = [await running().person(), await running().person()];
    await running().renew(one);
    running().clock.advance(10_001);
    const { stats } = running().inside?.database ?? assert.fail('it is inside');
    const before = stats.commits;
    const invented = two.refreshToken.replace(/.$/, 'A').replace(/^./, 'B');
    for (const refreshToken of [one.refreshToken, 'A'.repeat(43), invented])
      for (const sessionId of [two.sessionId, 4711])
        assertProblem(await running().renew({ sessionId, refreshToken }), 'invalid-credentials');
    assertIssues(await used(two, 'short'), 400, ['#/refreshToken min-length']);
    const without = await running().as().post(`/api/sessions/${two.sessionId}/tokens`, {});
    assertIssues(without, 400, ['#/refreshToken required']);
    assert.equal(stats.commits, before);
    assert.equal((await two.get('/orders')).status, 200);
    assert.equal((await running().renew(two)).status, 201);
  });
});

const publicUrl = { 'public-url': 'https://orders.example.com' }; // the port changes with a restart

test('tokens work while their secret is configured, their replacements longer', insideOnly, async (t) => {
  const [old, renewed] = ['an old secret of at least 32 bytes', 'a new secret of at least 32 bytes'];
  const before = await serviceFor(t, { settings: { ...publicUrl, 'jwt-secrets': old } });
  const { sessionId, refreshToken, token } = await before.person();
  await before.stop();
  const { folder } = before;
  const both = { ...publicUrl, 'jwt-secrets': `${renewed},${old}` };
  const during = await serviceFor(t, { folder, settings: both });
  assert.equal((await during.get('/orders', { token })).status, 200);
  const { body } = await during.renew({ sessionId, refreshToken });
  await during.stop();
  const after = await serviceFor(t, { folder, settings: { ...publicUrl, 'jwt-secrets': renewed } });
  assertProblem(await after.get('/orders', { token }), 'invalid-token');
  assertProblem(await after.renew({ sessionId, refreshToken }), 'invalid-credentials');
  assert.equal((await after.get('/orders', { token: body.accessToken })).status, 200);
  assert.equal((await after.renew({ sessionId, refreshToken: body.refreshToken })).status, 201);
});

for (const [whose, isAnother] of [
  ['of its user', false],
  ['of another user', true],
] as const)
  test(`tokens of a removed session are none of the next with its id, ${whose}`, insideOnly, async (t) => {
    const service = await serviceFor(t);
    const [gone, other] = [await service.person(), await service.person()];
    assert.equal((await gone.get('/orders')).status, 200);
    await service.inside?.database.write((db) => {
      db.run('DELETE FROM sessions');
      db.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'sessions'", gone.sessionId - 1);
      db.invalidate('everything');
    });
    if (!isAnother) service.clock.advance(1_000); // a restore takes at least that long
    const next = await service.signIn(isAnother ? other.email : gone.email, password);
    assert.equal(next.sessionId, gone.sessionId);
    assertProblem(await gone.get('/orders'), 'invalid-token');
    assertProblem(await service.renew(gone), 'invalid-credentials');
    assert.equal((await next.get('/orders')).status, 200);
  });

test('a refresh token issued after the state that a standby took over still works', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const person = await service.person();
  const { sessionId } = person;
  const { refreshToken } = (await service.renew(person)).body;
  await service.inside?.database.write((db) => {
    db.run('UPDATE sessions SET refreshGeneration = 0 WHERE id = ?', sessionId);
  });
  assert.equal((await service.renew({ sessionId, refreshToken })).status, 201);
  service.clock.advance(10_001);
  assertProblem(await service.renew(person), 'invalid-credentials');
});

test('a refresh token is stored nowhere, whether used or current', async (t) => {
  const service = await serviceFor(t);
  const person = await service.person();
  const tokens = [person.refreshToken, String((await service.renew(person)).body.refreshToken)];
  await service.stop();
  const bytes = tokens.map((token) => Buffer.from(token, 'base64url').subarray(4));
  assertInNoFile(service.folder, [...tokens, ...bytes], 'orderly.db');
});

test('an invented refresh token is 401 while nothing can be written', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { sessionId, refreshToken } = await service.person();
  const { database } = service.inside ?? assert.fail('the test is skipped otherwise');
  database.write = () => Promise.reject(unavailable('Writes are temporarily unavailable.'));
  for (const id of [sessionId, 4711])
    assertProblem(
      await service.renew({ sessionId: id, refreshToken: 'A'.repeat(48) }),
      'invalid-credentials',
    );
  assertProblem(await service.renew({ sessionId, refreshToken }), 'unavailable');
});
