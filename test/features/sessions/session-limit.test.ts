// How many sessions a user may have: a further one ends the oldest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { executable, serviceFor } from '../../support/service.ts';
import { sessionsPerUserMax } from '../../../src/features/events/event-store.ts';

const needsInside = executable === undefined ? {} : { skip: 'needs the database' };

test('one session more than a user may have ends the oldest immediately', needsInside, async (t) => {
  const service = await serviceFor(t);
  const oldest = await service.person();
  const others =
    'INSERT INTO sessions (userId, refreshSeed, createdAt, lastUsedAt, expiresAt) ' +
    'WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT ?) ' +
    'SELECT userId, randomblob(32), createdAt, lastUsedAt, expiresAt FROM sessions, n WHERE id = ?';
  await service.inside?.database.write((db) => void db.run(others, sessionsPerUserMax - 2, oldest.sessionId));
  const last = await service.signIn(oldest.email, oldest.password);
  assert.equal((await service.get('/api/sessions', { token: oldest.token })).status, 200);
  const { token } = await service.signIn(oldest.email, oldest.password);
  assertProblem(await service.get('/api/sessions', { token: oldest.token }), 'invalid-token', 401);
  for (const kept of [last.token, token])
    assert.equal(
      (await service.get('/api/sessions?total=true', { token: kept })).body.total,
      sessionsPerUserMax,
    );
});
