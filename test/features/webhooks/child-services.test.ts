// Deliveries of a service whose environment names proxies, which Node reads only when a process starts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChild } from '../../support/child-service.ts';
import { newFolder } from '../../support/command-support.ts';
import { settings, signedInFolder } from '../../torture/signed-in-folder.ts';
import { Receiver } from './receiver.ts';

test('proxies that the environment names get nothing', async (t) => {
  const [receiver, proxy] = [await Receiver.start(t), await Receiver.start(t)];
  const folder = newFolder(t);
  const { token } = await signedInFolder(folder);
  const { origin } = new URL(proxy.url());
  const service = await startChild({
    folder,
    settings: { ...settings, 'webhook-allow': '127.0.0.1' },
    environment: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: origin, HTTPS_PROXY: origin },
  });
  t.after(() => service.kill('SIGTERM'));
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  for (const [path, body] of [
    ['/webhooks', { url: receiver.url(), types: ['customer.created'] }],
    ['/customers', { name: 'Grace Hopper' }],
  ] as const) {
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    assert.equal((await fetch(`http://127.0.0.1:${service.port}${path}`, sent)).status, 201);
  }
  const { path, answer } = await Promise.race([receiver.next(), proxy.next()]);
  answer(204);
  assert.equal(path, '/hook'); // a proxy would get the whole URL
  assert.equal(proxy.connections, 0);
});
