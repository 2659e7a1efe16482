// Refresh tokens: one use each, the grace period of a replaced one, rotated secrets, and what is stored.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import {
  executable,
  password,
  serviceFor,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';
import { assertIssues } from '../../support/resource-support.ts';
import { tokenMembers } from './session-support.ts';

const needsClock = executable === undefined ? {} : { skip: 'needs the clock' };
const needsInside = executable === undefined ? {} : { skip: 'needs the inside' };

describe('a refresh token', () => {
  const running = sharedService();
  const refresh = (service: TestService, id: number, refreshToken: string): Promise<TestResponse> =>
    service.post(`/api/sessions/${id}/tokens`, { body: { refreshToken } });

  test('a refresh token gives new tokens of the same session, once', async () => {
    const service = running();
    const person = await service.person();
    const { status, body, headers } = await refresh(service, person.sessionId, person.refreshToken);
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(body), tokenMembers);
    assert.deepEqual(
      [body.id, body.userId, headers['cache-control']],
      [person.sessionId, person.id, 'no-store'],
    );
    assert.notEqual(body.refreshToken, person.refreshToken);
    assert.notEqual(body.accessToken, person.token);
    assert.equal((await service.get('/orders', { token: body.accessToken })).status, 200);
    // it lives on until it expires
    assert.equal((await service.get('/orders', { token: person.token })).status, 200);
  });

  test(
    'a refresh token just replaced gets the same new one again until that is used',
    needsClock,
    async () => {
      const service = running();
      const { sessionId, refreshToken } = await service.person();
      const first = (await refresh(service, sessionId, refreshToken)).body;
      service.clock.advance(13 * 86_400_000);
      const again = await refresh(service, sessionId, refreshToken);
      assert.deepEqual([again.status, again.body.refreshToken], [201, first.refreshToken]);
      assert.equal((await service.get('/orders', { token: again.body.accessToken })).status, 200);
      const { body } = await service.get(`/api/sessions/${sessionId}`, { token: again.body.accessToken });
      const used = [body.lastUsedAt, new Date(service.clock.now - 13 * 86_400_000).toISOString()];
      assert.equal(used[0], used[1], 'that was no use of the session');
      assert.equal((await refresh(service, sessionId, first.refreshToken)).status, 201);
    },
  );

  test('a refresh token used again after its successor was used ends the session immediately', async () => {
    const service = running();
    const person = await service.person();
    const { id, ...first } = {
      ...(await refresh(service, person.sessionId, person.refreshToken)).body,
      id: person.sessionId,
    };
    const second = (await refresh(service, id, first.refreshToken)).body;
    assert.equal((await service.get('/orders', { token: second.accessToken })).status, 200);
    assertProblem(await refresh(service, id, person.refreshToken), 'invalid-credentials', 401);
    for (const token of [person.token, first.accessToken, second.accessToken])
      assertProblem(await service.get('/orders', { token }), 'invalid-token', 401);
    assertProblem(await refresh(service, id, second.refreshToken), 'invalid-credentials', 401);
  });

  test('a refresh token of many uses ago also ends the session', async () => {
    const service = running();
    const { sessionId, refreshToken } = await service.person();
    let last = { refreshToken, accessToken: '' };
    for (let index = 0; index < 5; index += 1)
      last = (await refresh(service, sessionId, last.refreshToken)).body;
    await refresh(service, sessionId, refreshToken);
    assertProblem(await service.get('/orders', { token: last.accessToken }), 'invalid-token', 401);
  });

  test('a refresh token used twenty times at once gets one new token, twenty times', async () => {
    const service = running();
    const { sessionId, refreshToken } = await service.person();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => refresh(service, sessionId, refreshToken)),
    );
    assert.deepEqual(
      responses.filter(({ status }) => status !== 201),
      [],
    );
    const [next = '', ...others] = new Set(responses.map(({ body }) => String(body.refreshToken)));
    assert.deepEqual(others, []);
    assert.equal((await refresh(service, sessionId, next)).status, 201);
  });

  const madeWith = (secrets: string): Readonly<Record<string, string>> => ({
    'public-url': 'https://orders.example.com',
    'jwt-secrets': secrets,
  });

  test(
    'a refresh token works while its secret is configured, and its replacement longer',
    needsInside,
    async (t) => {
      const [old, renewed] = ['an old secret of at least 32 bytes', 'a new secret of at least 32 bytes'];
      const before = await serviceFor(t, { settings: madeWith(old) });
      const { sessionId, refreshToken } = await before.person();
      await before.stop();
      const { folder } = before;
      const during = await serviceFor(t, { folder, settings: madeWith(`${renewed},${old}`) });
      const { body } = await refresh(during, sessionId, refreshToken);
      await during.stop();
      const after = await serviceFor(t, { folder, settings: madeWith(renewed) });
      assertProblem(await refresh(after, sessionId, refreshToken), 'invalid-credentials', 401);
      assert.equal((await refresh(after, sessionId, body.refreshToken)).status, 201);
    },
  );

  test(
    'a refresh token of a session that a restore removed is invalid for the next session with its id',
    needsInside,
    async (t) => {
      const service = await serviceFor(t);
      const { sessionId, refreshToken, email } = await service.person();
      await service.inside?.database.write((db) => {
        db.run('DELETE FROM sessions WHERE id = ?', sessionId);
        db.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'sessions'", sessionId - 1);
      });
      assert.equal((await service.signIn(email, password)).sessionId, sessionId);
      assertProblem(await refresh(service, sessionId, refreshToken), 'invalid-credentials', 401);
    },
  );

  test(
    'an access token of a removed session is invalid for the next session with its id',
    needsInside,
    async (t) => {
      const service = await serviceFor(t);
      const { sessionId, token, email } = await service.person();
      assert.equal((await service.get('/orders', { token })).status, 200);
      await service.inside?.database.write((db) => {
        db.run('DELETE FROM sessions WHERE id = ?', sessionId);
        db.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'sessions'", sessionId - 1);
        db.invalidate({ kind: 'session', id: sessionId });
      });
      service.clock.advance(1_000); // a restore takes at least that long
      const next = await service.signIn(email, password);
      assert.equal(next.sessionId, sessionId);
      assertProblem(await service.get('/orders', { token }), 'invalid-token', 401);
      assert.equal((await service.get('/orders', { token: next.token })).status, 200);
    },
  );

  test(
    'a refresh token issued after the state that a standby took over still works',
    needsInside,
    async (t) => {
      const service = await serviceFor(t);
      const { sessionId, refreshToken } = await service.person();
      const { body } = await refresh(service, sessionId, refreshToken);
      await service.inside?.database.write((db) => {
        db.run('UPDATE sessions SET refreshGeneration = 0 WHERE id = ?', sessionId);
      });
      assert.equal((await refresh(service, sessionId, body.refreshToken)).status, 201);
      service.clock.advance(10_001);
      assertProblem(await refresh(service, sessionId, refreshToken), 'invalid-credentials', 401);
    },
  );

  test('a refresh token is stored nowhere, whether used or current', needsInside, async (t) => {
    const service = await serviceFor(t);
    const { sessionId, refreshToken } = await service.person();
    const { body } = await refresh(service, sessionId, refreshToken);
    await service.stop();
    const secrets = [refreshToken, String(body.refreshToken)];
    for (const name of readdirSync(service.folder).filter((each) => each.startsWith('orderly.db'))) {
      const bytes = readFileSync(join(service.folder, name));
      for (const secret of secrets) {
        assert.equal(bytes.indexOf(secret), -1);
        assert.equal(bytes.indexOf(Buffer.from(secret, 'base64url').subarray(4)), -1);
      }
    }
  });

  test('a refresh token is valid for its own session only, and ends no other', async () => {
    const service = running();
    const [one, two] = [await service.person(), await service.person()];
    await refresh(service, one.sessionId, one.refreshToken);
    service.clock.advance(10_001);
    for (const id of [two.sessionId, 4711])
      assertProblem(await refresh(service, id, one.refreshToken), 'invalid-credentials', 401);
    assert.equal((await service.get('/orders', { token: two.token })).status, 200);
    assert.equal((await refresh(service, two.sessionId, two.refreshToken)).status, 201);
  });

  test('a refresh token that is invented is rejected and ends nothing', async () => {
    const service = running();
    const { sessionId, token } = await service.person();
    assertProblem(await refresh(service, sessionId, 'A'.repeat(43)), 'invalid-credentials', 401);
    assertIssues(await refresh(service, sessionId, 'short'), 400, ['#/refreshToken min-length']);
    assertIssues(await service.post(`/api/sessions/${sessionId}/tokens`, { body: {} }), 400, [
      '#/refreshToken required',
    ]);
    assert.equal((await service.get('/orders', { token })).status, 200);
  });

  test('a refresh token that is invented costs no write', needsInside, async () => {
    const service = running();
    const { sessionId, refreshToken } = await service.person();
    const { stats } = service.inside?.database ?? {};
    const before = stats?.commits;
    for (const id of [sessionId, 999_999]) {
      const response = await refresh(service, id, refreshToken.replace(/.$/, 'A').replace(/^./, 'B'));
      assertProblem(response, 'invalid-credentials', 401);
    }
    assert.equal(stats?.commits, before);
  });

  test('a refresh token works after a restart', async (t) => {
    // its port, and so its default URL, may change
    const service = await serviceFor(t, { settings: { 'public-url': 'https://orders.example.com' } });
    const { sessionId, refreshToken, token } = await service.person();
    await service.restart();
    assert.equal((await service.get('/orders', { token })).status, 200);
    assert.equal((await refresh(service, sessionId, refreshToken)).status, 201);
  });
});
