// Responses to what never becomes a request: bytes that the parser rejects, CONNECT, HTTP without TLS, one
// connection too many.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem.ts';
import { urlBytesMax } from '../limits.ts';
import { stateOf } from './connection-state.ts';
import { endLingering } from './lingering-close.ts';
import { headersTooLarge, targetTooLong } from './request-headers.ts';
import { allMethods } from './router.ts';

/** Returns the bytes of a whole response. */
export type WriteRejection = (problem: Problem) => string;

type ParserError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

export function rejectUnparsed(server: Server, rejectionText: WriteRejection): void {
  const rejected = new WeakSet<Socket>(); // a parser that has failed fails again with each packet
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy()).resume();
    rejectTunnel(socket, rejectionText);
  });
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (rejected.has(socket) || isSlowStream(error, socket)) return;
    rejected.add(socket);
    stateOf(socket).streamedBody?.abort(problemOf(error));
    rejectRequest(error, socket, rejectionText);
  });
}

/** Answers a connection beyond the limit. */
export function rejectConnection(socket: Socket, rejectionText: WriteRejection): void {
  socket.on('error', () => {}); // it has gone already
  const detail = 'All connections are in use; retry in a moment.';
  endLingering(socket.resume(), rejectionText(new Problem('unavailable', detail, { retryAfterSeconds: 1 })));
}

/** Answers a client that sent plain HTTP to a TLS port. `socket` is the one below TLS. */
export function rejectPlainHttp(socket: Socket, rejectionText: WriteRejection): void {
  socket.on('error', () => {}); // it has gone already
  const detail = 'This port accepts HTTPS only: the URL must begin with https://.';
  endLingering(socket.resume(), rejectionText(new Problem('tls-required', detail)));
}

/**
 * What the parser rejects never becomes a request, or ends the body of one early. It is answered after the
 * responses still on their way, and nothing comes after it.
 */
function rejectRequest(error: ParserError, socket: Socket, rejectionText: WriteRejection): void {
  if (!/^(HPE|ERR_HTTP)_/.test(error.code ?? '') || !socket.writable) return void socket.destroy();
  const { currentResponse, isBodyPending } = stateOf(socket);
  if (currentResponse !== undefined && (currentResponse.req.complete || currentResponse.headersSent))
    return void currentResponse.once('finish', () => rejectRequest(error, socket, rejectionText));
  if (currentResponse === undefined && isBodyPending) return socket.destroySoon(); // its response was sent
  endLingering(socket, rejectionText(problemOf(error)));
}

/** `node:http` leaves the socket of a CONNECT to us. Answered after the responses still on their way. */
function rejectTunnel(socket: Socket, rejectionText: WriteRejection): void {
  const { currentResponse } = stateOf(socket);
  if (currentResponse !== undefined)
    return void currentResponse.once('finish', () => rejectTunnel(socket, rejectionText));
  const detail = 'CONNECT is not supported: this server is not a proxy.';
  endLingering(socket, rejectionText(new Problem('method-not-allowed', detail, { allow: allMethods })));
}

function problemOf(error: ParserError): Problem {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return isLongTarget(error.rawPacket) ? targetTooLong() : headersTooLarge();
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request did not arrive in time.');
    default:
      return new Problem('bad-request', 'Malformed HTTP/1.1 request.');
  }
}

/** The reader of a streamed body limits its time itself. */
function isSlowStream({ code }: ParserError, socket: Socket): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && stateOf(socket).streamedBody !== undefined;
}

function isLongTarget(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false;
  const lineEnd = packet.indexOf('\n');
  const lineBytes = lineEnd === -1 ? packet.length : lineEnd;
  return lineBytes > urlBytesMax && /^[A-Z]+ \//.test(packet.toString('latin1', 0, 16));
}
