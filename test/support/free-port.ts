// A port for a server that can't pick one itself.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Returns a port on which nothing listens now; another process may take it before its server does. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  await once(server, 'close');
  return port;
}
