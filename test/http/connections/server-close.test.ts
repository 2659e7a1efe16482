// The close of the server: requests that have arrived are answered, even if the event loop was too busy.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { HttpServer } from '../../../src/http/connections/http-server.ts';
import { live } from '../../support/connection-support.ts';
import { sharedService } from '../../support/http-support.ts';
import { openRaw, type RawConnection } from '../../support/raw-connection.ts';

/** More than the interval at which the closing server ends connections between requests. */
const busyMilliseconds = 400;

describe('a request that arrives while the server closes is answered', () => {
  const service = sharedService();

  test('a request that arrives while the server closes is answered if a turn of the event loop is long', async (t) => {
    const opened = await open(t);
    if (opened === undefined) return t.skip('needs a server of its own');
    const closed = opened.server.close();
    opened.connection.write(live);
    const end = performance.now() + busyMilliseconds;
    while (performance.now() < end);
    await assertLast(opened.connection);
    await closed;
  });

  /** A server with a connection that has had a response. */
  async function open(
    t: TestContext,
  ): Promise<{ server: HttpServer; connection: RawConnection } | undefined> {
    const handler = service().inside?.app.handler;
    if (handler === undefined) return undefined;
    const server = new HttpServer({ certificate: undefined });
    const { port } = await server.listen('127.0.0.1', 0);
    server.setHandler(handler);
    const connection = await openRaw(port);
    t.after(() => connection.socket.destroy());
    connection.write(live);
    assert.equal((await connection.response()).status, 200);
    return { server, connection };
  }
});

async function assertLast(connection: RawConnection): Promise<void> {
  assert.equal((await connection.response()).status, 200);
  await connection.closed;
}
