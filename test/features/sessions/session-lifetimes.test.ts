// A session from sign-in to its end: who sees it, who ends it, and when it expires.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { insideOnly, password, serviceFor, type TestResponse, type Person } from '../../support/service.ts';
import { idsIn, rootToken } from '../../support/resource-support.ts';
import { bearerRealm, minute } from './session-support.ts';

const day = 86_400_000;

describe('a session', () => {
  const running = sharedService();

  test('a session can be read and listed by its user, newest first', async () => {
    const service = running();
    const person = await service.person();
    const response = await service.post('/api/sessions', {
      body: { email: person.email, password },
      headers: { 'user-agent': 'till/3' },
    });
    const { id, createdAt, expiresAt } = response.body;
    const read = await service.get(`/api/sessions/${id}`, { token: person.token });
    assert.deepEqual(read.body, {
      id,
      userId: person.id,
      createdAt,
      lastUsedAt: createdAt,
      expiresAt,
      userAgent: 'till/3',
    });
    assert.equal(read.headers.etag, response.headers.etag);
    const list = await service.get('/api/sessions', { token: person.token });
    assert.deepEqual(idsIn(list), [id, person.sessionId]);
    assert.equal(list.body.data[1].userAgent, null);
  });

  test('a session is in the list of its user, which only an administrator sees besides', async () => {
    const service = running();
    const owner = await service.person();
    const path = `/api/sessions?userId=${owner.id}`;
    for (const role of ['user', 'staff'] as const) {
      const { id, token, sessionId } = await service.person(role);
      assertProblem(await service.get(path, { token }), 'forbidden');
      for (const own of ['/api/sessions', `/api/sessions?userId=${id}`])
        assert.deepEqual(idsIn(await service.get(own, { token })), [sessionId]);
    }
    assert.deepEqual(idsIn(await service.get(path, { token: await rootToken(service) })), [owner.sessionId]);
  });

  test(
    'a session begun while the clock was ahead gives nothing once it is set back',
    insideOnly,
    async (t) => {
      const service = await serviceFor(t);
      const { email } = await service.person();
      service.clock.advance(day);
      const { token, sessionId, refreshToken } = await service.signIn(email, password);
      assert.equal((await service.get('/orders', { token })).status, 200);
      service.clock.advance(-day);
      assertProblem(await service.get('/orders', { token }), 'invalid-token');
      const renewal = await service.renew({ sessionId, refreshToken });
      assertProblem(renewal, 'invalid-credentials');
      service.clock.advance(day - 31_000);
      assertProblem(await service.get('/orders', { token }), 'invalid-token');
    },
  );

  test('a session that is ended is rejected from the next request, with its refresh token; others aren’t', async () => {
    const service = running();
    const one = await service.person();
    const two = await service.signIn(one.email, password);
    assert.equal((await service.get('/orders', { token: one.token })).status, 200);
    assert.equal((await service.delete(`/api/sessions/${one.sessionId}`, { token: one.token })).status, 204);
    assertProblem(await service.get('/orders', { token: one.token }), 'invalid-token');
    assertProblem(await service.renew(one), 'invalid-credentials');
    assertProblem(await service.get(`/api/sessions/${one.sessionId}`, { token: two.token }), 'not-found');
    assertProblem(await service.delete(`/api/sessions/${one.sessionId}`, { token: two.token }), 'not-found');
    assert.deepEqual(idsIn(await service.get('/api/sessions', { token: two.token })), [two.sessionId]);
  });

  test('a session shows the first 300 characters of the user agent, without control characters', async (t) => {
    const service = await serviceFor(t);
    const { email, token } = await service.person();
    const headers = { 'user-agent': `${'a'.repeat(150)}\t\u0085${'a'.repeat(150)}b` }; // sent as UTF-8: Â, \u0085
    const { body } = await service.post('/api/sessions', { body: { email, password }, headers });
    const session = await service.get(`/api/sessions/${body.id}`, { token });
    assert.equal(session.body.userAgent, `${'a'.repeat(150)}Â${'a'.repeat(149)}`);
  });

  test('a session ends 14 days after its last use', insideOnly, async (t) => {
    const service = await serviceFor(t);
    const [idle, used] = [await service.person(), await service.person()];
    service.clock.advance(14 * day - 1);
    const renewed = await service.renew(used);
    assert.equal(renewed.status, 201);
    service.clock.advance(1);
    assertProblem(await service.renew(idle), 'invalid-credentials');
    const { token } = await service.signIn(idle.email, password);
    assertProblem(await service.get(`/api/sessions/${idle.sessionId}`, { token }), 'not-found');
    const list = await service.get('/api/sessions?total=true', { token });
    assert.ok(!idsIn(list).includes(idle.sessionId));
    assert.equal(list.body.total, 1);
    const { lastUsedAt, createdAt } = (
      await service.get(`/api/sessions/${used.sessionId}`, { token: renewed.body.accessToken })
    ).body;
    assert.equal(Date.parse(lastUsedAt) - Date.parse(createdAt), 14 * day - 1);
  });

  test(
    'a session that is renewed after the clock stepped back isn’t used before its creation',
    insideOnly,
    async (t) => {
      const service = await serviceFor(t);
      const { sessionId, refreshToken } = await service.person();
      service.clock.advance(-20_000);
      const refreshed = await service.renew({ sessionId, refreshToken });
      assert.equal(refreshed.status, 201);
      const { body } = await service.get(`/api/sessions/${sessionId}`, { token: refreshed.body.accessToken });
      assert.equal(body.lastUsedAt, body.createdAt);
      assert.equal(body.expiresAt, new Date(Date.parse(body.createdAt) + 14 * day).toISOString());
    },
  );

  for (const [seconds, status] of [
    [30, 200],
    [31, 401],
  ] as const) {
    test(
      `an access token is first used ${seconds} seconds before its issue: ${status}`,
      insideOnly,
      async (t) => {
        const service = await serviceFor(t);
        const { token, sessionId } = await service.person();
        service.clock.advance(-1_000 * seconds);
        assert.equal((await service.get(`/api/sessions/${sessionId}`, { token })).status, status);
      },
    );
  }

  test('a session beyond 1,000 of one user ends that user’s oldest immediately', insideOnly, async (t) => {
    const service = await serviceFor(t);
    const oldest = await service.person();
    const other = await service.person();
    await service.inside?.database.write((db) => {
      const copies = 'WITH RECURSIVE n (i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n LIMIT 998)';
      const columns = 'userId, refreshSeed, createdAt, lastUsedAt, expiresAt';
      db.run(
        `${copies} INSERT INTO sessions (${columns}) SELECT ${columns} FROM sessions, n WHERE id = ?`,
        oldest.sessionId,
      );
    });
    const statusOf = async ({ token }: Person): Promise<number> =>
      (await service.get('/api/sessions?limit=1', { token })).status;
    await service.signIn(oldest.email, oldest.password);
    assert.equal(await statusOf(oldest), 200);
    await service.signIn(oldest.email, oldest.password);
    assert.deepEqual([await statusOf(oldest), await statusOf(other)], [401, 200]);
  });

  test('a session that has ended is removed from the database', insideOnly, async (t) => {
    const service = await serviceFor(t);
    await service.person();
    service.clock.advance(day);
    const { sessionId } = await service.person();
    service.clock.advance(13 * day);
    await service.stop();
    using db = new DatabaseSync(join(service.folder, 'orderly.db'));
    assert.deepEqual(
      db
        .prepare('SELECT id FROM sessions')
        .all()
        .map(({ id }) => id),
      [sessionId],
    );
  });

  test(
    'a session ends 30 days after sign-in, however much it is used, and its tokens with it',
    insideOnly,
    async (t) => {
      const service = await serviceFor(t);
      const { sessionId, refreshToken } = await service.person();
      let tokens: TestResponse['body'] = { refreshToken };
      const refresh = () => service.renew({ sessionId, refreshToken: tokens.refreshToken });
      for (const milliseconds of [10 * day, 10 * day, 10 * day - 5 * minute]) {
        service.clock.advance(milliseconds);
        tokens = (await refresh()).body;
      }
      assert.equal(Date.parse(tokens.expiresAt) - Date.parse(tokens.createdAt), 30 * day);
      assert.equal((await service.get('/orders', { token: tokens.accessToken })).status, 200);
      service.clock.advance(5 * minute);
      assertProblem(await service.get('/orders', { token: tokens.accessToken }), 'invalid-token');
      assertProblem(await refresh(), 'invalid-credentials');
    },
  );

  test('a session gives access tokens for 15 minutes, to the second', insideOnly, async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    service.clock.advance(15 * minute - 1_000);
    assert.equal((await service.get('/orders', { token })).status, 200);
    service.clock.advance(1_000);
    const response = await service.get('/orders', { token });
    assertProblem(response, 'invalid-token');
    assert.equal(response.headers['www-authenticate'], `${bearerRealm}, error="invalid_token"`);
  });
});
