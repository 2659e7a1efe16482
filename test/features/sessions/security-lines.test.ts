// Log lines and counters for wrong credentials, and for rights that are lost midway.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { insideOnly, serviceFor, type Call } from '../../support/service.ts';
import { manyLargeOrders, openUnread } from '../../support/export-support.ts';
import {
  countedSecurityEvents,
  denials,
  reasons,
  securityLines,
} from '../../support/security-line-support.ts';
import { newKey, rootToken } from '../../support/resource-support.ts';

type Owner = { readonly token: string; readonly key: string };

describe('a wrong credential has its own line', { concurrency: true }, () => {
  const wrong: readonly (readonly [
    name: string,
    call: (owner: Owner) => Call,
    reason: string,
    owns: boolean,
  ])[] = [
    ['an API key of no form', () => ({ key: 'secret' }), 'invalid-key', false],
    ['an API key that there is not', () => ({ key: `ord_4711_${'a'.repeat(43)}` }), 'invalid-key', false],
    [
      'an API key with another secret',
      ({ key }) => ({ key: key.slice(0, -43) + 'a'.repeat(43) }),
      'invalid-key',
      true,
    ],
    ['a token of no form', () => ({ token: 'secret' }), 'invalid-token', false],
    [
      'a token with another signature',
      ({ token }) => ({ token: token.slice(0, -43) + 'A'.repeat(43) }),
      'invalid-token',
      false,
    ],
    ['an unsigned token', ({ token }) => ({ token: token.slice(0, -43) }), 'invalid-token', false],
  ];
  for (const [name, call, reason, owns] of wrong)
    test(`a wrong credential has its own line: ${name}`, async (t) => {
      const service = await serviceFor(t);
      const { id, token } = await service.person();
      const { key } = await newKey(service, token);
      const { status, headers } = await service.get('/orders', call({ token, key }));
      assert.equal(status, 401);
      const [line, ...others] = securityLines(service, 'authn_login_fail');
      assert.deepEqual(others, []);
      assert.deepEqual(
        [line?.['level'], line?.['requestId'], line?.['address'], line?.['principal']],
        ['warn', headers['x-request-id'], '127.0.0.1', null],
      );
      assert.deepEqual([line?.['userId'], line?.['reason']], [owns ? id : null, reason]);
      assert.equal(await countedSecurityEvents(service, 'authn_login_fail'), 1);
    });

  test('an API key that has expired has its own line', insideOnly, async (t) => {
    const service = await serviceFor(t);
    const { id, token } = await service.person();
    const { key } = await newKey(service, token, { expiresAt: '2026-03-02T00:00:00Z' });
    service.clock.advance(86_400_000);
    assert.equal((await service.get('/orders', { key })).status, 401);
    assert.deepEqual(reasons(service), [[id, 'key-expired']]);
  });

  test('a refresh token of another session, of no session, or in a wrong cookie has its own line', async (t) => {
    const service = await serviceFor(t);
    const { id, sessionId, refreshToken } = await service.person();
    await service.renew({ sessionId, refreshToken: 'A'.repeat(refreshToken.length) });
    await service.renew({ sessionId: 4711, refreshToken });
    for (const value of ['nonsense', `${sessionId}.${'A'.repeat(52)}`]) {
      const headers = {
        cookie: `__Host-Http-orderly-${service.port}=${value}`,
        'sec-fetch-site': 'same-origin',
      };
      const body = { browserKey: 'A'.repeat(43) };
      const { status } = await service.post('/api/sessions/current/tokens', { headers, body });
      assert.equal(status, 401);
    }
    const reason = 'invalid-refresh-token';
    assert.deepEqual(reasons(service), [
      [id, reason],
      [null, reason],
      [null, reason],
      [id, reason],
    ]);
  });

  test(
    'a token that was once valid has no line, and a request beyond a rate has the rate’s',
    insideOnly,
    async (t) => {
      const service = await serviceFor(t, {
        settings: { 'rate-anonymous': '3/3600', 'public-url': 'https://orders.example' },
      });
      const { token } = await service.signIn(service.admin.email, service.admin.password);
      const ended = await service.signIn(service.admin.email, service.admin.password);
      await service.delete(`/api/sessions/${ended.sessionId}`, { token });
      await service.get('/orders', { token: ended.token });
      service.clock.advance(3_600_000);
      await service.get('/orders', { token });
      await service.restart();
      await service.get('/orders', { token });
      assert.deepEqual(reasons(service), []);
      for (let count = 0; count < 5; count += 1) await service.get('/orders', { key: 'secret' });
      assert.equal(securityLines(service, 'authn_login_fail').length, 2);
      assert.equal(securityLines(service, 'excess_rate_limit_exceeded').length, 3);
    },
  );
});

describe('rights that are lost midway have one line', { concurrency: true }, () => {
  test('rights that are lost midway have one line in an export whose reader loses staff rights', async (t) => {
    const service = await serviceFor(t);
    const root = await rootToken(service);
    const staff = await service.person('staff');
    await manyLargeOrders(service, root);
    const reader = await openUnread(service, staff.token);
    await service.patch(`/api/users/${staff.id}`, { token: root, body: { role: 'user' } });
    reader.message.resume();
    await reader.ended;
    await service.stop();
    assert.deepEqual(
      denials(service).map(([, ...rest]) => rest),
      [[`user:${staff.id}`, 'forbidden']],
    );
  });
});

test('a change that isn’t stored has no line', insideOnly, async (t) => {
  const service = await serviceFor(t);
  using sqlite = new DatabaseSync(join(service.folder, 'orderly.db'));
  sqlite.exec("CREATE TRIGGER full BEFORE INSERT ON storedResponses BEGIN SELECT raise(ABORT, 'full'); END");
  const { status } = await service.post('/api/users', {
    body: { name: 'Ada', email: 'ada@example.com', password: 'a password for tests' },
    headers: { 'idempotency-key': 'once' },
  });
  assert.equal(status, 500);
  assert.deepEqual(securityLines(service, 'user_created'), []);
});
