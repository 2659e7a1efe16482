// Incomplete heads take bounded memory, of which one address gets only a part.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor } from '../service.ts';
import { until } from '../storage/storage-support.ts';
import { openRaw, type RawConnection } from './raw-connection.ts';

const connections = 160;
const bytesOfEach = 15_000;
const bytesMax = 2 * 1024 * 1024;

test('incomplete heads of one address may take 2 MiB, and connections with more are closed', async (t) => {
  const { port } = await serviceFor(t);
  const start = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n';
  const half = start + 'aa:bb\r\n'.repeat((bytesOfEach - start.length) / 7 / 2);
  const opened = await Promise.all(Array.from({ length: connections }, () => openRaw(port)));
  const ended = new Set<RawConnection>();
  for (const connection of opened) {
    void connection.closed.then(() => ended.add(connection));
    connection.write(half);
    connection.write('X-Long: '.padEnd(bytesOfEach - half.length, 'x'));
  }
  const tooMany = Math.ceil(connections - bytesMax / bytesOfEach);
  await until(() => ended.size >= tooMany);
  const kept = opened.find((connection) => !ended.has(connection));
  kept?.write('\r\n\r\n');
  assert.equal((await kept?.response())?.status, 200);
  for (const { socket } of opened) socket.destroy();
  const later = await openRaw(port);
  later.write(`${start}\r\n`);
  assert.equal((await later.response()).status, 200);
  later.socket.destroy();
});
