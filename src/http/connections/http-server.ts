// The server of node:http or node:https: its settings, the gate for connections, and a graceful stop.
import assert from 'node:assert';
import { constants } from 'node:crypto';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { minuteMilliseconds } from '../../base/durations.ts';
import { ConnectionGate, connectionsMax, type ConnectionCounts } from './connection-gate.ts';
import { createHttpServer, nodeHttps } from './node-http.ts';
import { allowHalfOpen, currentResponse, interceptConnections, watchReads } from './node-internals.ts';
import { ReadingPause } from './reading-pause.ts';
import { tlsSettings } from './tls-settings.ts';
import {
  headerBytesMax,
  headerFieldsMax,
  headersMillisecondsMax,
  requestMillisecondsMax,
  urlBytesMax,
} from './request-fields.ts';
import { stateOf } from './connection-state.ts';
import { rejectConnection, listenForUnparsed, type ConnectionHandler } from './unparsed-requests.ts';

/**
 * A connection ends after this time without a byte in either direction, unless its request is being handled.
 */
const silenceMillisecondsMax = minuteMilliseconds;
const timeoutCheckMilliseconds = 1_000;
const handshakeMillisecondsMax = 10_000;
const drainMillisecondsMax = 10_000;

export type Certificate = { readonly cert: string; readonly key: string };

type HttpServerOptions = {
  readonly certificate: Certificate | undefined;
  readonly gate?: ConnectionGate;
  /** For tests: shorter timeouts. */
  readonly timeouts?: Partial<Timeouts>;
};
type Timeouts = typeof timeoutsDefault;

/**
 * Connections beyond the maximum that get a response at the same time; others are closed without a response.
 */
const rejectedAtOnceMax = 50;
/** How often a closing server ends the connections that are between requests. */
const closeCheckMilliseconds = 250;
const timeoutsDefault = {
  headersMilliseconds: headersMillisecondsMax,
  requestMilliseconds: requestMillisecondsMax,
  checkMilliseconds: timeoutCheckMilliseconds,
  silenceMilliseconds: silenceMillisecondsMax,
  handshakeMilliseconds: handshakeMillisecondsMax,
};

/** A renegotiation would cost the server far more than its client. */
const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
const serverTls = { ...tlsSettings, secureOptions } as const;

export class HttpServer {
  readonly #server: Server;
  readonly #gate: ConnectionGate;
  readonly #isTls: boolean;
  readonly #sockets = new Set<Socket>();
  /** The sockets that carry HTTP: with TLS, the decrypting sockets over the raw ones. */
  readonly #httpSockets = new Set<Socket>();
  readonly #readingPause = new ReadingPause(this.#httpSockets);
  readonly #timeouts: Timeouts;
  #handler: ConnectionHandler | undefined = undefined;

  constructor({ certificate, gate = gateDefault(), timeouts = {} }: HttpServerOptions) {
    this.#timeouts = { ...timeoutsDefault, ...timeouts };
    this.#server = createServer(certificate, this.#timeouts);
    this.#gate = gate;
    this.#isTls = certificate !== undefined;
    this.#server.on(this.#isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#serve(socket);
      // each read counts: over TLS, one of 64 KiB may be thousands of records
      const noteRead = (): void => this.#handler?.turns.noteArrival();
      socket.once('end', noteRead);
      watchReads(socket, noteRead);
      // OpenSSL reports the secret of each key update of TLS 1.3; these take time, and contain nothing to parse
      if (this.#isTls) socket.on('keylog', noteRead);
    });
    this.#guard();
  }

  get connections(): ConnectionCounts {
    return this.#gate.counts;
  }

  listen(host: string, port: number): Promise<AddressInfo> {
    const { promise, resolve, reject } = Promise.withResolvers<AddressInfo>();
    this.#server.once('error', reject);
    this.#server.listen(port, host, () => {
      this.#server.off('error', reject);
      resolve(this.#server.address() as AddressInfo); // it listens on TCP
    });
    return promise;
  }

  /** Must be called in the turn in which `listen` resolves: connections are accepted only after that turn. */
  setHandler(handler: ConnectionHandler): void {
    assert(this.#sockets.size === 0, 'no connection comes before the handler');
    this.#handler = handler;
    handler.turns.onOverrun = () => this.#readingPause.begin();
    this.#server
      .on('request', (request, response) => handler.onRequest(request, response))
      .on('checkContinue', (request, response) => handler.onContinue(request, response))
      .on('checkExpectation', (request, response) => handler.onExpectation(request, response));
    listenForUnparsed(this.#server, handler);
    this.#server.on('timeout', (socket: Socket) => {
      if (currentResponse(socket) === undefined || socket.writableLength > 0) socket.destroy();
    });
  }

  renew(certificate: Certificate): void {
    if (this.#isTls) (this.#server as TlsServer).setSecureContext({ ...certificate, ...serverTls });
  }

  /** Stops accepting, waits up to `drainMillisecondsMax` for running requests, then destroys all sockets. */
  async close(): Promise<void> {
    // in `setImmediate`: a timer runs before Node reads the requests that arrived during a long turn
    const check = (): void => void setImmediate(() => this.#endBetweenRequests());
    const checks = setInterval(check, closeCheckMilliseconds);
    const deadline = setTimeout(() => this.#destroyAll(), drainMillisecondsMax);
    // not the `close` of `node:http`, which also ends a connection whose request has arrived but was not read
    // yet
    await new Promise<void>((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
    clearInterval(checks);
    clearTimeout(deadline);
  }

  /** Counts a connection that carries HTTP. */
  #serve(socket: Socket): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return void socket.destroy(); // its client has already gone
    this.#gate.beginServing(remoteAddress);
    socket.once('close', () => this.#gate.endServing(remoteAddress));
    track(this.#httpSockets, socket);
  }

  /** Passes each connection through the gate before it costs a parser or a TLS handshake. */
  #guard(): void {
    interceptConnections(this.#server, (socket, accept) => {
      this.#handler?.turns.yieldToConnections();
      const { remoteAddress } = socket; // read now, since a closed socket has no address
      if (remoteAddress === undefined) return void socket.destroy(); // its client has already gone
      const outcome = this.#gate.enter(remoteAddress);
      if (outcome === 'full') return this.#rejectFull(socket);
      if (outcome !== 'entered') return void socket.destroy();
      socket.once('close', () => this.#gate.leave(remoteAddress));
      track(this.#sockets, socket);
      if (!this.#isTls) return accept();
      this.#beginHandshake(socket, accept);
    });
    this.#server.maxConnections = this.#gate.connectionsMax + rejectedAtOnceMax;
    this.#server.on('drop', () => this.#gate.countRejection('full'));
  }

  #rejectFull(socket: Socket): void {
    const handler = this.#handler;
    if (handler === undefined || this.#isTls) socket.destroy();
    else rejectConnection(socket, handler);
  }

  /**
   * Waits for the first bytes, puts them back, and starts TLS as a scheduled task: without this, all
   * handshakes that arrive together would be computed in one turn of the event loop. The last messages of
   * handshakes are not scheduled: those of 250 connections at once take 25 ms over TLS 1.3, and 50 ms over
   * TLS 1.2.
   */
  #beginHandshake(socket: Socket, accept: () => void): void {
    socket.on('error', () => {}); // the socket closes after an error
    socket.setTimeout(this.#timeouts.handshakeMilliseconds / 2, () => socket.destroy());
    socket.once('readable', () => {
      const bytes: Buffer | null = socket.read();
      if (bytes === null) return void socket.destroy(); // the connection ended without any bytes
      socket.unshift(bytes);
      this.#handler?.turns.runLater(stateOf(socket).network, () => {
        socket.setTimeout(0); // TLS has a time limit of its own
        if (!socket.destroyed) accept();
      });
    });
  }

  /**
   * Ends the connections between two requests, except those whose next request may have arrived without being
   * read. Once no HTTP connection is left, also ends those whose handshake is incomplete.
   */
  #endBetweenRequests(): void {
    if (this.#readingPause.isActive) return;
    for (const socket of this.#httpSockets) if (currentResponse(socket) === undefined) socket.destroySoon();
    if (this.#httpSockets.size === 0) this.#destroyAll();
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function gateDefault(): ConnectionGate {
  return new ConnectionGate({ connectionsMax, perClientMax: Infinity, isTrusted: () => false });
}

function createServer(certificate: Certificate | undefined, timeouts: Timeouts): Server {
  const settings = {
    // the parser limits the sum; `checkTarget` and `checkHeaderFields` limit each exactly
    maxHeaderSize: urlBytesMax + headerBytesMax,
    headersTimeout: timeouts.headersMilliseconds,
    requestTimeout: timeouts.requestMilliseconds,
    connectionsCheckingInterval: timeouts.checkMilliseconds,
    keepAliveTimeout: 0, // it would cost 5 % more CPU per request; `timeout` ends idle connections, too
    optimizeEmptyRequests: true,
    joinDuplicateHeaders: true,
    noDelay: true,
    requireHostHeader: false, // `checkHost` requires it, with a problem as the response
  };
  const server =
    certificate === undefined
      ? createHttpServer(settings)
      : nodeHttps().createServer({
          ...settings,
          ...certificate,
          ...serverTls,
          allowHalfOpen: true, // or a client that ends its side would get no response
          handshakeTimeout: timeouts.handshakeMilliseconds / 2, // the first half is for the first bytes
        });
  server.maxHeadersCount = headerFieldsMax + 1; // one more than allowed, which `checkHeaderFields` rejects
  server.timeout = timeouts.silenceMilliseconds;
  allowHalfOpen(server);
  return server;
}

function track(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}
