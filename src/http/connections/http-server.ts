// The server of node:http or node:https: its settings, the bounds and time limits of its connections, and a
// graceful stop.
import { constants } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { networkOf } from '../../base/addresses.ts';
import { Problem } from '../../problem.ts';
import { HttpConnection } from './http-connection.ts';
import { createHttpServer, nodeHttps } from './node-http.ts';
import { peerOf } from './peer.ts';
import {
  headerBytesMax,
  headerFieldsMax,
  headersMillisecondsMax,
  requestMillisecondsMax,
  urlBytesMax,
} from './request-fields.ts';
import { tlsSettings } from './tls-settings.ts';

export const connectionsMax = 10_000;
const drainMillisecondsMax = 10_000;
/** The secrets of TLS that a connection may have: an update of its keys costs the server far more than its client. */
const tlsSecretsMax = 100;
/** How often a closing server ends the connections that are between requests. */
const closeCheckMilliseconds = 250;

const timeoutsDefault = {
  headersMilliseconds: headersMillisecondsMax,
  requestMilliseconds: requestMillisecondsMax,
  checkMilliseconds: 1_000,
  handshakeMilliseconds: 10_000,
};
type Timeouts = typeof timeoutsDefault;

export type Certificate = { readonly cert: string; readonly key: string };

/** What the client expects before it sends the body (RFC 9110 section 10.1.1). */
type Expectation = 'nothing' | '100-continue' | 'other';

/** A request whose head has arrived. */
export type ArrivedRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: HttpConnection;
  readonly expectation: Expectation;
};

type ConnectionHandler = {
  onRequest(arrived: ArrivedRequest): void;
  /** Returns the whole response to bytes that don't form a request. */
  onUnparsed(problem: Problem, address: string): string;
};

type HttpServerOptions = {
  readonly certificate: Certificate | undefined;
  readonly connectionsMax?: number;
  readonly connectionsPerAddressMax?: number;
  /** Whether this is the address of a trusted proxy, which forwards the requests of many clients. */
  readonly isTrusted?: (address: string) => boolean;
  /** A connection ends after this time without a byte, unless its request is being handled. */
  readonly silenceMilliseconds: number;
  /** Tests shorten these. */
  readonly timeouts?: Partial<Timeouts>;
};

export type ConnectionCounts = {
  readonly open: number;
  /** Rejected connections since the start, by the limit that was reached. */
  readonly rejected: Readonly<Record<'full' | 'address', number>>;
};

/** A renegotiation would cost the server far more than its client. */
const serverTls = { ...tlsSettings, secureOptions: constants.SSL_OP_NO_RENEGOTIATION } as const;

export class HttpServer {
  readonly #server: Server;
  readonly #isTls: boolean;
  readonly #perAddressMax: number;
  readonly #isTrusted: (address: string) => boolean;
  readonly #sockets = new Set<Socket>();
  /** The open connections of each network. */
  readonly #openByNetwork = new Map<string, number>();
  /** The connections that carry HTTP: with TLS, by the decrypting sockets over the raw ones. */
  readonly #connections = new Map<Socket, HttpConnection>();
  readonly #rejected = { full: 0, address: 0 };

  constructor(options: HttpServerOptions) {
    this.#server = createServer(options.certificate, { ...timeoutsDefault, ...options.timeouts });
    this.#server.timeout = options.silenceMilliseconds;
    this.#isTls = options.certificate !== undefined;
    this.#perAddressMax = options.connectionsPerAddressMax ?? Infinity;
    this.#isTrusted = options.isTrusted ?? (() => false);
    this.#server.maxConnections = options.connectionsMax ?? connectionsMax;
    this.#server.on('drop', () => (this.#rejected.full += 1));
    this.#server.prependListener('connection', (socket: Socket) => this.#acceptWithinBound(socket));
    this.#server.on(this.#isTls ? 'secureConnection' : 'connection', (socket: Socket) => this.#open(socket));
  }

  get connections(): ConnectionCounts {
    return { open: this.#sockets.size, rejected: { ...this.#rejected } };
  }

  /** Listens. Connections are accepted only after the turn in which this resolves: until then, call `answerBy`. */
  async listen(host: string, port: number): Promise<AddressInfo> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening'); // rejects on an error
    return this.#server.address() as AddressInfo; // it listens on TCP
  }

  answerBy(handler: ConnectionHandler): void {
    const passAs =
      (expectation: Expectation) =>
      (request: IncomingMessage, response: ServerResponse): void => {
        const connection = this.#connections.get(request.socket);
        if (connection !== undefined) handler.onRequest({ request, response, connection, expectation });
      };
    this.#server
      .on('request', passAs('nothing'))
      .on('checkContinue', passAs('100-continue'))
      .on('checkExpectation', passAs('other'))
      .on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) =>
        this.#rejectBytes(code, socket as Socket, handler),
      )
      .on('timeout', (socket: Socket) => {
        if (this.#connections.get(socket)?.isBusy !== true || socket.writableLength > 0) socket.destroy();
      });
  }

  renew(certificate: Certificate): void {
    if (this.#isTls) (this.#server as TlsServer).setSecureContext({ ...certificate, ...serverTls });
  }

  /** Stops accepting, waits up to `drainMillisecondsMax` for running requests, then destroys all sockets. */
  async close(): Promise<void> {
    // in `setImmediate`: a timer runs before Node reads the requests that arrived during a long turn
    const checks = setInterval(() => setImmediate(() => this.#endIdle()), closeCheckMilliseconds);
    const deadline = setTimeout(() => this.#destroyAll(), drainMillisecondsMax);
    // the `close` of `node:http` would also end connections whose request has arrived but was not read yet
    await new Promise<void>((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
    clearInterval(checks);
    clearTimeout(deadline);
  }

  /** Counts a connection, or closes it before its TLS handshake if its network has too many. */
  #acceptWithinBound(socket: Socket): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return void socket.destroy(); // its client has already gone
    const { address, isLoopback, isTrusted } = peerOf(remoteAddress, this.#isTrusted);
    const network = networkOf(address);
    const open = this.#openByNetwork.get(network) ?? 0;
    if (open >= this.#perAddressMax && !isLoopback && !isTrusted) {
      this.#rejected.address += 1;
      return void socket.destroy();
    }
    this.#openByNetwork.set(network, open + 1);
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      const left = (this.#openByNetwork.get(network) ?? 1) - 1;
      if (left > 0) this.#openByNetwork.set(network, left);
      else this.#openByNetwork.delete(network);
    });
  }

  #open(socket: Socket): void {
    if (socket.destroyed) return;
    socket.allowHalfOpen = true; // a client that has ended its side may still read; before a handshake it may not
    let secrets = 0;
    socket.on('keylog', () => {
      secrets += 1;
      if (secrets > tlsSecretsMax) socket.destroy();
    });
    this.#connections.set(socket, new HttpConnection(socket, peerOf(socket.remoteAddress, this.#isTrusted)));
    socket.once('close', () => this.#connections.delete(socket));
  }

  /** `code` names an error of the parser, a time limit that was exceeded, or an error of the connection. */
  #rejectBytes(code: string, socket: Socket, handler: ConnectionHandler): void {
    const connection = this.#connections.get(socket);
    const isHttp = /^(HPE|ERR_HTTP)_/.test(code);
    if (connection === undefined || !isHttp) return void socket.destroy();
    if (connection.isEnding) return; // a failed parser reports an error for each further packet
    if (code === 'HPE_CLOSED_CONNECTION') return; // the response before has ended or will end the connection
    if (!socket.writable) return void socket.destroy();
    if (code === timeoutCode && connection.body?.hasOwnTimeout === true) return;
    connection.reject(problemOf(code), (problem) => handler.onUnparsed(problem, connection.peer.address));
  }

  /** Ends the connections between two requests; once none is left, also those without a whole handshake. */
  #endIdle(): void {
    for (const [socket, { isBusy }] of this.#connections) if (!isBusy) socket.destroySoon();
    if (this.#connections.size === 0) this.#destroyAll();
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function createServer(certificate: Certificate | undefined, timeouts: Timeouts): Server {
  const settings = {
    // the parser limits the sum; `checkHead` limits target and fields exactly
    maxHeaderSize: urlBytesMax + headerBytesMax,
    headersTimeout: timeouts.headersMilliseconds,
    requestTimeout: timeouts.requestMilliseconds,
    connectionsCheckingInterval: timeouts.checkMilliseconds,
    keepAliveTimeout: 0, // `timeout` ends idle connections, too
    optimizeEmptyRequests: true,
    joinDuplicateHeaders: true,
    requireHostHeader: false, // `checkHead` requires it, with a problem as the response
  };
  const server =
    certificate === undefined
      ? createHttpServer(settings)
      : nodeHttps().createServer({
          ...settings,
          ...certificate,
          ...serverTls,
          handshakeTimeout: timeouts.handshakeMilliseconds,
        });
  server.maxHeadersCount = headerFieldsMax + 1; // one more than allowed, which `checkHead` rejects
  // without this `node:http` closes a connection whose client has ended its side; no documented way is left
  return Object.assign(server, { httpAllowHalfOpen: true });
}

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';

function problemOf(code: string): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers-too-large', headTooLarge);
    case timeoutCode:
      return new Problem('request-timeout', 'The request did not arrive in time.');
    case 'HPE_INVALID_METHOD':
      return new Problem('bad-request', 'Malformed HTTP/1.1 request: methods are case-sensitive, as in GET.');
    case 'HPE_INVALID_EOF_STATE':
      return new Problem('bad-request', 'The request ended before it was complete.');
    default:
      return new Problem('bad-request', 'Malformed HTTP/1.1 request.');
  }
}

const headTooLarge =
  `The request target must have at most ${urlBytesMax} bytes, and the header fields must be at most ` +
  `${headerFieldsMax}, of ${headerBytesMax} bytes in all.`;
