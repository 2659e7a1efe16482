// The end of a service under load: no response is truncated, no answered change lost, the WAL checkpointed.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, suite, test, type TestContext } from 'node:test';
import { bytesOf } from '../../src/storage/private-files.ts';
import { live, request } from '../support/connection-support.ts';
import { newFolder } from '../support/command-support.ts';
import { newCustomer } from '../support/resource-support.ts';
import { admin } from '../support/service.ts';
import type { Ended } from '../support/running-program.ts';
import { startChild, type ChildService } from '../support/child-service.ts';
import { createLoadClient, type LoadClient } from '../support/load-client.ts';
import { until } from '../support/storage-support.ts';
import { notesIn, settings, signedInFolder } from './signed-in-folder.ts';

suite('the end of a service', () => {
  const folder = newFolder({ after });
  let token = '';
  let customerId: unknown;

  before(async () => {
    ({ token } = await signedInFolder(join(folder, 'first'), async (service, root) => {
      customerId = (await newCustomer(service, root.token)).id;
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
    await until(() => outcomes.length >= 500);
    const { code } = await service.kill('SIGTERM');
    await Promise.all(clients);
    agent.destroy();
    assert.equal(code, 0);
    for (const { status, isWhole, isReused } of outcomes)
      assert.ok(isWhole ? status === 201 || status === 503 : status === undefined && !isReused);
    assert.ok(
      outcomes.some(({ saysClose }) => saysClose),
      'the last responses say that they are the last',
    );
    assert.equal(bytesOf(join(folder, 'load/orderly.db-wal')), 0, 'the WAL is checkpointed');
    const placed = outcomes.filter(({ status }) => status === 201).map(({ body }) => JSON.parse(body).note);
    assert.deepEqual(new Set(await notesIn(join(folder, 'load'))), new Set(placed));
  });

  test('the end of a service truncates no response that is read slowly', async (t) => {
    const { service, client } = await started(t, 'slow');
    const many = Array.from({ length: 200 }, (_, number) => order(`${number}`, 100));
    await Promise.all(many.map((body) => client.ask({ method: 'POST', path: '/orders', token, body })));
    // a page has at most 1 MiB, and the sockets' buffers hold some pages
    const page = request('GET /orders?limit=200', [`Authorization: Bearer ${token}`]);
    const socket = connect(service.port, '127.0.0.1');
    socket.write(page.repeat(8));
    await once(socket, 'readable'); // which reads the beginning alone
    const { ended } = await stopping(service);
    const heads = headsOfCompleteResponses(await text(socket));
    assert.match(heads.at(-1) ?? '', /\r\nConnection: close\r\n/);
    assert.equal((await ended).code, 0);
  });

  test('a service that ends answers running and arriving requests', async (t) => {
    const { service } = await started(t, 'arriving');
    const isJson = 'Content-Type: application/json';
    const body = JSON.stringify(order('half sent'));
    const placing = [`Authorization: Bearer ${token}`, isJson, `Content-Length: ${body.length}`];
    const half = await begun(service, request('POST /orders', placing, body.slice(0, 20)));
    const account = JSON.stringify(admin);
    const fields = [isJson, `Content-Length: ${account.length}`];
    const signingIn = await begun(service, request('POST /api/sessions', fields, account));
    const { ended } = await stopping(service);
    half.write(body.slice(20));
    for (const socket of [half, signingIn])
      assert.match(await text(socket), /^HTTP\/1\.1 201 Created\r\n(?:.*\r\n)*Connection: close\r\n/);
    assert.equal((await ended).code, 0);
  });

  test('idle connections don’t delay the end of a service', async (t) => {
    const { service } = await started(t, 'idle');
    const opened = ['', 'GET /health/live HTTP/1.1\r\nHo'].flatMap((bytes) =>
      Array.from({ length: 5 }, () => opening(service, bytes)),
    );
    await Promise.all(opened.map((socket) => once(socket, 'connect')));
    const answered = await Promise.all(Array.from({ length: 10 }, () => begun(service, '')));
    const start = performance.now();
    assert.equal((await service.kill('SIGTERM')).code, 0);
    assert(performance.now() - start < 3_000);
    for (const socket of [...opened, ...answered]) socket.destroy();
  });

  test('SIGTERM twice in a row counts once; a later one stops immediately, losing no response', async (t) => {
    const { service, client } = await started(t, 'twice');
    const placed = await client.ask({ method: 'POST', path: '/orders', token, body: order('answered') });
    assert.equal(placed.status, 201);
    const fields = ['Content-Type: application/json', 'Content-Length: 100'];
    const arriving = await begun(service, request('POST /api/sessions', fields, '{'));
    const { ended } = await stopping(service);
    const start = performance.now();
    while (service.child.exitCode === null) {
      void service.kill('SIGTERM');
      await once(service.child, 'exit', { signal: AbortSignal.timeout(50) }).catch(() => {});
    }
    assert.ok(performance.now() - start > 1_500, 'it waits for the request that is still arriving');
    assert.deepEqual(await ended, { code: 1, signal: null });
    arriving.destroy();
    assert.deepEqual(await notesIn(join(folder, 'twice')), ['answered']);
  });
});

/** Resolves once the service says that it ends. */
async function stopping(service: ChildService): Promise<{ readonly ended: Promise<Ended> }> {
  const ended = service.kill('SIGTERM');
  await service.writes(/SIGTERM: finishing open requests/);
  return { ended };
}

function opening({ port }: ChildService, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {}); // the service may close it unread
  socket.write(bytes);
  return socket;
}

/** A connection on which these bytes have arrived, since the request before them was answered. */
async function begun(service: ChildService, bytes: string): Promise<Socket> {
  const socket = opening(service, live + bytes);
  await once(socket, 'data');
  return socket.pause();
}

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
  const asked = httpRequest(sent).on('error', () => {}); // it is the outcome
  asked.end(JSON.stringify(order));
  const [response]: IncomingMessage[] = await once(asked, 'response').catch(() => []);
  const body = response === undefined ? '' : await text(response).catch(() => '');
  return {
    status: response?.statusCode,
    body,
    isWhole: response?.complete === true,
    saysClose: response?.headers.connection === 'close',
    isReused: asked.reusedSocket,
  };
}
