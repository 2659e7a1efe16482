// Connections that carry bytes between requests, but no request: they end like idle ones.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { HttpServer, type Certificate } from '../../src/http/http-server.ts';
import { newCertificate } from '../new-certificate.ts';
import { endIdle } from '../../src/http/idle-connections.ts';
import { live } from './connection-support.ts';
import { sharedService } from './http-support.ts';
import { openRaw, rawOver, type RawConnection } from './raw-connection.ts';

const { certPem: cert, keyPem: key } = newCertificate();
const transports: readonly (readonly [
  name: string,
  certificate: Certificate | undefined,
  open: (port: number) => Promise<RawConnection>,
])[] = [
  ['HTTP', undefined, openRaw],
  ['HTTPS', { cert, key }, openTls],
];

describe('a connection on which nothing but line breaks is sent', () => {
  const service = sharedService();

  for (const [name, certificate, open] of transports)
    for (const lineBreaks of ['\r\n', '\n', '\r\n'.repeat(20_000)])
      test(`over ${name} is closed like an idle one, with ${lineBreaks.length} bytes a read`, async (t) => {
        const handler = service().inside?.app.handler;
        if (handler === undefined) return t.skip('needs time-outs of its own');
        const server = new HttpServer({ certificate, timeouts: { idleMilliseconds: 40 } });
        t.after(() => server.close());
        const { port } = await server.listen('127.0.0.1', 0);
        server.setHandler(handler);
        const { socket, write, response, closed } = await open(port);
        write(live);
        assert.equal((await response()).status, 200);
        const repeated = setInterval(() => write(lineBreaks), 5);
        t.after(() => {
          clearInterval(repeated);
          socket.destroy();
        });
        assert.equal(await closed, '');
      });
});

async function openTls(port: number): Promise<RawConnection> {
  const socket: Socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return rawOver(socket);
}

test('idle connections are ended a few in a turn of the event loop, however many there are', async () => {
  const sockets = Array.from({ length: 2_000 }, () => new Socket());
  endIdle(new Set(sockets), 1);
  const endedIn: number[] = [];
  for (let ended = 0; ended < sockets.length;) {
    await turn();
    const now = sockets.filter(({ destroyed }) => destroyed).length;
    if (now > ended) endedIn.push(now - ended);
    ended = now;
  }
  assert.deepEqual(endedIn, Array<number>(8).fill(250));
});
