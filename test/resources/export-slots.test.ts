// The slot for exports that users without staff rights share: none of them blocks the others for long.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { signedIn } from '../../src/auth/access.ts';
import { Exports } from '../../src/http/export.ts';
import { listOrExportOf } from '../../src/http/reply.ts';
import { route, type Route } from '../../src/http/route.ts';
import { object } from '../../src/schema/schema.ts';
import { assertProblem } from '../http/http-support.ts';
import { executable, serviceFor, type Person, type TestResponse, type TestService } from '../service.ts';
import { until } from '../storage/storage-support.ts';
import { csv, manyLargeOrders, openUnread } from './export-support.ts';

const second = 1_000;
const minute = 60 * second;

type Readers = { readonly service: TestService; readonly first: Person; readonly other: Person };

/** Two users without staff rights, of whom the first has orders of 36 MB. */
async function readers(t: TestContext): Promise<Readers> {
  const service = await serviceFor(t);
  const [first, other] = [await service.person(), await service.person()];
  await manyLargeOrders(service, first.token, 90);
  return { service, first, other };
}

const ask = ({ service }: Readers, { token }: Person): Promise<TestResponse> =>
  service.get('/orders', { token, headers: csv });

function assertRejected(response: TestResponse): void {
  assertProblem(response, 'unavailable', 503);
  assert.equal(response.headers['retry-after'], '10');
}

describe('an export', { skip: executable !== undefined && 'needs the clock' }, () => {
  test('that its client does not read ends for another user’s after Retry-After', async (t) => {
    const all = await readers(t);
    const { service, first, other } = all;
    const unread = await openUnread(service, first.token);
    let response = await ask(all, other);
    assertRejected(response);
    for (let retry = 0; response.status !== 200 && retry < 20; retry += 1) {
      service.clock.advance(10 * second);
      response = await ask(all, other);
    }
    assert.equal(response.status, 200);
    assert.match(response.text, /^id,/);
    unread.message.resume();
    assert.equal(await unread.ended, false);
    assert.ok(service.logged.some((line) => line.includes('"end":"preempted"')));
  });

  test('that its client reads at 256 KiB a second continues', async (t) => {
    const all = await readers(t);
    const { service, first, other } = all;
    const { message, ended } = await openUnread(service, first.token);
    await readSome(message, 12 * 1024 ** 2);
    service.clock.advance(30 * second);
    assertRejected(await ask(all, other));
    message.resume();
    assert.equal(await ended, true);
    assert.equal((await ask(all, other)).status, 200);
  });

  test('of staff continues, whatever its client reads', async (t) => {
    const all = await readers(t);
    const { service, other } = all;
    const [one, two] = [await service.person('staff'), await service.person('staff')];
    const [ofOne, ofTwo] = [await openUnread(service, one.token), await openUnread(service, two.token)];
    service.clock.advance(10 * minute);
    for (const person of [other, one]) assertRejected(await ask(all, person));
    for (const { message } of [ofOne, ofTwo]) message.resume();
    assert.deepEqual([await ofOne.ended, await ofTwo.ended], [true, true]);
  });

  test('that takes five minutes, although its client reads, ends for another user’s', async (t) => {
    const rows = { now: 0, isEnd: false, found: Promise.withResolvers<void>() };
    const service = await serviceFor(t, { extraRoutes: [waitingExport(rows)] });
    const [first, other] = [await service.person(), await service.person()];
    const waiting = await openUnread(service, first.token, '/test/rows');
    const { token } = other;
    rows.now = 5 * minute - 1;
    assertRejected(await service.get('/test/rows', { token, headers: csv, isUndescribed: true }));
    rows.now += 1;
    const next = await openUnread(service, token, '/test/rows');
    assert.equal(await waiting.ended, false);
    rows.isEnd = true;
    rows.found.resolve();
    next.message.resume();
    assert.equal(await next.ended, true);
  });

  test('comes first for 20 seconds once it was rejected, before that of the previous user', async (t) => {
    const all = await readers(t);
    const { service, first, other } = all;
    const unread = await openUnread(service, first.token);
    assertRejected(await ask(all, other));
    unread.close();
    await until(() => service.logged.some((line) => line.includes('"end":"client"')));
    service.clock.advance(20 * second - 1);
    assertRejected(await ask(all, first));
    assert.equal((await ask(all, other)).status, 200);
    assert.equal((await ask(all, first)).status, 200);
  });

  test('comes first no longer than 20 seconds', async (t) => {
    const all = await readers(t);
    const { service, first, other } = all;
    const unread = await openUnread(service, first.token);
    for (let time = 0; time < 2; time += 1) assertRejected(await ask(all, other));
    unread.close();
    await until(() => service.logged.some((line) => line.includes('"end":"client"')));
    service.clock.advance(20 * second);
    assert.equal((await ask(all, first)).status, 200);
  });
});

describe('users without staff rights', { skip: executable !== undefined && 'needs the clock' }, () => {
  test('take turns: who was rejected first comes first, who had the slot last', async (t) => {
    const { people, tryFor, open, rows } = await waitingUsers(t, 3);
    const [one, two, three] = people as [Person, Person, Person]; // as many as asked for
    let running = await open(one);
    for (const person of [two, three]) assertRejected(await tryFor(person));
    for (const [next, ...others] of [
      [two, three, one],
      [three, one, two],
      [one, two, three],
    ] as const) {
      for (const person of [...others.toReversed(), next]) assertRejected(await tryFor(person));
      await running.end();
      rows.now += 10 * second;
      for (const person of others.toReversed()) assertRejected(await tryFor(person));
      running = await open(next);
    }
    await running.end();
  });

  test('keep their places no longer than 20 seconds', async (t) => {
    const { people, tryFor, open, rows } = await waitingUsers(t, 3);
    const [one, two, three] = people as [Person, Person, Person]; // as many as asked for
    const running = await open(one);
    assertRejected(await tryFor(two));
    rows.now += 10 * second;
    assertRejected(await tryFor(three));
    await running.end();
    rows.now += 10 * second;
    await (await open(three)).end();
  });

  test('who are too many have no place, and get a slot when nobody waits', async (t) => {
    const { people, tryFor, open, rows } = await waitingUsers(t, waitingMax + 2);
    const [one, two, three, four] = people as [Person, Person, Person, Person]; // as many as asked for
    const running = await open(one);
    for (const person of [two, three, four]) assertRejected(await tryFor(person));
    rows.now += 10 * second;
    assertRejected(await tryFor(four));
    await running.end();
    rows.now += 10 * second;
    await (await open(two)).end(); // before the fourth, who had to wait
    await (await open(four)).end();
  });
});

const waitingMax = 2;

type WaitingUsers = {
  readonly people: readonly Person[];
  readonly rows: WaitingRows;
  readonly tryFor: (person: Person) => Promise<TestResponse>;
  readonly open: (person: Person) => Promise<{ readonly end: () => Promise<void> }>;
};

/** Users whose exports run until the test ends them. */
async function waitingUsers(t: TestContext, count: number): Promise<WaitingUsers> {
  const rows = { now: 0, isEnd: false, found: Promise.withResolvers<void>() };
  const service = await serviceFor(t, { extraRoutes: [waitingExport(rows)] });
  const people: Person[] = [];
  while (people.length < count) people.push(await service.person());
  return {
    people,
    rows,
    tryFor: ({ token }) => service.get('/test/rows', { token, headers: csv, isUndescribed: true }),
    async open({ token }) {
      const { message, ended } = await openUnread(service, token, '/test/rows');
      return {
        async end() {
          rows.isEnd = true;
          rows.found.resolve();
          message.resume();
          assert.equal(await ended, true);
          rows.isEnd = false;
          rows.found = Promise.withResolvers();
        },
      };
    },
  };
}

type WaitingRows = { now: number; isEnd: boolean; found: PromiseWithResolvers<void> };

/** A slow list without rows. */
function waitingExport(rows: WaitingRows): Route {
  const log = { write: () => {}, request: () => {}, flush: () => {} };
  const exports = new Exports({ log, now: () => rows.now, waitingMax });
  const readNext = () =>
    rows.isEnd ? ({ kind: 'end' } as const) : ({ kind: 'wait', found: rows.found.promise } as const);
  return route({
    method: 'GET',
    path: '/test/rows',
    tag: 'Service',
    summary: 'An export that waits for its rows',
    access: signedIn,
    reply: listOrExportOf(object({})),
    handle: (context) =>
      exports.createResult(context, { name: 'rows', table: { columns: [], rowsOf: () => [] } }, { readNext }),
  });
}

async function readSome(message: IncomingMessage, bytesMin: number): Promise<void> {
  const enough = Promise.withResolvers<void>();
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes < bytesMin) return;
    message.off('data', count).pause();
    enough.resolve();
  };
  message.on('data', count);
  await enough.promise;
}
