// The servers of node:http and node:https around the listener: bounds, the parser's own refusals, shutdown.
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Problem } from '../errors.ts';
import {
  connectionsMax,
  drainMillisecondsMax,
  handshakeMillisecondsMax,
  headerBytesMax,
  headersMillisecondsMax,
  idleLookMilliseconds,
  lingerMillisecondsMax,
  requestMillisecondsMax,
  timeoutCheckMilliseconds,
  urlBytesMax,
} from '../limits.ts';
import { createConnectionGate, type ConnectionGate } from './connection-gate.ts';
import { endIdle, type Answering } from './idle-sockets.ts';
import { headersTooLarge } from './request-headers.ts';
import type { RequestHandlers } from './request-handler.ts';

// Not imported: an import of node:http reads all its exports, and one of them loads a whole WebSocket client.
const { createServer: createPlain } = process.getBuiltinModule('node:http');

export type Certificate = { readonly cert: string; readonly key: string };
export type HttpServer = ReturnType<typeof createHttpServer>;

type Options = {
  readonly certificate: Certificate | undefined;
  readonly gate?: ConnectionGate;
  /** Shorter ones than `limits.ts` has, for tests. */
  readonly timeouts?: Partial<typeof timeoutsDefault>;
};

/** Connections past the maximum that get an answer; what comes beyond these is closed without one. */
const refusedAtOnceMax = 50;
/** How long at the end a connection stays open between requests. */
const quietMilliseconds = 250;
const timeoutsDefault = {
  headersMilliseconds: headersMillisecondsMax,
  requestMilliseconds: requestMillisecondsMax,
  checkMilliseconds: timeoutCheckMilliseconds,
  idleMilliseconds: idleLookMilliseconds,
  handshakeMilliseconds: handshakeMillisecondsMax,
};

/** RFC 9325 section 4.2: forward secrecy and authenticated encryption only. The first three are TLS 1.3's. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
const tlsSettings = { minVersion: 'TLSv1.2', ciphers } as const;

export function createHttpServer({ certificate, gate = gateDefault(), timeouts = {} }: Options) {
  const { idleMilliseconds, ...others } = { ...timeoutsDefault, ...timeouts };
  const server = createServer(certificate, others);
  const open = new Set<Socket>();
  const speaking = new Set<Answering>(); // over TLS, the connections inside of those
  server.on('connection', (socket: Socket) => keep(open, socket));
  server.on(certificate === undefined ? 'connection' : 'secureConnection', (socket: Answering) =>
    keep(speaking, socket),
  );
  let answerFull = (socket: Socket): unknown => socket.destroy();
  guard(server, gate, (socket) => answerFull(socket));
  endIdle(speaking, idleMilliseconds);

  return {
    listen: (host: string, port: number) => listen(server, host, port),
    /** To be called in the turn in which `listen` resolved, so that no request comes too early. */
    handle(handlers: RequestHandlers): void {
      handle(server, handlers);
      if (certificate === undefined) answerFull = (socket) => sayFull(socket, handlers.refusal);
    },
    renew(renewed: Certificate): void {
      if ('setSecureContext' in server)
        (server as TlsServer).setSecureContext({ ...renewed, ...tlsSettings });
    },
    connections: gate.counts,
    /** Stops accepting, waits for what runs (at most `drainMillisecondsMax`), then cuts the rest. */
    close: () => close(server, open, speaking),
  };
}

function gateDefault(): ConnectionGate {
  return createConnectionGate({ connectionsMax, perAddressMax: Infinity, isTrusted: () => false });
}

function createServer(
  certificate: Certificate | undefined,
  timeouts: Omit<typeof timeoutsDefault, 'idleMilliseconds'>,
): Server {
  const settings = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: timeouts.headersMilliseconds,
    requestTimeout: timeouts.requestMilliseconds,
    connectionsCheckingInterval: timeouts.checkMilliseconds,
    keepAliveTimeout: 0,
    optimizeEmptyRequests: true,
    joinDuplicateHeaders: true,
    noDelay: true,
    requireHostHeader: false,
  };
  const handshakeTimeout = timeouts.handshakeMilliseconds;
  const server =
    certificate === undefined
      ? createPlain(settings)
      : process
          .getBuiltinModule('node:https')
          .createServer({ ...settings, ...certificate, ...tlsSettings, handshakeTimeout });
  server.maxHeadersCount = 0; // all of them: their bytes are bounded
  Object.assign(server, { httpAllowHalfOpen: true }); // who has said all may still listen
  return server;
}

/** Asks the gate before a connection costs anything, a parser or a TLS handshake. */
function guard(server: Server, gate: ConnectionGate, answerFull: (socket: Socket) => void): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket; // a closed socket has none
    const refusal = gate.enter(remoteAddress);
    if (refusal === 'full') return void answerFull(socket);
    if (refusal === 'address') return void socket.destroy();
    socket.once('close', () => gate.leave(remoteAddress));
    for (const listener of listeners) listener.call(server, socket);
  });
  server.maxConnections = gate.connectionsMax + refusedAtOnceMax;
  server.on('drop', () => gate.refuse('full'));
}

function sayFull(socket: Socket, refusal: RequestHandlers['refusal']): void {
  socket.on('error', () => {}); // it has gone already
  const problem = new Problem('unavailable', 'All connections are in use; retry in a moment.', {
    retryAfterSeconds: 1,
  });
  endWith(socket.resume(), refusal(problem));
}

/**
 * What still comes is read and thrown away for a while: a reset, the answer to bytes not read, could overtake
 * this one.
 */
function endWith(socket: Socket, answer: string): void {
  socket.end(answer, 'latin1');
  const cut = setTimeout(() => socket.destroy(), lingerMillisecondsMax);
  socket.once('close', () => clearTimeout(cut));
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

function handle(server: Server, { onRequest, onContinue, onExpectation, refusal }: RequestHandlers): void {
  server.on('request', onRequest).on('checkContinue', onContinue).on('checkExpectation', onExpectation);
  const refused = new WeakSet<Socket>(); // a parser that has failed fails again with each packet
  server.on('connect', (_request, socket: Answering) => {
    socket.on('error', () => socket.destroy()).resume();
    refuseTunnel(socket, refusal);
  });
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    refuse(error, socket, refusal);
  });
}

function keep<T extends Socket>(sockets: Set<T>, socket: T): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

async function close(
  server: Server,
  open: ReadonlySet<Socket>,
  speaking: ReadonlySet<Answering>,
): Promise<void> {
  // Node's own would cut off at once what seems idle, though a request may be on its way there, or an answer
  // not yet read.
  server.closeIdleConnections = () => {};
  endHandshakes(open, speaking);
  const quiet = setInterval(() => {
    for (const socket of speaking) if (!socket._httpMessage) socket.destroySoon();
  }, quietMilliseconds);
  const cut = setTimeout(() => {
    for (const socket of open) socket.destroy();
  }, drainMillisecondsMax);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(quiet);
  clearTimeout(cut);
}

/** Whoever hasn't come to an end with TLS has no request here. */
function endHandshakes(open: ReadonlySet<Socket>, speaking: ReadonlySet<Socket>): void {
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  const names = new Set([...speaking].map(nameOf));
  for (const socket of open) if (!names.has(nameOf(socket))) socket.destroy();
}

type ParserError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

/**
 * What the parser refuses never becomes a request, or breaks one's body off: it is answered after the answers
 * still on their way, and nothing comes after it.
 */
function refuse(error: ParserError, socket: Answering, refusal: RequestHandlers['refusal']): void {
  const { _httpMessage: answering, parser } = socket;
  if (!/^(HPE|ERR_HTTP)_/.test(error.code ?? '') || !socket.writable) return void socket.destroy();
  const isBroken = parser?.incoming?.complete === false;
  if (answering && (answering.req.complete || answering.headersSent))
    return void answering.once('finish', () => refuse(error, socket, refusal));
  if (!answering && isBroken) return socket.destroySoon(); // the request has had its answer
  endWith(socket, refusal(problemOf(error)));
}

/** CONNECT leaves its socket to us; after the answers still on their way it gets ours, and nothing more. */
function refuseTunnel(socket: Answering, refusal: RequestHandlers['refusal']): void {
  const { _httpMessage: answering } = socket;
  if (answering) return void answering.once('finish', () => refuseTunnel(socket, refusal));
  const allow = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  endWith(
    socket,
    refusal(
      new Problem('method-not-allowed', 'CONNECT is not supported: this server is not a proxy.', { allow }),
    ),
  );
}

function problemOf(error: ParserError): Problem {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      if (isLongTarget(error.rawPacket))
        return new Problem('uri-too-long', `The request target must have at most ${urlBytesMax} bytes.`);
      return headersTooLarge();
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request did not arrive in time.');
    default:
      return new Problem('bad-request', 'Malformed HTTP/1.1 request.');
  }
}

function isLongTarget(packet: Buffer | undefined): boolean {
  const end = packet?.indexOf('\n') ?? -1;
  return (
    packet !== undefined &&
    (end === -1 ? packet.length : end) > urlBytesMax &&
    /^[A-Z]+ \//.test(packet.subarray(0, 16).toString('latin1'))
  );
}
