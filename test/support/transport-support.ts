// For the tests of transport: requests over TLS and plain HTTP.
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { rawOver, type RawResponse } from './raw-connection.ts';

export type Headers = Readonly<Record<string, string>>;

export type Asked = {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Headers;
  readonly host?: string;
  readonly ca?: string;
};

/** Sends a request on a connection of its own: over TLS if `ca` names an authority, otherwise plain. */
export async function ask(port: number, asked: Asked): Promise<RawResponse> {
  const { path = '/health/live', method = 'GET', host = 'localhost', headers = {}, ca } = asked;
  const socket = ca === undefined ? connect({ port, host }) : await openTls(port, { host, ca });
  if (ca === undefined) await once(socket, 'connect');
  using connection = rawOver(socket);
  const fields = Object.entries({ host: host.includes(':') ? `[${host}]` : host, ...headers });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  connection.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return await connection.response(method === 'HEAD' ? 'HEAD' : undefined);
}

/** Resolves with a connection whose handshake is complete. */
export function openTls(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connectTls({ port, host: 'localhost', family: 4, ...options } as ConnectionOptions, () =>
    resolve(socket),
  ); // family is passed on to net.connect
  socket.on('error', reject);
  return promise;
}
