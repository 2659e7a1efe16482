// Exports that are rejected, and exports that end before their list does: none of them looks complete.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Exports } from '../../../src/http/lists/export.ts';
import { LineLogger } from '../../../src/base/logger.ts';
import { unavailable } from '../../../src/problem.ts';
import { systemTimers } from '../../../src/base/timers.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { askRaw } from '../../support/raw-connection.ts';
import { insideOnly, serviceFor, type Person, type TestResponse } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { csv, exportRoute, manyLargeOrders, ndjson, openUnread } from '../../support/export-support.ts';
import { newKey, newOrder, rootToken } from '../../support/resource-support.ts';

describe('exports', () => {
  const service = sharedService({}, async (started) => manyLargeOrders(started, await rootToken(started)));

  describe('an export is rejected', () => {
    for (const query of ['limit=5', 'total=true', 'cursor=x'])
      test(`an export is rejected with ${query}, since it has no pages`, async () => {
        const token = await rootToken(service());
        const response = await service().get(`/orders?${query}`, { token, headers: csv });
        assertProblem(response, 'validation-failed', 422);
        assert.equal(response.body.errors[0].parameter, query.split('=')[0]);
      });

    test('an export is rejected for an API key without the scope, and without a credential', async () => {
      const { key } = await newKey(service(), await rootToken(service()), { scopes: ['customers:read'] });
      assertProblem(await service().get('/orders', { key, headers: csv }), 'insufficient-scope', 403);
      assertProblem(await service().get('/orders', { headers: csv }), 'unauthenticated', 401);
    });

    test('an export with customers is rejected for an API key that may not read them', async () => {
      const token = await rootToken(service());
      await newOrder(service(), token);
      const { key } = await newKey(service(), token, { scopes: ['orders:read'] });
      for (const headers of [csv, ndjson]) {
        const target = '/orders?include=customer';
        assertProblem(await service().get(target, { key, headers }), 'insufficient-scope');
        await assertStatus(service().call('HEAD', target, { key, headers }), 403);
      }
    });

    test('an export is rejected over HTTP/1.0, where a truncated file would look complete', async () => {
      const token = await rootToken(service());
      const head = `GET /orders HTTP/1.0\r\nAuthorization: Bearer ${token}\r\nAccept: text/csv\r\n\r\n`;
      const { status, body } = await askRaw(service().port, head);
      assert.equal(status, 505);
      assert.equal(body.code, 'bad-request');
      const lineOf505 = (): string | undefined =>
        service().logged.find((line) => line.includes('"status":505'));
      await until(() => lineOf505() !== undefined);
      assert.equal(JSON.parse(lineOf505() ?? '').level, 'info');
    });

    test('an export is rejected for lists without files', async () => {
      const token = await rootToken(service());
      assertProblem(await service().get('/api/users', { token, headers: csv }), 'not-acceptable');
    });
  });

  describe('an export that ends early', () => {
    for (const [what, isWhole, change] of [
      [
        'ends early, without its last chunk, when the session ends',
        false,
        ({ sessionId, token }) => service().delete(`/api/sessions/${sessionId}`, { token }),
      ],
      ['ends early when its reader loses staff rights', false, ({ id }) => giveRole(id, 'user')],
      [
        'goes on when its reader gets more rights that list the same rows',
        true,
        ({ id }) => giveRole(id, 'admin'),
      ],
    ] satisfies readonly (readonly [string, boolean, (reader: Person) => Promise<TestResponse>])[])
      test(`an export ${what}`, async () => {
        const staff = await service().person('staff');
        const reader = await openUnread(service(), staff.token);
        assert.ok((await change(staff)).status < 300);
        reader.message.resume();
        assert.equal(await reader.ended, isWhole);
        assert.match(service().logged.at(-1) ?? '', isWhole ? /"end":"complete"/ : /"end":"unauthorized"/);
      });

    async function giveRole(id: number, role: string): Promise<TestResponse> {
      const token = await rootToken(service());
      return service().patch(`/api/users/${id}`, { token, body: { role } });
    }

    test('an export ends early when its access token expires, but not with a key', insideOnly, async (t) => {
      const service = await serviceFor(t);
      const staff = await service.person('staff');
      await manyLargeOrders(service, staff.token);
      const { key } = await newKey(service, staff.token);
      service.clock.advance(895_000);
      const withToken = await openUnread(service, staff.token);
      service.clock.advance(5_000);
      withToken.message.resume();
      assert.equal(await withToken.ended, false);
      assert.match(service.logged.at(-1) ?? '', /"end":"expired"/);
      const withKey = await openUnread(service, key);
      service.clock.advance(5_000);
      withKey.message.resume();
      assert.equal(await withKey.ended, true);
    });

    test('an export ends early with its API key, and leaves no timer', insideOnly, async (t) => {
      const service = await serviceFor(t);
      const staff = await service.person('staff');
      await manyLargeOrders(service, staff.token);
      const expiresAt = new Date(service.clock.now + 3_600_000).toISOString();
      const body = { name: 'an hour', scopes: ['orders:read'], expiresAt };
      const { key } = (await service.post('/api/keys', { token: staff.token, body })).body;
      service.clock.advance(3_595_000);
      const reader = await openUnread(service, key);
      service.clock.advance(5_000);
      reader.message.resume();
      assert.equal(await reader.ended, false);
      assert.match(service.logged.at(-1) ?? '', /"end":"expired"/);
      assert.equal(service.clock.hasTimer(10_000), false);
      const { token } = await service.signIn(staff.email, staff.password);
      const again = await openUnread(service, token);
      again.message.resume();
      assert.equal(await again.ended, true);
    });

    test('an export that ends early for too many waiting queries leaves its reason in the log', async (t) => {
      const logged: string[] = [];
      const sink = { write: (text: string) => logged.push(text), writableLength: 0 };
      const now = () => 0;
      const log = new LineLogger({ level: 'info', sink, isTerminal: false, hasColor: false, now });
      const failing = exportRoute(new Exports({ log, timers: systemTimers }), missingRows);
      const service = await serviceFor(t, { extraRoutes: [failing] });
      const token = await rootToken(service);
      await assert.rejects(service.get('/test/rows', { token, headers: csv, isUndescribed: true }));
      log.flush();
      assert.match(logged.join(''), /"cause":"unavailable: Too many long queries are waiting\."/);
    });

    test('an export that ends early makes room for the next one', async () => {
      const token = await rootToken(service());
      for (let round = 0; round < 3; round += 1) {
        const reader = await openUnread(service(), token);
        reader.close();
        await reader.ended;
      }
      await assertStatus(service().get('/orders', { token, headers: csv }), 200);
    });
  });
});

/** The first rows can't be found. */
async function* missingRows() {
  yield [];
  throw unavailable('Too many long queries are waiting.');
}
