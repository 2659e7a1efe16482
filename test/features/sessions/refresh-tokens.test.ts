// Refresh tokens: one use each, the grace period of a replaced one, rotated secrets, and what is stored.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { insideOnly, password, serviceFor } from '../../support/service.ts';
import { assertIssues } from '../../support/resource-support.ts';
import { tokenMembers } from './session-support.ts';

describe('a refresh token', () => {
  const running = sharedService();

  test('a refresh token gives new tokens of the same session, once', async () => {
    const service = running();
    const person = await service.person();
    const { status, body, headers } = await service.renew(person);
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
    insideOnly,
    async () => {
      const service = running();
      const { sessionId, refreshToken } = await service.person();
      const first = (await service.renew({ sessionId, refreshToken })).body;
      service.clock.advance(13 * 86_400_000);
      const again = await service.renew({ sessionId, refreshToken });
      assert.deepEqual([again.status, again.body.refreshToken], [201, first.refreshToken]);
      assert.equal((await service.get('/orders', { token: again.body.accessToken })).status, 200);
      const { body } = await service.get(`/api/sessions/${sessionId}`, { token: again.body.accessToken });
      const used = [body.lastUsedAt, new Date(service.clock.now - 13 * 86_400_000).toISOString()];
      assert.equal(used[0], used[1], 'that was no use of the session');
      assert.equal((await service.renew({ sessionId, refreshToken: first.refreshToken })).status, 201);
    },
  );

  test('a refresh token used again after its successor was used ends the session immediately', async () => {
    const service = running();
    const person = await service.person();
    const { sessionId } = person;
    const first = (await service.renew(person)).body;
    const second = (await service.renew({ sessionId, refreshToken: first.refreshToken })).body;
    assert.equal((await service.get('/orders', { token: second.accessToken })).status, 200);
    assertProblem(await service.renew(person), 'invalid-credentials');
    for (const token of [person.token, first.accessToken, second.accessToken])
      assertProblem(await service.get('/orders', { token }), 'invalid-token');
    const last = await service.renew({ sessionId, refreshToken: second.refreshToken });
    assertProblem(last, 'invalid-credentials');
  });

  test('a refresh token used twenty times at once gets one new token, twenty times', async () => {
    const service = running();
    const { sessionId, refreshToken } = await service.person();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => service.renew({ sessionId, refreshToken })),
    );
    assert.deepEqual(
      responses.filter(({ status }) => status !== 201),
      [],
    );
    const [next = '', ...others] = new Set(responses.map(({ body }) => String(body.refreshToken)));
    assert.deepEqual(others, []);
    assert.equal((await service.renew({ sessionId, refreshToken: next })).status, 201);
  });

  const madeWith = (secrets: string): Readonly<Record<string, string>> => ({
    'public-url': 'https://orders.example.com',
    'jwt-secrets': secrets,
  });

  test(
    'tokens work while their secret is configured, and their replacements longer',
    insideOnly,
    async (t) => {
      const [old, renewed] = ['an old secret of at least 32 bytes', 'a new secret of at least 32 bytes'];
      const before = await serviceFor(t, { settings: madeWith(old) });
      const { sessionId, refreshToken, token } = await before.person();
      await before.stop();
      const { folder } = before;
      const during = await serviceFor(t, { folder, settings: madeWith(`${renewed},${old}`) });
      assert.equal((await during.get('/orders', { token })).status, 200);
      const { body } = await during.renew({ sessionId, refreshToken });
      await during.stop();
      const after = await serviceFor(t, { folder, settings: madeWith(renewed) });
      assertProblem(await after.get('/orders', { token }), 'invalid-token');
      assertProblem(await after.renew({ sessionId, refreshToken }), 'invalid-credentials');
      assert.equal((await after.get('/orders', { token: body.accessToken })).status, 200);
      assert.equal((await after.renew({ sessionId, refreshToken: body.refreshToken })).status, 201);
    },
  );

  test(
    'a refresh token of a session that a restore removed is invalid for the next session with its id',
    insideOnly,
    async (t) => {
      const service = await serviceFor(t);
      const { sessionId, refreshToken, email } = await service.person();
      await service.inside?.database.write((db) => {
        db.run('DELETE FROM sessions WHERE id = ?', sessionId);
        db.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'sessions'", sessionId - 1);
      });
      assert.equal((await service.signIn(email, password)).sessionId, sessionId);
      assertProblem(await service.renew({ sessionId, refreshToken }), 'invalid-credentials');
    },
  );

  for (const [whose, isAnother] of [
    ['its user', false],
    ['another user', true],
  ] as const)
    test(
      `an access token of a removed session is invalid for the next session with its id, of ${whose}`,
      insideOnly,
      async (t) => {
        const service = await serviceFor(t);
        const [{ sessionId, token, email }, other] = [await service.person(), await service.person()];
        assert.equal((await service.get('/orders', { token })).status, 200);
        await service.inside?.database.write((db) => {
          db.run('DELETE FROM sessions');
          db.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'sessions'", sessionId - 1);
          db.invalidate({ kind: 'everything' });
        });
        if (!isAnother) service.clock.advance(1_000); // a restore takes at least that long
        const next = await service.signIn(isAnother ? other.email : email, password);
        assert.equal(next.sessionId, sessionId);
        assertProblem(await service.get('/orders', { token }), 'invalid-token');
        assert.equal((await service.get('/orders', { token: next.token })).status, 200);
      },
    );

  test(
    'a refresh token issued after the state that a standby took over still works',
    insideOnly,
    async (t) => {
      const service = await serviceFor(t);
      const { sessionId, refreshToken } = await service.person();
      const { body } = await service.renew({ sessionId, refreshToken });
      await service.inside?.database.write((db) => {
        db.run('UPDATE sessions SET refreshGeneration = 0 WHERE id = ?', sessionId);
      });
      assert.equal((await service.renew({ sessionId, refreshToken: body.refreshToken })).status, 201);
      service.clock.advance(10_001);
      assertProblem(await service.renew({ sessionId, refreshToken }), 'invalid-credentials');
    },
  );

  test('a refresh token is stored nowhere, whether used or current', insideOnly, async (t) => {
    const service = await serviceFor(t);
    const { sessionId, refreshToken } = await service.person();
    const { body } = await service.renew({ sessionId, refreshToken });
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
    await service.renew(one);
    service.clock.advance(10_001);
    for (const id of [two.sessionId, 4711])
      assertProblem(
        await service.renew({ sessionId: id, refreshToken: one.refreshToken }),
        'invalid-credentials',
      );
    assert.equal((await service.get('/orders', { token: two.token })).status, 200);
    assert.equal((await service.renew(two)).status, 201);
  });

  test('a refresh token that is invented is rejected and ends nothing', async () => {
    const service = running();
    const { sessionId, token } = await service.person();
    assertProblem(await service.renew({ sessionId, refreshToken: 'A'.repeat(43) }), 'invalid-credentials');
    assertIssues(await service.renew({ sessionId, refreshToken: 'short' }), 400, [
      '#/refreshToken min-length',
    ]);
    assertIssues(await service.post(`/api/sessions/${sessionId}/tokens`, { body: {} }), 400, [
      '#/refreshToken required',
    ]);
    assert.equal((await service.get('/orders', { token })).status, 200);
  });

  test('a refresh token that is invented costs no write', insideOnly, async () => {
    const service = running();
    const { sessionId, refreshToken } = await service.person();
    const { stats } = service.inside?.database ?? {};
    const before = stats?.commits;
    const invented = refreshToken.replace(/.$/, 'A').replace(/^./, 'B');
    for (const id of [sessionId, 999_999])
      assertProblem(await service.renew({ sessionId: id, refreshToken: invented }), 'invalid-credentials');
    assert.equal(stats?.commits, before);
  });

  test('a refresh token works after a restart', async (t) => {
    // its port, and so its default URL, may change
    const service = await serviceFor(t, { settings: { 'public-url': 'https://orders.example.com' } });
    const { sessionId, refreshToken, token } = await service.person();
    await service.restart();
    assert.equal((await service.get('/orders', { token })).status, 200);
    assert.equal((await service.renew({ sessionId, refreshToken })).status, 201);
  });
});
