// Bytes that aren't a request, or that arrive too late, are rejected without a turn of a second.
import { suite, test } from 'node:test';
import { HttpServer } from '../../../src/http/connections/http-server.ts';
import { executable, serviceFor } from '../../support/service.ts';
import { simultaneousClients } from './simultaneous-clients.ts';
import { assertShort, floodMillisecondsMax, TurnWatch } from '../../support/turn-watch.ts';

const clients = 800;
const bytesSent: Readonly<Record<string, string>> = {
  'a target of 60 kB': `GET /${'x'.repeat(60_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  'an unknown method': `BREW /orders HTTP/1.1\r\nHost: a\r\n${'aa:bb\r\n'.repeat(1_500)}\r\n`,
};

suite('what is rejected', { skip: executable !== undefined }, () => {
  for (const [what, bytes] of Object.entries(bytesSent))
    test(`${clients} clients that send ${what} at once take no turn of a second`, async (t) => {
      const { port } = await serviceFor(t);
      const { send } = await simultaneousClients(t, { port, bytes, clients });
      const watch = new TurnWatch();
      await send();
      assertShort(watch, floodMillisecondsMax);
    });

  test('2,500 clients whose heads don’t arrive in time take no turn of a second', async (t) => {
    const { inside } = await serviceFor(t);
    const timeouts = { headersMilliseconds: 1, requestMilliseconds: 60_000, checkMilliseconds: 1_500 };
    const server = new HttpServer({ certificate: undefined, timeouts });
    const { port } = await server.listen('127.0.0.1', 0);
    if (inside !== undefined) server.setHandler(inside.app.handler);
    t.after(() => server.close());
    const { send } = await simultaneousClients(t, { port, bytes: 'GET / HT', clients: 2_500 });
    const watch = new TurnWatch();
    await send();
    assertShort(watch, floodMillisecondsMax);
  });
});
