// For the tests of transport: requests over TLS and plain HTTP.
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { type TestResponse } from './service.ts';

export type Headers = Readonly<Record<string, string>>;

export type Reply = Pick<TestResponse, 'status' | 'headers' | 'text' | 'body'>;

export type Asked = {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Headers;
  readonly host?: string;
} & Pick<ConnectionOptions, 'ca' | 'minVersion' | 'maxVersion' | 'ciphers'>;

/** Sends a request on a connection of its own: over TLS if `ca` names an authority, otherwise plain. */
export function ask(
  port: number,
  { path = '/health/live', method = 'GET', host = 'localhost', headers = {}, ...tls }: Asked,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const options = {
    port,
    host,
    path,
    method,
    headers,
    agent: false as const,
    family: host === 'localhost' ? 4 : undefined,
  };
  const request = tls.ca === undefined ? plainRequest(options) : tlsRequest({ ...options, ...tls });
  request.on('error', reject).on('response', (response) => {
    let text = '';
    response
      .setEncoding('utf8')
      .on('data', (part: string) => {
        text += part;
      })
      .on('error', reject)
      .on('end', () => {
        const isJson = /[/+]json/.test(response.headers['content-type'] ?? '') && text !== '';
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) : undefined,
        });
      });
  });
  request.end();
  return promise;
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
