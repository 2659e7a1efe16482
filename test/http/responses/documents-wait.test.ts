// Documents of hundreds of kilobytes wait behind small responses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor } from '../../support/service.ts';
import { openRaw } from '../../support/raw-connection.ts';

test('a small response does not wait for a document that was asked for before it', async (t) => {
  const service = await serviceFor(t, { settings: { 'trusted-proxy': '127.0.0.1' } });
  await service.get('/openapi.json', { headers: from(9) }); // created once
  const order: string[] = [];
  const paths = ['/openapi.json', '/openapi.json', '/openapi.json', '/health/live'];
  const connections = await Promise.all(paths.map(() => openRaw(service.port)));
  t.after(() => {
    for (const { socket } of connections) socket.destroy();
  });
  const answered = connections.map(({ socket }, index) => {
    const first = new Promise((resolve) => socket.once('data', resolve));
    return first.then(() => order.push(paths[index] ?? ''));
  });
  // in one loop, so that the service finds all of them in the same turn
  for (const [index, { write }] of connections.entries())
    write(`GET ${paths[index]} HTTP/1.1\r\nHost: localhost\r\n${lines(from(index))}\r\n`);
  await Promise.all(answered);
  assert.equal(order[0], '/health/live');
});

/** Each is another client. */
function from(index: number): Record<string, string> {
  return { 'X-Forwarded-For': `192.0.2.${index}`, 'X-Forwarded-Proto': 'https' };
}

function lines(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}
