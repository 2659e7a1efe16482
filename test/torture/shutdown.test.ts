// The end of a service under load: no response is truncated, no answered change lost, the WAL checkpointed.
import assert from 'node:assert/strict';
import { cpSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, suite, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { newFolder } from '../support/command-support.ts';
import { admin } from '../support/service.ts';
import { startChild, type ChildService } from '../support/child-service.ts';
import { createLoadClient, type LoadClient } from '../support/load-client.ts';
import { notesIn, settings, signedInFolder } from './signed-in-folder.ts';

suite('the end of a service', () => {
  const folder = newFolder({ after });
  let token = '';
  let customerId: unknown;

  before(async () => {
    ({ token } = await signedInFolder(join(folder, 'first'), async (service, root) => {
      const { body } = await service.post('/customers', {
        token: root.token,
        body: { name: 'Grace Hopper' },
      });
      customerId = body.id;
    }));
  });

  async function started(
    t: TestContext,
    data: string,
  ): Promise<{ readonly service: ChildService; readonly client: LoadClient }> {
    cpSync(join(folder, 'first'), join(folder, data), { recursive: true });
    const service = await startChild({ folder: join(folder, data), settings });
    const client = createLoadClient(service.port);
    t.after(() => {
      client.close();
      return service.kill('SIGKILL');
    });
    return { service, client };
  }

  const order = (note: string, lines = 1): object => ({
    customerId,
    currency: 'EUR',
    items: Array.from({ length: lines }, () => ({
      name: 'Green tea, '.repeat(18),
      quantity: 2,
      unitPrice: 749,
    })),
    note,
  });

  test('a service that ends under load gives each request a whole response or none, and loses nothing', async (t) => {
    const { service } = await started(t, 'load');
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    const outcomes: Outcome[] = [];
    const clients = Array.from({ length: 64 }, async (_, client) => {
      for (let number = 0, isUp = true; isUp; number += 1) {
        const outcome = await place(service.port, agent, token, order(`${client} ${number}`));
        outcomes.push(outcome);
        isUp = outcome.status === 201;
      }
    });
    while (outcomes.length < 500) await pause(5);
    const { code } = await service.kill('SIGTERM');
    await Promise.all(clients);
    agent.destroy();
    assert.equal(code, 0);
    assert.deepEqual(
      outcomes.filter(
        ({ status, isWhole, isReused }) =>
          !(isWhole ? status === 201 || status === 503 : status === undefined && !isReused),
      ),
      [],
    );
    assert(
      outcomes.some(({ saysClose }) => saysClose),
      'the last responses say that they are the last',
    );
    assert.equal(
      statSync(join(folder, 'load/orderly.db-wal'), { throwIfNoEntry: false })?.size ?? 0,
      0,
      'the WAL is checkpointed',
    );
    assert.deepEqual(
      new Set(await notesIn(join(folder, 'load'))),
      new Set(outcomes.filter(({ status }) => status === 201).map(({ body }) => JSON.parse(body).note)),
    );
  });

  test('the end of a service truncates no response that is read slowly', async (t) => {
    const { service, client } = await started(t, 'slow');
    for (let number = 0; number < 200; number += 20) {
      await Promise.all(
        Array.from({ length: 20 }, (_, each) =>
          client.ask({ method: 'POST', path: '/orders', token, body: order(`${number + each}`, 100) }),
        ),
      );
    }
    const socket = connect(service.port, '127.0.0.1').pause();
    // A page has at most 1 MiB, and the sockets' buffers hold some pages.
    const fields = `Host: localhost\r\nAuthorization: Bearer ${token}`;
    const page = `GET /orders?limit=200 HTTP/1.1\r\n${fields}\r\n\r\n`;
    socket.write(page.repeat(8));
    await pause(300);
    const ended = service.kill('SIGTERM');
    await pause(700);
    const heads = headsOfCompleteResponses(await text(socket));
    assert.match(heads.at(-1) ?? '', /\r\nConnection: close\r\n/);
    assert.equal((await ended).code, 0);
  });

  test('a service that ends answers running and arriving requests', async (t) => {
    const { service, client } = await started(t, 'arriving');
    const signingIn = client.ask({ method: 'POST', path: '/api/sessions', body: admin });
    const body = JSON.stringify(order('half sent'));
    const socket = connect(service.port, '127.0.0.1');
    const fields =
      `Host: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}`;
    socket.write(`POST /orders HTTP/1.1\r\n${fields}\r\n\r\n${body.slice(0, 20)}`);
    await pause(100);
    const ended = service.kill('SIGTERM');
    await pause(600);
    socket.write(body.slice(20));
    assert.match(await text(socket), /^HTTP\/1\.1 201 Created\r\n(?:.*\r\n)*Connection: close\r\n/);
    assert.equal((await signingIn).status, 201);
    assert.equal((await ended).code, 0);
  });

  test('idle connections don’t delay the end of a service', async (t) => {
    const { service } = await started(t, 'idle');
    const ignored = (): void => {}; // of those that the service closes before it has read them
    const sockets = Array.from({ length: 20 }, () => connect(service.port, '127.0.0.1').on('error', ignored));
    for (const socket of sockets.slice(10))
      socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    for (const socket of sockets.slice(0, 5)) socket.write('GET /health/live HTTP/1.1\r\nHo');
    await pause(200);
    const start = performance.now();
    assert.equal((await service.kill('SIGTERM')).code, 0);
    assert(performance.now() - start < 3_000);
    for (const socket of sockets) socket.destroy();
  });

  test('SIGTERM twice in a row counts once; a later one stops immediately, losing no response', async (t) => {
    const { service, client } = await started(t, 'twice');
    assert.equal(
      (await client.ask({ method: 'POST', path: '/orders', token, body: order('answered') })).status,
      201,
    );
    const socket = connect(service.port, '127.0.0.1').on('error', () => {
      /* the service closes it */
    });
    socket.write(
      'POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        'Content-Length: 100\r\n\r\n{',
    );
    await pause(100);
    const ended = service.kill('SIGTERM');
    await pause(100);
    service.kill('SIGTERM').catch(() => {});
    await pause(2_300);
    assert.equal(service.child.exitCode, null, 'it waits for the request that is still arriving');
    const start = performance.now();
    service.kill('SIGTERM').catch(() => {});
    assert.deepEqual(await ended, { code: 1, signal: null });
    assert(performance.now() - start < 500);
    socket.destroy();
    assert.deepEqual(await notesIn(join(folder, 'twice')), ['answered']);
  });
});

function headsOfCompleteResponses(received: string): string[] {
  const heads: string[] = [];
  let rest = received;
  while (rest !== '') {
    const bodyAt = rest.indexOf('\r\n\r\n') + 4;
    const head = rest.slice(0, bodyAt);
    const length = Number(/Content-Length: (\d+)/.exec(head)?.[1]);
    assert(rest.length >= bodyAt + length, `response ${heads.length + 1} is cut short`);
    heads.push(head);
    rest = rest.slice(bodyAt + length);
  }
  return heads;
}

type Outcome = {
  readonly status: number | undefined;
  readonly body: string;
  readonly isWhole: boolean;
  readonly saysClose: boolean;
  /** Whether the connection had brought a response before. */
  readonly isReused: boolean;
};

/** One request, and its outcome. */
async function place(port: number, agent: Agent, token: string, order: object): Promise<Outcome> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = { host: '127.0.0.1', port, agent, method: 'POST', path: '/orders', headers };
  const request = httpRequest(sent).on('error', () => {}); // it is the outcome
  request.end(JSON.stringify(order));
  const [response]: IncomingMessage[] = await once(request, 'response').catch(() => []);
  const body = response === undefined ? '' : await text(response).catch(() => '');
  return {
    status: response?.statusCode,
    body,
    isWhole: response?.complete === true,
    saysClose: response?.headers.connection === 'close',
    isReused: request.reusedSocket,
  };
}
