// Responds to clients without a request: bytes that the parser rejects, and connections beyond the limit.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Turns } from '../../base/turns.ts';
import { Problem } from '../../problem.ts';
import { stateOf } from './connection-state.ts';
import { endLingering } from './lingering-close.ts';
import { currentResponse } from './node-internals.ts';
import { headerBytesMax, headerFieldsMax, urlBytesMax } from './request-fields.ts';

/** What responds to the requests of connections, and the turns that their work is part of. */
export type ConnectionHandler = {
  readonly turns: Turns;
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  onContinue(request: IncomingMessage, response: ServerResponse): void;
  onExpectation(request: IncomingMessage, response: ServerResponse): void;
  /** Returns the whole response to bytes that are no request. */
  onUnparsed(problem: Problem, socket: Socket): string;
};
type ParserError = Error & { readonly code?: string };

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';

export function listenForUnparsed(server: Server, handler: ConnectionHandler): void {
  const rejected = new WeakSet<Socket>(); // a failed parser reports an error again for each packet
  server.on('clientError', ({ code = '' }: ParserError, socket: Socket) => {
    if (rejected.has(socket) || isSlowStream(code, socket)) return;
    rejected.add(socket);
    if (!/^(HPE|ERR_HTTP)_/.test(code)) return void socket.destroy(); // an error of the connection, or of TLS
    const reject = (): void => rejectRequest(problemOf(code), socket, handler);
    if (code === timeoutCode) return handler.turns.runLater(stateOf(socket).network, reject); // thousands may end together
    reject();
  });
}

/** Responds to a connection beyond the limit. */
export function rejectConnection(socket: Socket, handler: ConnectionHandler): void {
  socket.on('error', () => {}); // the client has already gone
  const detail = 'All connections are in use; retry in a moment.';
  const problem = new Problem('unavailable', detail, { retryAfterSeconds: 1 });
  endLingering(socket, handler.onUnparsed(problem, socket));
}

/**
 * An error within a body becomes a problem of the body's request. The response to any other error follows all
 * pending responses, and the connection ends.
 */
function rejectRequest(problem: Problem, socket: Socket, handler: ConnectionHandler): void {
  if (!socket.writable) return void socket.destroy();
  const { body, lastWaiting } = stateOf(socket);
  if (body !== undefined) return body.abort(problem);
  const end = (): void => endLingering(socket, handler.onUnparsed(problem, socket));
  const last = lastWaiting ?? currentResponse(socket);
  if (last === undefined) return end();
  // before `node:http` sees its end, which closes a connection whose client has ended its side
  last.prependOnceListener('finish', () => {
    if (last.shouldKeepAlive && socket.writable) end();
  });
}

function problemOf(code: string): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers-too-large', headTooLarge);
    case timeoutCode:
      return new Problem('request-timeout', 'The request did not arrive in time.');
    case 'HPE_INVALID_EOF_STATE':
      return new Problem('bad-request', 'The request ended before it was complete.');
    default:
      return new Problem('bad-request', 'Malformed HTTP/1.1 request.');
  }
}

const headTooLarge =
  `The request target must have at most ${urlBytesMax} bytes, and the header fields must be at most ` +
  `${headerFieldsMax}, of ${headerBytesMax} bytes in all.`;

/** Whether the error is the timeout of a streamed body, whose reader has its own time limit. */
function isSlowStream(code: string, socket: Socket): boolean {
  return code === timeoutCode && stateOf(socket).body?.hasOwnTimeout === true;
}
