// A session from sign-in to its end: who sees it, who ends it, and when it expires.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { idsIn, valuesIn } from '../../support/resource-support.ts';
import { insideOnly, password, serviceFor, type TestResponse, type Person } from '../../support/service.ts';

const minute = 60_000;
const day = 86_400_000;
const pathOf = ({ sessionId }: Person): string => `/api/sessions/${sessionId}`;

describe('a session', () => {
  const running = sharedService();

  test('a session can be read and listed by its user, newest first', async () => {
    const person = await running().person();
    const agent = `${'a'.repeat(150)}\t\u0085${'a'.repeat(150)}b`; // sent as UTF-8: Â, \u0085
    const body = { email: person.email, password };
    const response = await running().as().post('/api/sessions', body, { 'user-agent': agent });
    const { id, createdAt, expiresAt } = response.body;
    const read = await person.get(`/api/sessions/${id}`);
    const times = { createdAt, lastUsedAt: createdAt, expiresAt };
    const userAgent = `${'a'.repeat(150)}Â${'a'.repeat(149)}`; // 300 characters, none of control
    assert.deepEqual(read.body, { id, userId: person.id, ...times, userAgent });
    assert.equal(read.headers.etag, response.headers.etag);
    const list = await person.get('/api/sessions');
    assert.deepEqual(idsIn(list), [id, person.sessionId]);
    assert.equal(list.body.data[1].userAgent, null);
  });

  test('a session is in the list of its user, which only an administrator sees besides', async () => {
    const owner = await running().person();
    const path = `/api/sessions?userId=${owner.id}`;
    for (const role of ['user', 'staff'] as const) {
      const { id, get, sessionId } = await running().person(role);
      assertProblem(await get(path), 'forbidden');
      for (const own of ['/api/sessions', `/api/sessions?userId=${id}`])
        assert.deepEqual(idsIn(await get(own)), [sessionId]);
    }
    assert.deepEqual(idsIn(await (await running().root()).get(path)), [owner.sessionId]);
  });

  test('a session that is ended is rejected from the next request, with its refresh token; others aren’t', async () => {
    const one = await running().person();
    const two = await running().signIn(one.email, password);
    assert.equal((await one.get('/orders')).status, 200);
    assert.equal((await one.delete(pathOf(one))).status, 204);
    assertProblem(await one.get('/orders'), 'invalid-token');
    assertProblem(await running().renew(one), 'invalid-credentials');
    for (const send of [two.get, two.delete]) assertProblem(await send(pathOf(one)), 'not-found');
    assert.deepEqual(idsIn(await two.get('/api/sessions')), [two.sessionId]);
  });
});

describe('in time', insideOnly, () => {
  test('a session begun while the clock was ahead gives nothing once it is set back', async (t) => {
    const service = await serviceFor(t);
    const { email } = await service.person();
    service.clock.advance(day);
    const ahead = await service.signIn(email, password);
    assert.equal((await ahead.get('/orders')).status, 200);
    service.clock.advance(-day);
    assertProblem(await ahead.get('/orders'), 'invalid-token');
    assertProblem(await service.renew(ahead), 'invalid-credentials');
    service.clock.advance(day - 31_000);
    assertProblem(await ahead.get('/orders'), 'invalid-token');
    service.clock.advance(1_000); // 30 seconds may be skew
    assert.equal((await ahead.get('/orders')).status, 200);
  });

  test('a session ends 14 days after its last use', async (t) => {
    const service = await serviceFor(t);
    const [idle, used] = [await service.person(), await service.person()];
    service.clock.advance(1);
    const later = await service.person(); // expires next, and isn’t removed with those that have expired
    assert.equal((await used.get('/orders')).status, 200); // from here on its caller is cached
    service.clock.advance(14 * day - 2);
    const renewed = await service.renew(used);
    assert.equal(renewed.status, 201);
    service.clock.advance(1);
    assertProblem(await service.renew(idle), 'invalid-credentials');
    const { get, sessionId } = await service.signIn(idle.email, password);
    assertProblem(await get(pathOf(idle)), 'not-found');
    const list = await get('/api/sessions?total=true');
    assert.deepEqual([list.body.total, idsIn(list)], [1, [sessionId]]);
    const { body } = await service.get(pathOf(used), { token: renewed.body.accessToken });
    assert.equal(Date.parse(body.lastUsedAt) - Date.parse(body.createdAt), 14 * day - 1);
    await service.stop();
    using db = new DatabaseSync(join(service.folder, 'orderly.db'));
    const kept = db.prepare('SELECT id FROM sessions ORDER BY id').all();
    assert.deepEqual(
      kept.map(({ id }) => id),
      [used.sessionId, later.sessionId, sessionId],
    );
  });

  test('a session that is renewed after the clock stepped back isn’t used before its creation', async (t) => {
    const service = await serviceFor(t);
    const person = await service.person();
    service.clock.advance(-20_000);
    const renewed = await service.renew(person);
    const { body } = await service.get(pathOf(person), { token: renewed.body.accessToken });
    assert.equal(body.lastUsedAt, body.createdAt);
    assert.equal(Date.parse(body.expiresAt), Date.parse(body.createdAt) + 14 * day);
  });

  test('a session ends 30 days after sign-in, however much it is used, and its tokens with it', async (t) => {
    const service = await serviceFor(t);
    const person = await service.person();
    let tokens: TestResponse['body'] = person;
    const renew = () => service.renew({ ...person, refreshToken: tokens.refreshToken });
    for (const milliseconds of [10 * day, 10 * day, 10 * day - 5 * minute]) {
      service.clock.advance(milliseconds);
      tokens = (await renew()).body;
    }
    assert.equal(Date.parse(tokens.expiresAt) - Date.parse(tokens.createdAt), 30 * day);
    const { get } = service.as({ token: tokens.accessToken });
    assert.equal((await get('/orders')).status, 200);
    service.clock.advance(5 * minute);
    assertProblem(await get('/orders'), 'invalid-token');
    assertProblem(await renew(), 'invalid-credentials');
  });

  test('a session gives access tokens for 15 minutes, to the second', async (t) => {
    const service = await serviceFor(t);
    const { get } = await service.person();
    service.clock.advance(15 * minute - 1_000);
    assert.equal((await get('/orders')).status, 200);
    service.clock.advance(1_000);
    assertProblem(await get('/orders'), 'invalid-token');
  });

  test('a session beyond 1,000 of one user ends that user’s oldest immediately', async (t) => {
    const service = await serviceFor(t);
    const [oldest, other] = [await service.person(), await service.person()];
    await service.inside?.database.write((db) => {
      const copies = 'WITH RECURSIVE n (i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n LIMIT 998)';
      const columns = 'userId, refreshSeed, createdAt, lastUsedAt, expiresAt';
      const sql = `INSERT INTO sessions (${columns}) SELECT ${columns} FROM sessions, n WHERE id = ?`;
      db.run(`${copies} ${sql}`, oldest.sessionId);
    });
    for (const status of [200, 401]) {
      await service.signIn(oldest.email, password);
      assert.equal((await oldest.get('/api/sessions?limit=1')).status, status);
      assert.equal((await other.get('/api/sessions?limit=1')).status, 200);
    }
  });
});

test('a session beyond the thousandth ends the oldest one, with an event', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const person = await service.person();
  await service.inside?.database.write((db) => {
    db.run(
      'INSERT INTO sessions (userId, refreshSeed, createdAt, lastUsedAt, expiresAt) ' +
        'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) ' +
        'SELECT userId, refreshSeed, createdAt, lastUsedAt, expiresAt FROM sessions, n WHERE id = ?',
      person.sessionId,
    );
  });
  const newer = await service.signIn(person.email, password);
  assertProblem(await person.get(pathOf(person)), 'invalid-token');
  const events = await newer.get(`/api/users/${person.id}/events?limit=2`);
  assert.deepEqual(valuesIn(events, 'type', 'subject'), [
    ['session.created', pathOf(newer)],
    ['session.ended', pathOf(person)],
  ]);
});
