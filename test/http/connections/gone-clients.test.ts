// Clients that don't wait for their response: their requests are logged and counted, too.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { suite, test } from 'node:test';
import { anyone } from '../../../src/auth/access.ts';
import { empty, type Empty } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { request } from '../../support/connection-support.ts';
import { openRaw } from '../../support/raw-connection.ts';

suite('a client that has gone before its response', insideOnly, () => {
  const line = async (service: TestService, id: string): Promise<Readonly<Record<string, unknown>>> => {
    const find = (): string | undefined => service.logged.find((text) => text.includes(`"${id}"`));
    await until(() => find() !== undefined);
    return JSON.parse(find() ?? '');
  };
  const countsOf = ({ inside }: TestService, labels: string): string | undefined =>
    new RegExp(`^orderly_http_requests_total\\{${labels}\\} (\\d+)$`, 'm').exec(
      inside?.app.metricsText() ?? '',
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
    const { status, path, end } = await line(service, 'gone-1');
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
    const { status, path, end } = await line(service, 'gone-2');
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
