// Requests of clients that don't wait for their response are logged and counted, too; and between requests a
// connection keeps nothing of the last one, since thousands may be open.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { suite, test } from 'node:test';
import { anyone } from '../../../src/auth/access.ts';
import { empty, type Empty } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { until, loggedLine } from '../../support/storage-support.ts';
import { request } from '../../support/connection-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { assertStatus } from '../../support/http-support.ts';

suite('a client that has gone before its response', insideOnly, () => {
  const countsOf = ({ inside }: TestService, labels: string): string | undefined =>
    new RegExp(`^orderly_http_requests_total\\{${labels}\\} (\\d+)$`, 'm').exec(
      inside?.metricsText() ?? '',
    )?.[1];

  test('a client that goes while its request is handled leaves the request’s line, and who ended it', async (t) => {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<Empty>()];
    const waiting = route({
      method: 'POST',
      path: '/api/waits',
      tag: 'Service',
      summary: 'Waits for the test',
      access: anyone,
      reply: { kind: 'none' },
      handle: () => (begun.resolve(), ended.promise),
    });
    const service = await serviceFor(t, { extraRoutes: [waiting] });
    const { socket, write } = await openRaw(service.port);
    write(request('POST /api/waits', ['X-Request-Id: gone-1']));
    await begun.promise;
    socket.resetAndDestroy();
    await until(() => service.inside?.connections.open === 0);
    ended.resolve(empty);
    const { status, path, end } = await loggedLine(service, 'gone-1');
    assert.deepEqual([status, path, end], [204, '/api/waits', 'client']);
    assert.equal(countsOf(service, 'method="POST",route="/api/waits",status="204"'), '1');
  });

  test('a client that goes in the middle of its body also leaves a line', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    const { socket, write } = await openRaw(service.port);
    const fields = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue'];
    write(request('POST /customers', [`Authorization: Bearer ${token}`, 'X-Request-Id: gone-2', ...fields]));
    await new Promise((resolve) => socket.once('data', resolve)); // 100 Continue
    socket.resetAndDestroy();
    const { status, path, end } = await loggedLine(service, 'gone-2');
    assert.deepEqual([status, path, end], [400, '/customers', 'client']);
  });

  test('requests of a client that has gone before its connection is accepted are not handled', async (t) => {
    const service = await serviceFor(t);
    // the service stands still while the clients connect, send and reset
    const program = `
      const { connect } = require('node:net');
      for (let index = 0; index < 20; index += 1) {
        const socket = connect(${service.port}, '127.0.0.1', () => {
          socket.write(${JSON.stringify(request('GET /nowhere'))}, () => socket.resetAndDestroy());
        });
      }`;
    assert.equal(spawnSync(process.execPath, ['-e', program]).status, 0);
    await service.get('/health/live');
    await until(() => service.inside?.connections.open === 1);
    const lines = service.logged.filter((text) => text.includes('/nowhere'));
    assert.deepEqual(lines, []);
  });
});

const body = '{"name":"Ada"}';
const post = (path: string, type: string, ...fields: string[]): string =>
  request(`POST ${path}`, ['Content-Length: 14', `Content-Type: ${type}`, ...fields]);
const [json, ndjson] = ['application/json', 'application/x-ndjson'];
setFlagsFromString('--expose-gc'); // for contexts that are made from now on
const collectGarbage: () => void = runInNewContext('gc');

for (const [name, head, whole, status] of [
  ['a body', (token: string) => post('/customers', json, `Authorization: Bearer ${token}`), true, 201],
  ['a body that arrives after the response', () => post('/customers', json), false, 401],
  ['a body that no route reads', () => post('/imports', ndjson), true, 401],
  ['one that arrives after the response', () => post('/imports', ndjson), false, 401],
] as const)
  test(`an idle connection doesn’t keep its last request, with ${name}`, insideOnly, async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    const { handler } = service.inside ?? assert.fail('it is skipped otherwise');
    const received: WeakRef<object>[] = [];
    const { onRequest } = handler;
    handler.onRequest = (arrived) => {
      received.push(new WeakRef(arrived.request), new WeakRef(arrived.response));
      onRequest.call(handler, arrived);
    };
    using connection = await openRaw(service.port);
    connection.write(head(token) + (whole ? body : ''));
    await assertStatus(connection.response(), status);
    if (!whole) connection.write(body);
    // after these the body has arrived
    for (let call = 0; call < 20; call += 1) await assertStatus(service.get('/health/live'), 200);
    const isKept = (): boolean => received.slice(0, 2).some((each) => each.deref() !== undefined);
    for (let tries = 0; tries < 10 && isKept(); tries += 1) {
      await nextTurn(); // until then `deref` keeps what it returned
      collectGarbage();
    }
    assert(received.length > 0);
    assert.equal(isKept(), false);
  });
