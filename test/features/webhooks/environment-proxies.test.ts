// Proxies that the environment names: no delivery goes through them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startChild } from '../../support/child-service.ts';
import { settings as sameUrl, signedInFolder } from '../../torture/signed-in-folder.ts';
import { placeOrders } from './child-orders.ts';
import { Receiver } from './receiver.ts';

test('proxies that the environment names get nothing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [receiver, proxy] = [await Receiver.start(t), await Receiver.start(t)];
  const { origin } = new URL(proxy.url());
  const { token } = await signedInFolder(folder);
  const service = await startChild({
    folder,
    settings: { ...sameUrl, 'webhook-allow': '127.0.0.1' },
    // Node reads them only when a process starts
    environment: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: origin, HTTPS_PROXY: origin },
  });
  t.after(() => service.kill('SIGTERM'));
  await placeOrders(service, { url: receiver.url(), token, orders: 1 });
  const { path, answer } = await Promise.race([receiver.next(), proxy.next()]);
  answer(204);
  assert.equal(path, '/hook'); // a proxy would get the whole URL
  assert.equal(proxy.connections, 0);
});
