// Imports that end before their lines: reported results are on disk, and no response looks complete.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { importLineBytesMax } from '../../../src/features/imports/import-lines.ts';
import { importBytesMax } from '../../../src/features/imports/import-routes.ts';
import {
  unsentCharsMax,
  importsMax,
  importUnsentBytesMax,
} from '../../../src/features/imports/line-imports.ts';
import { bodyBytesMax } from '../../../src/http/connections/request-fields.ts';
import { startChild } from '../../support/child-service.ts';
import { newFolder } from '../../support/command-support.ts';
import { assertProblem, sampleOf } from '../../support/http-support.ts';
import {
  customerLine,
  importLines,
  linesOf,
  openChunked,
  openImport,
  orderLine,
  resultsOf,
  sendImport,
  summaryOf,
  untilCustomers,
  type ImportResult,
  type OpenImport,
} from '../../support/import-support.ts';
import { askRaw } from '../../support/raw-connection.ts';
import { newKey, rootService } from '../../support/resource-support.ts';
import { countedSecurityEvents, denials } from '../../support/security-line-support.ts';
import type { Person, TestService } from '../../support/service.ts';
import { settings, signedInFolder } from '../../torture/signed-in-folder.ts';
import { until } from '../../support/storage-support.ts';

/** An import that the service has begun: it has taken one line. */
async function begunImport(service: TestService, token: string, more = ''): Promise<OpenImport> {
  const sent = openImport(service, token);
  sent.write(linesOf([customerLine('a')]) + more);
  await untilCustomers(service, token, 1);
  return sent;
}

/** The import ends with these results, and its response is cut. */
async function assertCut(sent: OpenImport, ...summaries: string[]): Promise<void> {
  const { results, isWhole } = await sent.rest();
  assert.deepEqual([results.map(summaryOf), isWhole], [summaries, false]);
}

describe('an import ends early, and without its last chunk', () => {
  type Way = (actor: Person, root: Person, service: TestService) => unknown;
  const ways: Readonly<Record<string, readonly [status: number, end: Way]>> = {
    'sign-out': [401, (actor) => actor.delete(`/api/sessions/${actor.sessionId}`)],
    demotion: [403, ({ id }, root) => root.patch(`/api/users/${id}`, { role: 'staff' })],
    suspension: [401, ({ id }, root) => root.put(`/api/users/${id}/suspension`, {})],
    'the time of its token': [401, (_actor, _root, { clock }) => clock.advance(10_000)],
  };
  for (const [way, [status, end]] of Object.entries(ways))
    test(`an import ends early after ${way}, with the next line`, async (t) => {
      const { service, root } = await rootService(t);
      const actor = await service.person('admin');
      if (way === 'the time of its token') service.clock.advance(890_000);
      const sent = await begunImport(service, actor.token);
      await end(actor, root, service);
      sent.write(linesOf([customerLine('b'), customerLine('c')]));
      const { results, isWhole } = await sent.rest();
      const statuses = results.map((each) => `${each.line} ${each.status}`);
      assert.deepEqual([statuses, isWhole], [['1 201', `2 ${status}`], false]);
      const { get } = await service.root();
      assert.equal((await get('/customers?total=true')).body.total, 1);
      await service.stop(); // it logs a response when its connection has closed
      const forbidden = denials(service).map(([, ...rest]) => rest);
      assert.deepEqual(forbidden, way === 'demotion' ? [[`user:${actor.id}`, 'forbidden']] : []);
    });

  test('an import ends early if its chunks are malformed, after the lines before them', async (t) => {
    const { service, token } = await rootService(t);
    const { chunk, write, closed } = await openChunked(service, token);
    chunk(linesOf([customerLine('a')]));
    await untilCustomers(service, token, 1);
    write('zz\r\n');
    const text = await closed;
    assert.match(text, /"line":1,"status":201,.*"line":2,"status":400,/s);
    assert.doesNotMatch(text, /\r\n0\r\n\r\n$/);
  });

  test('an import ends early if no whole line arrives for half a minute', async (t) => {
    const { service, token } = await rootService(t);
    const sent = await begunImport(service, token, '{"key"');
    await service.clock.timer(30_000);
    service.clock.advance(20_000);
    sent.write(':"b",'); // a part of a line extends no limit
    for (let request = 0; request < 10; request += 1) await service.get('/health/live');
    service.clock.advance(10_000);
    await assertCut(sent, '1 201', '2 408 # request-timeout');
    await service.stop();
    assert.ok(service.logged.some((line) => line.includes('"end":"slow"')));
  });

  test('an import ends early past 32 MiB that were not announced', async (t) => {
    const { service, token } = await rootService(t);
    const sent = await begunImport(service, token);
    for (let mebibytes = 0; mebibytes < 33; mebibytes += 1)
      sent.write(Buffer.alloc(1024 * 1024, `${' '.repeat(1023)}\n`));
    sent.end();
    const { results, isWhole } = await sent.rest();
    assert.deepEqual([results.map(({ status }) => status), isWhole], [[201, 413], false]);
  });

  for (const [what, before, after] of [
    ['between two lines', '', ''],
    ['within a line', '{"key":"b",', ''],
    ['before a line that was sent meanwhile', '', linesOf([customerLine('b')])],
  ] as const)
    test(`an import ends early when the service stops, ${what}: its last line names the first line to send again`, async (t) => {
      const { service, token } = await rootService(t);
      const sent = await begunImport(service, token, before);
      const stopped = service.stop();
      sent.write(after);
      await assertCut(sent, '1 201', '2 503 # unavailable');
      await stopped;
      assert.ok(service.logged.some((line) => line.includes('"end":"stopping"')));
    });
});

test('an import that fails unexpectedly names the lines that are on disk, and last the one that failed', async (t) => {
  const { service, token } = await rootService(t);
  using database = new DatabaseSync(join(service.folder, 'orderly.db'));
  const fails =
    "BEFORE INSERT ON customers WHEN NEW.name = 'Broken' BEGIN SELECT raise(ABORT, 'broken'); END";
  database.exec(`CREATE TRIGGER broken ${fails}`);
  const lines = [customerLine('a'), customerLine('b', { name: 'Broken' }), customerLine('c')];
  const sent = openImport(service, token);
  sent.write(linesOf(lines));
  await assertCut(sent, '1 201', '3 201', '2 500 # internal-error');
  database.exec('DROP TRIGGER broken');
  assert.deepEqual((await importLines(service, token, lines)).map(summaryOf), ['1 200', '2 201', '3 200']);
});

describe('an import whose client disconnects', () => {
  test('an import whose client disconnects keeps the complete lines; sent again, it is completed', async (t) => {
    const { service, root, token } = await rootService(t);
    const values = Array.from({ length: 400 }, (_, index) => customerLine(String(index)));
    const sent = openImport(service, token);
    sent.write(linesOf(values.slice(0, 300)));
    await untilCustomers(service, token, 1);
    sent.destroy();
    const results = await importLines(service, token, values);
    assert.ok(results.every(({ status }, index) => status === 201 || (status === 200 && index < 300)));
    assert.equal((await root.get('/customers?total=true')).body.total, 400);
  });

  test('an import whose client disconnects makes room for the next one', async (t) => {
    const { service, token } = await rootService(t);
    const [first, second] = [openImport(service, token), openImport(service, token)];
    await until(async () => (await sampleOf(service, 'orderly_imports_running')) === 2);
    assertProblem(await sendImport(service, '', { token }), 'unavailable');
    first.destroy();
    second.end();
    assert.deepEqual(await second.rest(), { results: [], isWhole: true });
    assert.deepEqual(await importLines(service, token, []), []);
  });
});

test('over HTTP/1.0 an import is rejected, since a truncated response would look complete', async (t) => {
  const { service, token } = await rootService(t);
  const fields = `Authorization: Bearer ${token}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 0`;
  const { status, body } = await askRaw(service.port, `POST /imports HTTP/1.0\r\n${fields}\r\n\r\n`);
  assert.deepEqual([status, body.code], [505, 'bad-request']);
});

/** Its result takes 12 KB, so a thousand of them are more than the service keeps until all lines were sent. */
const wrongLine = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 0]));

test('while a client reads nothing, no more of its lines are read', async (t) => {
  const { service, token } = await rootService(t);
  const values = Array.from({ length: 4_000 }, () => wrongLine);
  const sent = openImport(service, token);
  sent.write(linesOf(values));
  sent.end();
  const counted = 'orderly_import_lines_total{status="422"}';
  const taken = await untilItStays(async () => (await sampleOf(service, counted)) || 0);
  assert.ok(taken > 100 && taken < values.length, `${taken} lines were taken`);
  const { results, isWhole } = await sent.rest();
  assert.deepEqual([results.length, isWhole], [values.length, true]);
});

/** A number that has been the same a hundred times. */
async function untilItStays(read: () => Promise<number>): Promise<number> {
  let last = await read();
  for (let same = 0; same < 100; same += 1) {
    const next = await read();
    if (next === 0 || next !== last) same = 0;
    last = next;
  }
  return last;
}

test('after kill -9 reported objects exist, and the file sent again completes them', async (t) => {
  const folder = newFolder(t);
  const objects = Array.from({ length: 2_500 }, (_, index) =>
    index % 2 === 0 ? customerLine(`${index}`) : orderLine(`${index}`, `${index - 1}`),
  );
  const values = [...Array.from({ length: 1_000 }, () => wrongLine), ...objects];
  const { token } = await signedInFolder(folder);
  const first = await startChild({ folder, settings });
  const sent = openImport(first, token);
  sent.write(linesOf(values));
  const answered: ImportResult[] = [];
  while (answered.length <= 1_000) answered.push(...((await sent.next()) ?? []));
  await first.kill('SIGKILL');
  // not `rest`: the last line may be cut
  for (let more = await sent.next(); more !== undefined; more = await sent.next()) answered.push(...more);
  const second = await startChild({ folder, settings });
  t.after(() => second.kill('SIGTERM'));
  const again = openImport(second, token);
  again.write(linesOf(values));
  again.end();
  const { results, isWhole } = await again.rest();
  assert.ok(isWhole && answered.length < values.length, String(answered.length));
  const expected = (line: number): number[] => {
    if (line <= 1_000) return [422];
    return line <= answered.length ? [200] : [200, 201];
  };
  assert.ok(results.every(({ line, status }) => expected(line).includes(status)));
  assert.deepEqual(
    results.slice(1_000, answered.length).map(({ id }) => id),
    answered.slice(1_000).map(({ id }) => id),
  );
  assert.equal(results.length, values.length);
});

test('an import by a key that may not create customers rejects only these, with one line in the log', async (t) => {
  const { service, token } = await rootService(t);
  await importLines(service, token, [customerLine('c')]);
  const { key, id } = await newKey(service, token, { scopes: ['orders:write'] });
  const lines = linesOf([customerLine('a'), orderLine('1', 'c'), customerLine('b')]);
  const { headers, text } = await sendImport(service, lines, { key });
  const denied = '# insufficient-scope';
  assert.deepEqual(resultsOf(text).map(summaryOf), [`1 403 ${denied}`, '2 201', `3 403 ${denied}`]);
  assert.deepEqual(denials(service), [[headers['x-request-id'], `key:${id}`, 'insufficient-scope']]);
  assert.equal(await countedSecurityEvents(service, 'authz_fail'), 1);
});

test('the bounds of imports don’t contradict each other', () => {
  assert(importsMax * (unsentCharsMax + importUnsentBytesMax) <= 32 * 1024 * 1024);
  // a line may be what a POST may be
  assert(bodyBytesMax <= importLineBytesMax);
  assert(importLineBytesMax <= importBytesMax);
});
