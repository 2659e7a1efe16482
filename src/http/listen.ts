// The servers of node:http and node:https around the listener: bounds, the parser's own refusals, shutdown.
import { randomUUID } from 'node:crypto';
import { createServer as createPlain, type Server } from 'node:http';
import { createServer as createTls, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Problem, type Kind } from '../errors.ts';
import {
  connectionsMax, drainMillisecondsMax, headerBytesMax, headersMillisecondsMax, idleSocketMillisecondsMax,
  keepAliveMilliseconds, requestMillisecondsMax, timeoutCheckMilliseconds, urlBytesMax,
} from '../limits.ts';
import { jsonPolicy } from './answer.ts';
import { problemAnswer } from './problem.ts';
import type { Listener } from './server.ts';

export type Certificate = { readonly cert: string; readonly key: string };
export type HttpServer = {
  listen(host: string, port: number): Promise<AddressInfo>;
  renew(certificate: Certificate): void;
  connections(): number;
  /** Stops accepting, waits for what runs (at most `drainMillisecondsMax`), then cuts the rest. */
  close(): Promise<void>;
};

type Options = {
  readonly certificate: Certificate | undefined;
  readonly publicUrl: string;
  readonly onRequest: Listener;
  readonly onContinue: Listener;
  readonly onExpectation: Listener;
};

export function createHttpServer(options: Options): HttpServer {
  const settings = {
    maxHeaderSize: headerBytesMax, headersTimeout: headersMillisecondsMax, requestTimeout: requestMillisecondsMax,
    keepAliveTimeout: keepAliveMilliseconds, connectionsCheckingInterval: timeoutCheckMilliseconds, optimizeEmptyRequests: true, noDelay: true, requireHostHeader: false,
  };
  const { certificate } = options;
  const server = certificate === undefined ? createPlain(settings, options.onRequest) : createTls({ ...settings, ...certificate, minVersion: 'TLSv1.2' }, options.onRequest);
  server.maxConnections = connectionsMax;
  server.timeout = idleSocketMillisecondsMax;
  server.on('checkContinue', options.onContinue);
  server.on('checkExpectation', options.onExpectation);
  server.on('clientError', (error: ParserError, socket: Socket) => refuse(error, socket, options.publicUrl));
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => { open -= 1; });
  });

  return {
    listen: (host, port) => listen(server, host, port),
    renew: (renewed) => { if ('setSecureContext' in server) (server as TlsServer).setSecureContext({ ...renewed, minVersion: 'TLSv1.2' }); },
    connections: () => open,
    close: () => close(server),
  };
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<AddressInfo>();
  server.once('error', reject);
  server.listen(port, host, () => {
    server.off('error', reject);
    resolve(server.address() as AddressInfo); // it listens on TCP
  });
  return promise;
}

async function close(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), drainMillisecondsMax);
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(cut);
  clearInterval(idle);
}

type ParserError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

/** What the parser refuses never becomes a request: the problem is written by hand, after answers still on their way. */
function refuse(error: ParserError, socket: Socket & { readonly encrypted?: boolean; readonly _httpMessage?: { once(event: 'finish', listener: () => void): void } }, publicUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const problem = new Problem(...reasonFor(error));
  const requestId = randomUUID();
  const { status, json } = problemAnswer(problem, { publicUrl, invalidStatus: 400, path: '/', requestId });
  const head = [
    `HTTP/1.1 ${status} ${reasonPhrase(status)}`, 'Connection: close', `X-Request-Id: ${requestId}`, `Date: ${new Date().toUTCString()}`, 'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(json)}`, 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', `Content-Security-Policy: ${jsonPolicy}`,
    ...(socket.encrypted === true ? ['Strict-Transport-Security: max-age=31536000'] : []),
  ];
  const end = (): void => { socket.end(`${head.join('\r\n')}\r\n\r\n${json}`, () => socket.destroySoon()); };
  if (socket._httpMessage === undefined || socket._httpMessage === null) end();
  else socket._httpMessage.once('finish', end);
}

function reasonFor(error: ParserError): [Kind, string] {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return isLongTarget(error.rawPacket) ? ['uri-too-long', `A target has at most ${urlBytesMax} bytes.`] : ['headers-too-large', `Header fields have at most ${headerBytesMax} bytes in all.`];
    case 'ERR_HTTP_REQUEST_TIMEOUT': return ['request-timeout', 'The request did not arrive in time.'];
    default: return ['bad-request', 'This is not a request of HTTP/1.1.'];
  }
}

function isLongTarget(packet: Buffer | undefined): boolean {
  const end = packet?.indexOf('\n') ?? -1;
  return packet !== undefined && (end === -1 ? packet.length : end) > urlBytesMax && /^[A-Z]+ \//.test(packet.subarray(0, 16).toString('latin1'));
}

function reasonPhrase(status: number): string {
  return { 400: 'Bad Request', 408: 'Request Timeout', 414: 'URI Too Long', 431: 'Request Header Fields Too Large' }[status] ?? 'Error';
}
