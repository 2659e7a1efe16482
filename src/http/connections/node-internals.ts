// The functions that rely on undocumented behaviour of node:http. Each comment says what would be lost
// without the behaviour; the tests of this file detect a change of it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Drops the rest of the bytes that the parser is working on: up to 64 KiB, which it parses in one call.
 * Without this, the parser would create thousands of pipelined requests, or pieces of a body, that are
 * already refused: a turn of the event loop took 31 to 51 ms, and takes 13 ms with it. Node reuses parsers
 * for other connections, so the parser gets its callbacks back at the end of the turn, or when its connection
 * closes.
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
 * Calls `onRead` after each read that the parser has parsed; Node emits no event for it. Without this, the
 * heads in many TLS records would be parsed for seconds in one turn of the event loop: time is measured at
 * events, and no event happens meanwhile.
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

/** The parser's callbacks for parts of messages; its other callbacks report errors and timeouts. */
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
 * never: a rejected connection costs neither a parser nor a TLS handshake. That calling those listeners is
 * enough to accept a connection is not documented. Without this, a connection could be rejected only after
 * its parser or handshake exists.
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
 * Without this, `node:http` would check and join the fields of a head one by one: 8 % more CPU per read, and
 * 10 % per 304.
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
 * `close` are emitted if it ends early. A stream would take more than twice the CPU time for a body in chunks
 * of one byte: 18 instead of 8 ms for the 64 KiB of one read.
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

/**
 * The parser passes null at the end of the body. All requests share this function: a closure for each would
 * be slower in V8.
 */
function pushDirectly(this: DirectRequest, piece: Buffer | null): boolean {
  if (piece !== null) this[receiverKey].onPiece(piece);
  else {
    this._dumpAndCloseReadable(); // so that nothing waits for the end of the stream
    this[receiverKey].onEnd();
    this.emit('end'); // after a response `node:http` drops the request at this event
  }
  return true;
}

/**
 * Returns the response that is being sent on the connection; undefined between requests. A property of each
 * connection with its last request and response would keep them alive through garbage collections: 3 % more
 * CPU per read.
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
