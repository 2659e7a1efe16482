// The functions that rely on undocumented behaviour of node:http: why, and what is lost if it changes. The
// tests of this file detect such a change.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Drops the rest of the read that the parser is working on: up to 64 KiB, which it parses in one call. Without
 * this, thousands of pipelined requests, or of pieces of a body, that are refused would still be created: a turn
 * of the event loop then took 31 to 51 ms, and takes 13. Parsers are reused for other connections, so this one
 * gets its callbacks back at the end of the turn, or when its connection closes.
 */
export function dropRestOfRead(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  const callbacks = Object.entries(parser).filter(([, value]) => isParserCallback(value));
  for (const [key] of callbacks) parser[key] = undefined;
  const restore = (): void => {
    socket.off('close', restore);
    Object.assign(parser, Object.fromEntries(callbacks));
  };
  setImmediate(restore);
  socket.once('close', restore);
}

/**
 * Calls `onRead` after each read that the parser has parsed: the bytes pass from the system to the parser
 * without an event. Without this, heads that arrive in many records of TLS would be parsed for seconds in one
 * turn of the event loop, since no request shows that time passes.
 */
export function watchReads(socket: Socket, onRead: () => void): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  for (const [key, report] of Object.entries(parser)) {
    if (typeof report !== 'function' || report.name !== 'bound onParserExecute') continue;
    parser[key] = (result: unknown): void => {
      onRead();
      report(result);
    };
  }
}

function isParserCallback(value: unknown): boolean {
  return typeof value === 'function' && parserCallbacks.has(value.name);
}

type Parser = Record<string, unknown>;

function parserOf(socket: Socket): Parser | undefined {
  return (socket as Socket & { readonly parser?: Parser | null }).parser ?? undefined;
}

/** The callbacks with which the parser passes on parts of messages; the others report errors and timeouts. */
const parserCallbacks: ReadonlySet<string> = new Set([
  'parserOnHeaders',
  'parserOnHeadersComplete',
  'parserOnBody',
  'parserOnMessageComplete',
]);

/**
 * A client that has ended its side may still read. `http.createServer` ignores the option `allowHalfOpen`;
 * without this property such a client would not get its response.
 */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Passes new connections to `onConnection` instead of Node's own listeners, which `accept` calls later or
 * never: a rejected connection costs neither a parser nor a TLS handshake. It is not documented that a
 * connection is accepted by calling those listeners alone. Without this, connections could be rejected only
 * after they are accepted.
 */
export function interceptConnections(
  server: Server,
  onConnection: (socket: Socket, accept: () => void) => void,
): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) =>
    onConnection(socket, () => {
      for (const listener of listeners) listener.call(server, socket);
    }),
  );
}

/**
 * Sends a whole response, whose head is text up to the empty line. `isLast` closes the connection after it.
 * `node:http` would check and join the fields of a head one by one: a read would take 1.08 of its CPU time,
 * and a 304 1.1.
 */
export function endWithHead(
  response: ServerResponse,
  { status, text, isLast }: { readonly status: number; readonly text: string; readonly isLast: boolean },
  body: string | Buffer,
): void {
  const outgoing = response as ServerResponse & { _header: string; _last: boolean };
  outgoing.statusCode = status;
  outgoing._header = text;
  if (isLast) outgoing._last = true;
  outgoing.end(body, 'latin1');
}

/**
 * Passes the pieces of the request's body, and its end, to the receiver as they are parsed; `error` and
 * `close` are emitted if it ends early. As a stream, a body in chunks of one byte would take more than twice
 * its CPU time: 18 instead of 8 ms for the 64 KiB of one read.
 */
export function receiveDirectly(request: IncomingMessage, receiver: BodyReceiver): void {
  const incoming = request as DirectRequest;
  incoming[receiverKey] = receiver;
  incoming._consuming = true; // or `node:http` would drop the rest of the body after the response
  incoming.push = pushDirectly as IncomingMessage['push'];
}

type BodyReceiver = { onPiece(piece: Buffer): void; onEnd(): void };
type DirectRequest = IncomingMessage & {
  [receiverKey]: BodyReceiver;
  _consuming: boolean;
  _dumpAndCloseReadable(): void;
};
const receiverKey = Symbol('receiver');

/** The parser passes null at the end. It is one function for all requests: with closures V8 may be slow. */
function pushDirectly(this: DirectRequest, piece: Buffer | null): boolean {
  if (piece !== null) this[receiverKey].onPiece(piece);
  else {
    this._dumpAndCloseReadable(); // so that nothing waits for the end of the stream
    this[receiverKey].onEnd();
    this.emit('end'); // after a response `node:http` waits for it, to drop the request
  }
  return true;
}

/**
 * Returns the response that has the connection; undefined between requests. If each connection had its last
 * request and response in a property instead, they would all be copied by every collection of garbage, and a
 * read would take 1.03 of its CPU time.
 */
export function currentResponse(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/**
 * Keeps the connection from being read while `isWanted()`. `node:http` resumes a socket at the end of each
 * request and each response, and continues to read a tick later, at the event `resume`, even if the socket
 * was paused in between. It stops at the event `pause`, which a paused socket does not emit again. Without
 * this, a client could have more requests parsed than may wait.
 */
export function keepPausedWhile(socket: Socket, isWanted: () => boolean): void {
  socket.on('resume', () => {
    if (!isWanted()) return;
    socket.pause();
    socket.emit('pause');
  });
}
