// A plain server of node:http, for tests of what Node itself does.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export const post = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
export const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
export const chunk = '1\r\nx\r\n';

export async function listening(
  t: TestContext,
  listener: RequestListener,
  prepare: (server: Server) => void = () => {},
): Promise<number> {
  const server: Server = createServer(listener);
  Object.assign(server, { httpAllowHalfOpen: true });
  server.keepAliveTimeout = 0; // it adds no field to heads
  prepare(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on TCP
}
