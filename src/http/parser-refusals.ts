// Responses to what never becomes a request: bytes that the parser rejects, CONNECT, one connection too many.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem.ts';
import { urlBytesMax } from '../limits.ts';
import { stateOf } from './connection-state.ts';
import { endLingering } from './lingering-close.ts';
import { headersTooLarge, targetTooLong } from './request-headers.ts';
import { allMethods } from './router.ts';

/** Returns the bytes of a whole response. */
export type Refusal = (problem: Problem) => string;

type ParserError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

export function refuseWhatIsNoRequest(server: Server, refusal: Refusal): void {
  const refused = new WeakSet<Socket>(); // a parser that has failed fails again with each packet
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy()).resume();
    refuseTunnel(socket, refusal);
  });
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    refuse(error, socket, refusal);
  });
}

/** For a connection for which there is no place. */
export function refuseConnection(socket: Socket, refusal: Refusal): void {
  socket.on('error', () => {}); // it has gone already
  const detail = 'All connections are in use; retry in a moment.';
  endLingering(socket.resume(), refusal(new Problem('unavailable', detail, { retryAfterSeconds: 1 })));
}

/**
 * What the parser rejects never becomes a request, or breaks off the body of one. It is answered after the
 * responses still on their way, and nothing comes after it.
 */
function refuse(error: ParserError, socket: Socket, refusal: Refusal): void {
  if (!/^(HPE|ERR_HTTP)_/.test(error.code ?? '') || !socket.writable) return void socket.destroy();
  const { currentResponse, isBodyPending } = stateOf(socket);
  if (currentResponse !== undefined && (currentResponse.req.complete || currentResponse.headersSent))
    return void currentResponse.once('finish', () => refuse(error, socket, refusal));
  if (currentResponse === undefined && isBodyPending) return socket.destroySoon(); // its response was sent
  endLingering(socket, refusal(problemOf(error)));
}

/** `node:http` leaves the socket of a CONNECT to us. Answered after the responses still on their way. */
function refuseTunnel(socket: Socket, refusal: Refusal): void {
  const { currentResponse } = stateOf(socket);
  if (currentResponse !== undefined)
    return void currentResponse.once('finish', () => refuseTunnel(socket, refusal));
  const detail = 'CONNECT is not supported: this server is not a proxy.';
  endLingering(socket, refusal(new Problem('method-not-allowed', detail, { allow: allMethods })));
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

function isLongTarget(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false;
  const lineEnd = packet.indexOf('\n');
  const lineBytes = lineEnd === -1 ? packet.length : lineEnd;
  return lineBytes > urlBytesMax && /^[A-Z]+ \//.test(packet.toString('latin1', 0, 16));
}
