// Log lines and counters for wrong credentials, and for rights that are lost midway.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { insideOnly, serviceFor, type Call } from '../../support/service.ts';
import { manyLargeOrders, openUnread } from '../../support/export-support.ts';
import {
  countedSecurityEvents,
  denials,
  reasons,
  securityLines,
} from '../../support/security-line-support.ts';
import { newKey } from '../../support/resource-support.ts';

test('a wrong credential has its own line, with the owner if it names one', async (t) => {
  const service = await serviceFor(t);
  const { id, token } = await service.person();
  const { key }: { readonly key: string } = await newKey(service, token);
  const [others, unsigned] = [key.slice(0, -43) + 'a'.repeat(43), token.slice(0, -43)];
  const wrong: readonly (readonly [call: Call, reason: string, userId: number | null])[] = [
    [{ key: 'secret' }, 'invalid-key', null],
    [{ key: `ord_4711_${'a'.repeat(43)}` }, 'invalid-key', null],
    [{ key: others }, 'invalid-key', id],
    [{ token: 'secret' }, 'invalid-token', null],
    [{ token: unsigned + 'A'.repeat(43) }, 'invalid-token', null],
    [{ token: unsigned }, 'invalid-token', null],
  ];
  for (const [index, [call, reason, userId]] of wrong.entries()) {
    const { status, headers } = await service.get('/orders', call);
    assert.equal(status, 401);
    const lines = securityLines(service, 'authn_login_fail');
    assert.equal(lines.length, index + 1);
    const about = { requestId: headers['x-request-id'], address: '127.0.0.1', principal: null };
    assert.partialDeepStrictEqual(lines.at(-1), { level: 'warn', ...about, userId, reason });
    assert.equal(await countedSecurityEvents(service, 'authn_login_fail'), index + 1);
  }
});

test('a wrong refresh token has its own line: of another session, of none, or in a wrong cookie', async (t) => {
  const service = await serviceFor(t);
  const { id, sessionId, refreshToken } = await service.person();
  await service.renew({ sessionId, refreshToken: 'A'.repeat(refreshToken.length) });
  await service.renew({ sessionId: 4711, refreshToken });
  for (const value of ['nonsense', `${sessionId}.${'A'.repeat(52)}`]) {
    const cookie = `__Host-Http-orderly-${service.port}=${value}`;
    const body = { browserKey: 'A'.repeat(43) };
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    assert.equal((await service.as().post('/api/sessions/current/tokens', body, headers)).status, 401);
  }
  const owners = [id, null, null, id];
  assert.deepEqual(
    reasons(service),
    owners.map((owner) => [owner, 'invalid-refresh-token']),
  );
});

test('a key that expired has a line, a token has none, and a rate has its own', insideOnly, async (t) => {
  const settings = { 'rate-anonymous': '3/3600', 'public-url': 'https://orders.example' };
  const service = await serviceFor(t, { settings });
  const [root, ended] = [await service.root(), await service.root()];
  const { key } = await newKey(service, root.token, { expiresAt: '2026-03-01T10:00:00Z' });
  await root.delete(`/api/sessions/${ended.sessionId}`);
  await ended.get('/orders');
  service.clock.advance(3_600_000);
  await root.get('/orders');
  await service.restart();
  await root.get('/orders');
  assert.deepEqual(reasons(service), []);
  assert.equal((await service.get('/orders', { key })).status, 401);
  assert.deepEqual(reasons(service), [[root.id, 'key-expired']]);
  for (let count = 0; count < 5; count += 1) await service.get('/orders', { key: 'secret' });
  const limited = securityLines(service, 'excess_rate_limit_exceeded').length;
  assert.deepEqual([reasons(service).length + limited, limited > 2], [6, true]);
});

test('rights that are lost midway have one line in an export whose reader loses staff rights', async (t) => {
  const service = await serviceFor(t);
  const [root, staff] = [await service.root(), await service.person('staff')];
  await manyLargeOrders(service, root.token);
  const reader = await openUnread(service, staff.token);
  await root.patch(`/api/users/${staff.id}`, { role: 'user' });
  reader.message.resume();
  await reader.ended;
  await service.stop();
  const lines = denials(service).map(([, ...rest]) => rest);
  assert.deepEqual(lines, [[`user:${staff.id}`, 'forbidden']]);
});

test('a change that isn’t stored has no line', insideOnly, async (t) => {
  const service = await serviceFor(t);
  using sqlite = new DatabaseSync(join(service.folder, 'orderly.db'));
  sqlite.exec("CREATE TRIGGER full BEFORE INSERT ON storedResponses BEGIN SELECT raise(ABORT, 'full'); END");
  const body = { name: 'Ada', email: 'ada@example.com', password: 'a password for tests' };
  const { status } = await service.as().post('/api/users', body, { 'idempotency-key': 'once' });
  assert.equal(status, 500);
  assert.deepEqual(securityLines(service, 'user_created'), []);
});
