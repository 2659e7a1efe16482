// HTTP sent to the port of HTTPS gets a sentence, not an empty response.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor } from '../service.ts';
import { until } from '../storage/storage-support.ts';
import { openRaw } from './raw-connection.ts';

for (const request of [
  'GET /orders HTTP/1.1\r\nHost: localhost\r\n\r\n',
  `POST /orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`,
]) {
  const [method] = request.split(' ');
  test(`${method} without TLS is answered that this port accepts HTTPS only`, async (t) => {
    const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const connection = await openRaw(service.port);
    connection.write(request);
    const { status, headers, body } = await connection.response();
    assert.equal(status, 403);
    assert.equal(headers['connection'], 'close');
    assert.equal(body.code, 'tls-required');
    assert.match(body.detail, /must begin with https:\/\//);
    assert.equal(await connection.closed, '');
    await until(() => service.inside?.connections.open === 0);
  });
}
