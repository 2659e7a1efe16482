// Exports that are rejected, and exports that end before their list does: none of them looks complete. Two run at
// once, one of each user, and none for a client that reads too slowly.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Exports, type ElementReader } from '../../../src/http/lists/export.ts';
import { LineLogger } from '../../../src/base/logger.ts';
import { unavailable } from '../../../src/problem.ts';
import { systemTimers } from '../../../src/base/timers.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { askRaw } from '../../support/raw-connection.ts';
import {
  insideOnly,
  serviceFor,
  type Person,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import {
  csv,
  exportRoute,
  manyLargeOrders,
  ndjson,
  openUnread,
  type UnreadExport,
} from '../../support/export-support.ts';
import { newKey, newOrder, rootToken } from '../../support/resource-support.ts';
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../../src/auth/access.ts';
import { FrozenClock } from '../../support/frozen-clock.ts';

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

const mebibyte = 1024 ** 2;
/** More than the system keeps for a client that reads nothing. */
const manyBytes = 40 * mebibyte;

describe('exports at once', insideOnly, () => {
  test('exports run two at once in all, and one of each user, staff or not', async (t) => {
    const { ask, open, service, untilStill, finish } = await exporting(t);
    const [staff, user, other] = [
      await service.person('staff'),
      await service.person(),
      await service.person(),
    ];
    const [first, second] = [await open(staff), await open(user)];
    for (const person of [staff, user, other]) {
      const response = await ask(person);
      assertProblem(response, 'unavailable', 503);
      assert.equal(response.headers['retry-after'], '10');
    }
    await untilStill(); // so that the second one waits for its client, too
    finish();
    first.message.resume();
    assert.equal(await first.ended, true);
    assertProblem(await ask(user), 'unavailable', 503);
    await assertStatus(ask(staff), 200);
    second.message.resume();
    assert.equal(await second.ended, true);
    await assertStatus(ask(user), 200);
  });

  test('exports of users leave a slot to staff, however many users there are', async (t) => {
    const { ask, open, service, finish } = await exporting(t);
    const [user, other] = [await service.person(), await service.person()];
    const first = await open(user);
    assertProblem(await ask(other), 'unavailable', 503);
    const second = await open(await service.person('staff'));
    finish();
    for (const { message, ended } of [first, second]) {
      message.resume();
      assert.equal(await ended, true);
    }
    await assertStatus(ask(other), 200);
  });

  test('exports end if their clients stop reading for 10 seconds, however much they read before', async (t) => {
    const { open, service, clock, untilStill, readFor10Seconds, running } = await exporting(t);
    const person = await service.person();
    const unread = await open(person);
    for (let time = 0; time < 2; time += 1) await readFor10Seconds(unread);
    // the system may accept more of it for a while
    for (let times = 0; running() > 0 && times < 100; times += 1) {
      await untilStill();
      clock.advance(10_000);
    }
    unread.message.resume();
    assert.equal(await unread.ended, false);
    assert(service.logged.some((line) => line.includes('"end":"slow"')));
    const again = await open(person);
    again.close();
    assert.equal(await again.ended, false);
  });

  test('exports continue for as long as their clients read 640 KiB in 10 seconds', async (t) => {
    const { open, service, readFor10Seconds, finish } = await exporting(t);
    const unread = await open(await service.person());
    for (let read = 0; read < 6; read += 1) await readFor10Seconds(unread);
    finish();
    unread.message.resume();
    assert.equal(await unread.ended, true);
  });

  test('exports that are read slowly end after a minute, if another one was refused meanwhile', async (t) => {
    const { ask, open, service, readFor10Seconds } = await exporting(t);
    const unread = await open(await service.person());
    assertProblem(await ask(await service.person()), 'unavailable', 503);
    for (let read = 0; read < 6; read += 1) await readFor10Seconds(unread);
    unread.message.resume();
    assert.equal(await unread.ended, false);
    assert(service.logged.some((line) => line.includes('"end":"slow"')));
  });

  test('exports leave no timer behind, however long they took', async (t) => {
    const { open, service, clock, readFor10Seconds, finish } = await exporting(t);
    const unread = await open(await service.person());
    await readFor10Seconds(unread);
    finish();
    unread.message.resume();
    assert.equal(await unread.ended, true);
    assert.equal(clock.hasTimer(10_000), false);
  });

  test('exports continue while they wait for their rows, whatever their clients read', async (t) => {
    const found = Promise.withResolvers<void>();
    const { open, service, clock } = await exporting(t, {
      async *source() {
        yield [];
        await found.promise;
      },
    });
    const opened = open(await service.person());
    for (let times = 0; times < 3; times += 1) {
      await clock.timer(10_000);
      clock.advance(10_000);
    }
    found.resolve();
    const { message, ended } = await opened;
    message.resume();
    assert.equal(await ended, true);
  });

  test('exports read no further while a part of them waits for the client', async (t) => {
    const { open, service, untilStill, finish } = await exporting(t);
    const { message, ended } = await open(await service.person());
    const taken = await untilStill();
    assert.ok(taken > 0 && taken < elementsMax, `${taken} elements were read`);
    finish();
    message.resume();
    assert.equal(await ended, true);
    assert.equal(await untilStill(), taken);
  });
});

const note = 'x'.repeat(60_000);
const elementsMax = Math.ceil(manyBytes / note.length);
const element = { note };

type Exporting = {
  readonly service: TestService;
  readonly clock: FrozenClock;
  readonly ask: (person: Person) => Promise<TestResponse>;
  readonly open: (person: Person) => Promise<UnreadExport>;
  /** Resolves once the service reads no more elements, with the number of those that it has read. */
  readonly untilStill: () => Promise<number>;
  /** Lets a client read until another 640 KiB have left the service, whatever the system keeps of them. Then 10 s pass. */
  readonly readFor10Seconds: (unread: UnreadExport) => Promise<void>;
  /** The number of exports. */
  readonly running: () => number;
  /** Ends the list after the elements that the service has read. */
  readonly finish: () => void;
};

/** A service with a list of 160 MiB, unless `finish` ends it, whose exports have a clock of their own. */
async function exporting(
  t: TestContext,
  { source }: { readonly source?: ElementReader<unknown, Caller> } = {},
): Promise<Exporting> {
  let taken = 0;
  let isFinished = false;
  async function* manyElements() {
    for (let index = 0; index < 4 * elementsMax && !isFinished; index += 1) {
      taken += 1;
      yield [element];
    }
  }
  const clock = new FrozenClock(0);
  const log = { write: () => {}, request: () => {}, flush: () => {} };
  const exports = new Exports({ log, timers: clock });
  const table = { columns: ['note'], rowsOf: () => [[note]] };
  const exported = exportRoute(exports, source ?? manyElements, table);
  const service = await serviceFor(t, { extraRoutes: [exported] });
  const path = '/test/rows';
  async function untilStill(): Promise<number> {
    for (let [same, before] = [0, -1]; same < 100; before = taken) {
      same = taken === before ? same + 1 : 0;
      await assertStatus(service.get('/health/live'), 200);
    }
    return taken;
  }
  return {
    service,
    clock,
    ask: ({ token }) => service.get(path, { token, headers: csv, isUndescribed: true }),
    open: ({ token }) => openUnread(service, token, path),
    untilStill,
    async readFor10Seconds({ message }) {
      const enough = taken + Math.ceil((640 * 1024) / note.length) + 1;
      while (taken < enough) {
        assert.ok(!message.destroyed, 'the export has ended');
        message.read(); // a little at a time, since the system takes much more at once
        await setImmediate();
      }
      await untilStill();
      clock.advance(10_000);
    },
    running: () => exports.counts.running,
    finish: () => void (isFinished = true),
  };
}
