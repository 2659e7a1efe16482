// Connections that their clients end together are ended without a turn of a second.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { newCertificate } from '../../support/new-certificate.ts';
import { HttpServer } from '../../../src/http/connections/http-server.ts';
import { executable, serviceFor } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { simultaneousClients } from './simultaneous-clients.ts';
import { assertShort, floodMillisecondsMax, TurnWatch } from '../../support/turn-watch.ts';

const clients = 2_500;
const request = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';

suite('connections that end', { skip: executable !== undefined }, () => {
  test(`${clients} simultaneous disconnects take no turn of a second`, async (t) => {
    const { port, inside } = await serviceFor(t);
    const { send, end } = await simultaneousClients(t, { port, bytes: request, clients });
    await send();
    assert.equal(inside?.connections.open, clients);
    const watch = new TurnWatch();
    end();
    await until(() => inside?.connections.open === 0);
    assertShort(watch, floodMillisecondsMax);
  });

  for (const transport of ['plain HTTP', 'TLS'] as const)
    test(`connections that end before their response is sent get it whole, over ${transport}`, async (t) => {
      const service = await serviceFor(t);
      const { certPem: cert, keyPem: key } = newCertificate();
      const certificate = transport === 'TLS' ? { cert, key } : undefined;
      const server = new HttpServer({ certificate });
      const { port } = await server.listen('127.0.0.1', 0);
      server.setHandler(service.inside?.app.handler ?? assert.fail('there is none'));
      t.after(() => server.close());
      const { token } = await service.person();
      const head = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
      const place = `POST /customers HTTP/1.1\r\n${head}\r\nContent-Length: 15\r\n\r\n{"name":"Lady"}`;
      const large = `GET /openapi.json HTTP/1.1\r\n${head}\r\n\r\n`;
      for (const [sent, statuses] of [
        [request, [200]],
        [place, [201]],
        [place + request, [201, 200]],
        [large, [200]],
        ['GET / HT', [400]],
        [place.slice(0, -1), [400]],
        [`${place}nonsense\r\n\r\n`, [201, 400]],
      ] as const)
        assert.deepEqual(await statusesFor(port, sent, certificate?.cert), statuses, sent);
    });
});

/** Sends bytes, ends this side, and returns the statuses of the responses, each of which must be whole. */
async function statusesFor(port: number, bytes: string, ca: string | undefined): Promise<number[]> {
  const options = { port, host: '127.0.0.1', allowHalfOpen: true };
  const client =
    ca === undefined ? connect(options) : connectTls({ ...options, ca, servername: 'localhost' });
  await once(client, ca === undefined ? 'connect' : 'secureConnect');
  client.setEncoding('latin1').end(bytes);
  let rest = await text(client);
  const statuses: number[] = [];
  while (rest !== '') {
    const head = rest.slice(0, rest.indexOf('\r\n\r\n') + 4);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
    assert.ok(rest.length >= head.length + length, 'the response is whole');
    statuses.push(Number(head.split(' ')[1]));
    rest = rest.slice(head.length + length);
  }
  return statuses;
}
