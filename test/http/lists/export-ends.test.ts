// Exports that are rejected, and exports that end before their list does: none of them looks complete. Two run at
// once, one of each user, and none for a client that reads too slowly.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Caller } from '../../../src/auth/access.ts';
import { LineLogger } from '../../../src/base/logger.ts';
import { systemTimers } from '../../../src/base/timers.ts';
import { Exports, type ElementReader } from '../../../src/http/lists/export.ts';
import type { ResponseStream } from '../../../src/http/responses/response-stream.ts';
import { unavailable } from '../../../src/problem.ts';
import {
  csv,
  exportRoute,
  manyLargeOrders,
  ndjson,
  openUnread,
  type UnreadExport,
} from '../../support/export-support.ts';
import { FrozenClock } from '../../support/frozen-clock.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { askRaw } from '../../support/raw-connection.ts';
import { newKey, rootToken } from '../../support/resource-support.ts';
import { insideOnly, serviceFor, type Person, type TestResponse } from '../../support/service.ts';
import { loggedLine } from '../../support/storage-support.ts';

describe('an export', () => {
  const service = sharedService({}, async (started) => manyLargeOrders(started, await rootToken(started)));

  test('an export with customers is rejected for an API key that may not read them', async () => {
    const { key } = await newKey(service(), await rootToken(service()), { scopes: ['orders:read'] });
    for (const headers of [csv, ndjson])
      for (const method of ['GET', 'HEAD'])
        await assertStatus(service().call(method, '/orders?include=customer', { key, headers }), 403);
  });

  test('an export is rejected over HTTP/1.0, where a truncated file would look complete', async () => {
    const token = await rootToken(service());
    const head = `GET /orders HTTP/1.0\r\nAuthorization: Bearer ${token}\r\nAccept: text/csv\r\n\r\n`;
    assertProblem(await askRaw(service().port, head), 'bad-request', 505);
    assert.equal((await loggedLine(service(), '"status":505'))['level'], 'info');
  });

  test('an export is rejected for lists without files', async () => {
    const token = await rootToken(service());
    assertProblem(await service().get('/api/users', { token, headers: csv }), 'not-acceptable');
  });

  const giveRole =
    (role: string) =>
    async ({ id }: Person): Promise<TestResponse> =>
      service().patch(`/api/users/${id}`, { token: await rootToken(service()), body: { role } });
  const signOut = ({ sessionId, token }: Person): Promise<TestResponse> =>
    service().delete(`/api/sessions/${sessionId}`, { token });
  /** What happens to staff while the export waits; without a change, an administrator’s token becomes 15 minutes old. */
  const endings: readonly (readonly [
    what: string,
    end: 'complete' | 'unauthorized' | 'expired',
    change?: ((reader: Person) => Promise<TestResponse>) | undefined,
    keyMilliseconds?: number,
  ])[] = [
    ['ends early, without its last chunk, when the session ends', 'unauthorized', signOut],
    ['ends early when its reader loses staff rights', 'unauthorized', giveRole('user')],
    ['goes on when its reader gets more rights that list the same rows', 'complete', giveRole('admin')],
    ['ends early when its access token expires', 'expired'],
    ['ends early when its API key expires', 'expired', undefined, 900_000],
    ['goes on with an API key that is good for longer', 'complete', undefined, 1_000_000],
  ];
  for (const [what, end, change, keyMilliseconds] of endings)
    test(`an export ${what}`, change === undefined ? insideOnly : {}, async () => {
      const { clock } = service();
      const { email, password } = service().admin;
      const reader = await (change === undefined
        ? service().signIn(email, password)
        : service().person('staff'));
      let credential = reader.token;
      if (keyMilliseconds !== undefined) {
        const expiresAt = new Date(clock.now + keyMilliseconds).toISOString();
        credential = (await newKey(service(), reader.token, { expiresAt })).key;
      }
      if (change === undefined) clock.advance(895_000);
      const unread = await openUnread(service(), credential);
      if (change === undefined) clock.advance(5_000);
      else assert.ok((await change(reader)).status < 300);
      assert.equal(await isReadWhole(unread), end === 'complete');
      assert.equal(JSON.parse(service().logged.at(-1) ?? '').end, end);
      assert.equal(clock.hasTimer(10_000), false);
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

test('an export that ends early for too many waiting queries leaves its reason in the log', async (t) => {
  const logged: string[] = [];
  const sink = { write: (text: string) => logged.push(text), writableLength: 0 };
  const log = new LineLogger({ level: 'info', sink, isTerminal: false, hasColor: false, now: () => 0 });
  async function* missingRows() {
    yield [];
    throw unavailable('Too many long queries are waiting.');
  }
  const failing = exportRoute(new Exports({ log, timers: systemTimers }), missingRows);
  const service = await serviceFor(t, { extraRoutes: [failing] });
  const token = await rootToken(service);
  await assert.rejects(service.get('/test/rows', { token, headers: csv, isUndescribed: true }));
  log.flush();
  assert.match(logged.join(''), /"cause":"unavailable: Too many long queries are waiting\."/);
});

describe('exports at once', insideOnly, () => {
  test('exports run two at once in all, and one of each user, staff or not', async (t) => {
    const { ask, open, people, untilStill, finish } = await exporting(t);
    const [staff, user, other] = await people('staff', 'user', 'user');
    const [first, second] = [await open(staff), await open(user)];
    for (const person of [staff, user, other]) {
      const response = await ask(person);
      assertProblem(response, 'unavailable');
      assert.equal(response.headers['retry-after'], '10');
    }
    await untilStill(); // so that the second one waits for its client, too
    finish();
    assert.equal(await isReadWhole(first), true);
    assertProblem(await ask(user), 'unavailable');
    await assertStatus(ask(staff), 200);
    assert.equal(await isReadWhole(second), true);
    await assertStatus(ask(user), 200);
  });

  test('exports of users leave a slot to staff, however many users there are', async (t) => {
    const { ask, open, people, finish, sample } = await exporting(t);
    const [user, other, staff] = await people('user', 'user', 'staff');
    const first = await open(user);
    assertProblem(await ask(other), 'unavailable');
    const second = await open(staff);
    assert.equal(sample('orderly_exports_running'), 2);
    finish();
    for (const each of [first, second]) assert.equal(await isReadWhole(each), true);
    await assertStatus(ask(other), 200);
  });

  test('exports end if their clients stop reading for 10 seconds', async (t) => {
    const { open, people, clock, ends, untilStill } = await exporting(t);
    const [person] = await people('user');
    const unread = await open(person);
    // the system may accept more of it for a while
    for (let times = 0; ends('slow') === 0 && times < 100; times += 1) {
      await untilStill();
      clock.advance(10_000);
    }
    assert.equal(await isReadWhole(unread), false);
    assert.equal(ends('slow'), 1);
    const again = await open(person);
    again.close();
    assert.equal(await again.ended, false);
  });

  for (const [what, bytes, refusal, seconds] of [
    ['continue if 64 KiB leave in a second', 640 * 1024, 'never', 'longer'],
    ['end after 10 seconds if a byte less leaves', 640 * 1024 - 1, 'never', 10],
    ['continue for all that were refused before', 640 * 1024, 'before', 'longer'],
    ['continue if 1 MiB leaves in a second, while another waits', 10 * 1024 ** 2, 'meanwhile', 'longer'],
    ['end after a minute if a byte less leaves, while another waits', 10 * 1024 ** 2 - 1, 'meanwhile', 60],
  ] as const)
    test(`exports ${what}`, async (t) => {
      const { ask, open, people, clock, ends, untilStill, streams } = await exporting(t);
      const [person, other, staff] = await people('user', 'user', 'staff');
      const first = refusal === 'before' ? await open(staff) : undefined;
      if (first !== undefined) assertProblem(await ask(staff), 'unavailable');
      first?.close();
      await first?.ended;
      const unread = await open(person);
      if (refusal === 'meanwhile') assertProblem(await ask(other), 'unavailable');
      await untilStill(); // from then on a part of the export waits for its client
      let sentBytes = 0;
      Object.defineProperty(streams.at(-1), 'sentBytes', { get: () => sentBytes });
      async function pass(checks: number): Promise<number> {
        for (let check = 0; check < checks; check += 1) {
          sentBytes += bytes;
          clock.advance(10_000);
        }
        await untilStill();
        return ends('slow');
      }
      const checks = seconds === 'longer' ? 12 : seconds / 10;
      assert.equal(await pass(checks - 1), 0);
      assert.equal(await pass(1), seconds === 'longer' ? 0 : 1);
      unread.close();
    });

  test('exports continue while they wait for their rows, whatever their clients read', async (t) => {
    const found = Promise.withResolvers<void>();
    async function* source() {
      yield [];
      await found.promise;
    }
    const { open, people, clock } = await exporting(t, source);
    const [person] = await people('user');
    const opened = open(person);
    for (let times = 0; times < 3; times += 1) {
      await clock.timer(10_000);
      clock.advance(10_000);
    }
    found.resolve();
    assert.equal(await isReadWhole(await opened), true);
  });

  test('exports read no further while a part of them waits for the client', async (t) => {
    const { open, people, untilStill, streams, finish } = await exporting(t);
    const [person] = await people('user');
    const unread = await open(person);
    const taken = await untilStill();
    assert.ok(taken > 0 && taken < elementsMax, `${taken} elements were read`);
    const [stream] = streams;
    const bytes = Number(stream?.sentBytes) + Number(stream?.unsentBytes);
    assert.ok(Number(stream?.sentBytes) > 0);
    assert.ok(bytes > (taken - 1) * note.length && bytes < (taken + 1) * note.length, `${bytes} bytes`);
    finish();
    assert.equal(await isReadWhole(unread), true);
    assert.equal(await untilStill(), taken);
  });
});

function isReadWhole({ message, ended }: UnreadExport): Promise<boolean> {
  message.resume();
  return ended;
}

const note = 'x'.repeat(60_000);
/** 40 MiB: more than the system keeps for a client that reads nothing. */
const elementsMax = Math.ceil((40 * 1024 ** 2) / note.length);

/** A service with a list of 160 MiB, unless `finish` ends it, whose exports have a clock of their own. */
async function exporting(t: TestContext, source?: ElementReader<unknown, Caller>) {
  let taken = 0;
  let isFinished = false;
  async function* manyElements() {
    for (let index = 0; index < 4 * elementsMax && !isFinished; index += 1) {
      taken += 1;
      yield [{ note }];
    }
  }
  const clock = new FrozenClock(0);
  const log = { write: () => {}, request: () => {}, flush: () => {} };
  const exports = new Exports({ log, timers: clock });
  const table = { columns: ['note'], rowsOf: () => [[note]] };
  const exported = exportRoute(exports, source ?? manyElements, table);
  const streams: ResponseStream[] = [];
  const { createResult } = exports;
  t.mock.method(exports, 'createResult', (...args: Parameters<typeof createResult>) => {
    const result = createResult.apply(exports, args);
    const start = (stream: ResponseStream): void => {
      streams.push(stream);
      result.start(stream);
    };
    return { ...result, start };
  });
  const service = await serviceFor(t, { extraRoutes: [exported] });
  const path = '/test/rows';
  /** Resolves once the service reads no more elements, with the number of those that it has read. */
  async function untilStill(): Promise<number> {
    for (let [same, before] = [0, -1]; same < 100; before = taken) {
      same = taken === before ? same + 1 : 0;
      await assertStatus(service.get('/health/live'), 200);
    }
    return taken;
  }
  function sample(name: string, labels = ''): number {
    const samples = exports.families().find((family) => family.name === name)?.samples ?? [];
    return samples.find(([each]) => each === labels)?.[1] ?? 0;
  }
  async function people<R extends readonly ('user' | 'staff')[]>(...roles: R) {
    const made: Person[] = [];
    for (const role of roles) made.push(await service.person(role));
    return made as { -readonly [index in keyof R]: Person }; // one for each role
  }
  return {
    clock,
    people,
    ask: ({ token }: Person) => service.get(path, { token, headers: csv, isUndescribed: true }),
    open: ({ token }: Person) => openUnread(service, token, path),
    untilStill,
    streams,
    sample,
    ends: (reason: string) => sample('orderly_exports_ended_total', `{reason="${reason}"}`),
    /** Ends the list after the elements that the service has read. */
    finish: () => void (isFinished = true),
  };
}
