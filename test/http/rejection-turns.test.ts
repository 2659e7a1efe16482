// What is no request is rejected at once, and yet takes no long turn of the event loop.
import { test } from 'node:test';
import { executable, serviceFor } from '../service.ts';
import { simultaneousClients } from './simultaneous-clients.ts';
import { assertShort, TurnWatch } from './turn-watch.ts';

const clients = 800;
const bytesSent: Readonly<Record<string, string>> = {
  'a target of 60 kB': `GET /${'x'.repeat(60_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  'an unknown method': `BREW /orders HTTP/1.1\r\nHost: a\r\n${'aa:bb\r\n'.repeat(1_500)}\r\n`,
};

for (const [what, bytes] of Object.entries(bytesSent)) {
  test(`${clients} clients that send ${what} at once take no long turn`, async (t) => {
    if (executable !== undefined) return t.skip('needs the service in this process');
    const service = await serviceFor(t);
    const send = await simultaneousClients(t, { port: service.port, bytes, clients });
    const watch = new TurnWatch();
    await send();
    assertShort(watch);
  });
}
