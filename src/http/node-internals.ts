// What relies on more of node:http than its documentation promises: why, and what is lost should it change.
// The tests of this file show it.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Takes a connection from the parser of `node:http`: what still arrives is dropped unparsed, and `end` is
 * called when `node:http` would close the connection after its response. Parsing costs a chunk of one byte
 * as much as a large one, and there is no documented way out of the parser but an upgrade. Otherwise the
 * chunks would be parsed until the connection ends, and its last response might be lost to a reset.
 */
export function takeFromParser(socket: Socket, end: () => void): void {
  dropRestOfRead(socket);
  socket.removeAllListeners('data').on('data', () => {}); // the parser's own is among them
  socket.destroySoon = end;
}

/**
 * Nothing more comes of what the parser is reading at the moment. That is up to 64 KiB, parsed in one go:
 * with chunks of one byte, or pipelined requests, it takes 20 ms, and 2 ms without a call for each of them.
 * Otherwise it would take the 20 ms. A parser serves other connections later, so it gets its callbacks back
 * at the end of the turn, and before it is given to another.
 */
export function dropRestOfRead(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  const callbacks = Object.entries(parser).filter(([, value]) => isParserCallback(value));
  for (const [key] of callbacks) parser[key] = undefined;
  const restore = (): void => void Object.assign(parser, Object.fromEntries(callbacks));
  setImmediate(restore);
  socket.once('close', restore);
}

/**
 * Calls `onRead` after each read that the parser has parsed: `copy` copies its bytes, and is to be called at
 * once. They pass from the system to the parser without an event. Otherwise a target that comes in several
 * packets and is too long for the parser would be reported as header fields that are.
 */
export function watchReads(socket: Socket, onRead: (read: ParsedRead) => void): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  const copy = (): Buffer => parser.getCurrentBuffer();
  for (const [key, report] of Object.entries(parser)) {
    if (typeof report !== 'function' || report.name !== 'bound onParserExecute') continue;
    parser[key] = (result: unknown): void => {
      onRead({ result: result as number | ParserError, copy });
      report(result);
    };
  }
}

/** How many bytes were parsed, or why not all were. */
export type ParsedRead = { readonly result: number | ParserError; copy(): Buffer };
export type ParserError = Error & {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** How much of what was read was parsed before the error. */
  readonly bytesParsed?: number;
};

function isParserCallback(value: unknown): boolean {
  return typeof value === 'function' && parserCallbacks.has(value.name);
}

type Parser = Record<string, unknown> & { getCurrentBuffer(): Buffer };

function parserOf(socket: Socket): Parser | undefined {
  return (socket as Socket & { readonly parser?: Parser | null }).parser ?? undefined;
}

/** What the parser calls for what it has parsed; its other callbacks report errors and timeouts. */
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
 * Passes new connections to `onConnection`, and not to Node's own listeners, which `accept` calls later or
 * never: a rejected connection costs neither a parser nor a TLS handshake. That calling them is all there is
 * to accepting a connection is not documented. Otherwise a connection could be rejected only once accepted.
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
 * `server.close()` then leaves open what seems idle, though a request may be on its way there, or a response
 * not yet read. It is documented that it closes those, and not that it calls this method.
 */
export function keepIdleConnectionsOpen(server: Server): void {
  server.closeIdleConnections = () => {};
}

/**
 * Whether this is the response that is sent next on its connection. `node:http` parses pipelined requests
 * ahead, and gives a response its socket once it has handed the whole previous one to the system; documented
 * is only that a response that has ended has none. Requests of one connection run one after the other by
 * this alone: should it change, they would run together, or never.
 */
export function hasConnection(response: ServerResponse): boolean {
  return response.socket !== null;
}

/** Calls `task` when the response gets its connection; the event is as undocumented as the order above. */
export function onceConnected(response: ServerResponse, task: () => void): void {
  response.once('socket', task);
}

/**
 * Reads nothing more of the connection while `isWanted()`. `node:http` resumes a socket at the end of each
 * request and each response, and a tick later, at the event `resume`, reads on: whether or not the socket was
 * paused in between. It stops at the event `pause`, which a socket that is paused already does not emit.
 * Otherwise a client could have more requests parsed than may wait.
 */
export function keepPausedWhile(socket: Socket, isWanted: () => boolean): void {
  socket.on('resume', () => {
    if (!isWanted()) return;
    socket.pause();
    socket.emit('pause');
  });
}
