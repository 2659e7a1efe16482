// Responds to connections without a valid request: bytes that the parser rejects, CONNECT, plain HTTP on a
// TLS port, and connections beyond the limit.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem.ts';
import { urlBytesMax } from '../limits.ts';
import { stateOf } from './connection-state.ts';
import type { UnparsedRequest } from './unparsed-response.ts';
import { dropReads, endLingering } from './lingering-close.ts';
import { currentResponse, type ParserError } from './node-internals.ts';
import { plainAddress } from './peer.ts';
import type { RequestHandler } from './request-handler.ts';
import { METHODS } from './node-http.ts';
import { headersOf, headersTooLarge, targetTooLong } from './request-headers.ts';
import { splitTarget } from './query.ts';
import { requestIdFrom } from './request-id.ts';
import { readRequestStart, type RequestStart } from './request-start.ts';
import { allMethods } from './router.ts';

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';

type Handler = Pick<RequestHandler, 'intake' | 'onUnparsed' | 'problemOfMethod'>;

export function listenForUnparsed(server: Server, handler: Handler): void {
  const rejected = new WeakSet<Socket>(); // a parser that has failed fails again with each packet
  server.on('connect', (request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    dropReads(socket);
    rejectTunnel(request, socket, handler);
  });
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (rejected.has(socket) || isSlowStream(error, socket)) return;
    rejected.add(socket);
    const reject = (): void => rejectError(error, socket, handler);
    if (error.code === timeoutCode) return handler.intake.runLater(socket, reject); // may be thousands
    reject();
    handler.intake.noteRejection();
  });
}

function rejectError(error: ParserError, socket: Socket, handler: Handler): void {
  if (/^(HPE|ERR_HTTP)_/.test(error.code ?? ''))
    rejectRequest(rejectionOf(error, socket, handler), socket, handler);
  else socket.destroy();
}

/** Responds to a connection beyond the limit. */
export function rejectConnection(socket: Socket, handler: Handler): void {
  socket.on('error', () => {}); // the client has already gone
  const detail = 'All connections are in use; retry in a moment.';
  const problem = new Problem('unavailable', detail, { retryAfterSeconds: 1 });
  endLingering(socket.resume(), handler.onUnparsed(problem, unparsedOn(socket)));
}

/** Responds to a client whose first bytes on a TLS port are plain HTTP. */
export function rejectPlainHttp(socket: Socket, bytes: Buffer, handler: Handler): void {
  const detail = 'This port accepts HTTPS only: the URL must begin with https://.';
  const unparsed = unparsedOn(socket, readRequestStart(bytes));
  endLingering(socket.resume(), handler.onUnparsed(new Problem('tls-required', detail), unparsed));
}

/**
 * An error within a body becomes a problem of that body's request. Any other error is answered after all
 * pending responses, and ends the connection.
 */
function rejectRequest(rejection: Rejection, socket: Socket, handler: Handler): void {
  if (!socket.writable) return void socket.destroy();
  const { pendingBody } = stateOf(socket);
  const response = currentResponse(socket);
  const { problem, start } = rejection;
  if (pendingBody !== undefined) return pendingBody.abort(problem);
  if (response !== undefined)
    return void response.once('finish', () => rejectRequest(rejection, socket, handler));
  endLingering(socket, handler.onUnparsed(problem, unparsedOn(socket, start)));
}

type Rejection = { readonly problem: Problem; readonly start: RequestStart | undefined };

/**
 * If a body ended in the same read, its end is unknown: its last bytes could be taken for the method. If it
 * ended in an earlier read, the bytes may be surplus, after Content-Length, so the log has no method.
 */
function rejectionOf(error: ParserError, socket: Socket, handler: Handler): Rejection {
  const { hasBody: isAfterBody, hasReadBegunInHead } = stateOf(socket);
  const start = isAfterBody && !hasReadBegunInHead ? undefined : parseStart(error);
  const problem = unknownMethodProblem(start, handler) ?? problemOf(error, socket);
  return { problem, start: start && isAfterBody ? { ...start, method: '-' } : start };
}

/** Responds to a CONNECT, whose socket `node:http` leaves to the service, after all pending responses. */
function rejectTunnel(request: IncomingMessage, socket: Socket, handler: Handler): void {
  const response = currentResponse(socket);
  if (response !== undefined)
    return void response.once('finish', () => rejectTunnel(request, socket, handler));
  const { url = '' } = request;
  const path = url.startsWith('/') && url.length <= urlBytesMax ? splitTarget(url).path : undefined;
  const problem = path === undefined ? notAProxy() : handler.problemOfMethod('CONNECT', path);
  const requestId = requestIdFrom(headersOf(request)['x-request-id']);
  const start = { method: 'CONNECT', path, requestId };
  endLingering(socket, handler.onUnparsed(problem, unparsedOn(socket, start)));
}

function notAProxy(): Problem {
  const detail = 'CONNECT is not supported: this server is not a proxy.';
  return new Problem('method-not-allowed', detail, { allow: allMethods });
}

function unparsedOn(socket: Socket, start?: RequestStart): UnparsedRequest {
  const { remoteAddress } = socket;
  const address = remoteAddress === undefined ? null : plainAddress(remoteAddress);
  return { start, address, isEncrypted: 'encrypted' in socket };
}

/** Reads the start of a request whose method the parser doesn't know; undefined for other errors. */
function parseStart({ code, rawPacket, bytesParsed = 0 }: ParserError): RequestStart | undefined {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return undefined;
  const start = readRequestStart(rawPacket.subarray(rawPacket.lastIndexOf('\n', bytesParsed) + 1));
  return start?.path === undefined ? undefined : start;
}

/**
 * Returns the problem of a request whose method the parser doesn't know; undefined if it knows the method.
 * Then the bytes begin within the method, and the parser had read its first letters in an earlier packet.
 */
function unknownMethodProblem(start: RequestStart | undefined, handler: Handler): Problem | undefined {
  const { method = '', path } = start ?? {};
  if (path === undefined || METHODS.includes(method)) return undefined;
  return handler.problemOfMethod(method, path);
}

function problemOf(error: ParserError, socket: Socket): Problem {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return stateOf(socket).requestLine.isTooLong ? targetTooLong() : headersTooLarge();
    case timeoutCode:
      return new Problem('request-timeout', 'The request did not arrive in time.');
    case 'HPE_INVALID_EOF_STATE':
      return new Problem('bad-request', 'The request ended before it was complete.');
    default:
      return new Problem('bad-request', 'Malformed HTTP/1.1 request.');
  }
}

/** Whether the error is the timeout of a streamed body, whose reader has its own time limit. */
function isSlowStream({ code }: ParserError, socket: Socket): boolean {
  return code === timeoutCode && stateOf(socket).pendingBody?.hasOwnTimeout === true;
}
