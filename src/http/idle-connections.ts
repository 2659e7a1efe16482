// Ends connections on which nothing is sent or received, or which their clients have ended.
import type { Socket } from 'node:net';
import { idleCheckMilliseconds, unreadMillisecondsMax, keepAliveMilliseconds } from '../limits.ts';
import { currentResponse } from './node-internals.ts';

const unreadChecksMax = unreadMillisecondsMax / idleCheckMilliseconds;
const idleChecksMax = keepAliveMilliseconds / idleCheckMilliseconds;

/** Connections checked in one turn of the event loop: to end thousands would take longer than a turn may. */
const checkedPerTurnMax = 250;

type SocketProgress = { readonly bytesMoved: number; checks: number };

/**
 * Checks all connections periodically: with a timer for each, as in Node's keep-alive, a request would
 * take a twentieth longer. A connection between requests is ended at the third check at which no byte has
 * moved, which is later than the time limit of an incomplete head. Times are counted in checks, so tests that
 * check more often have shorter times.
 */
export function endIdle(sockets: ReadonlySet<Socket>, checkMilliseconds: number): void {
  const progress = new WeakMap<Socket, SocketProgress>();
  setInterval(() => inspectSome([...sockets], progress), checkMilliseconds).unref();
}

/**
 * Called when the client has ended its side: destroys the connection if nothing is to be sent. To end it, as
 * Node would, takes twice as long, and thousands may end together. Over TLS its client may wait for the end
 * of TLS, so Node ends it.
 */
export function destroyIfEnded(socket: Socket): void {
  const isSending = currentResponse(socket) !== undefined || socket.writableLength > 0;
  if (!isSending && !('encrypted' in socket)) socket.destroy();
}

function inspectSome(sockets: Socket[], progress: WeakMap<Socket, SocketProgress>): void {
  for (const socket of sockets.splice(0, checkedPerTurnMax)) inspect(socket, progress);
  if (sockets.length > 0) setImmediate(() => inspectSome(sockets, progress));
}

function inspect(socket: Socket, seen: WeakMap<Socket, SocketProgress>): void {
  const bytesMoved = socket.bytesRead + socket.bytesWritten - socket.writableLength;
  const last = seen.get(socket);
  if (last?.bytesMoved !== bytesMoved) {
    seen.set(socket, { bytesMoved, checks: 0 });
    return;
  }
  last.checks += 1;
  endIfIdle(socket, last.checks);
}

function endIfIdle(socket: Socket, checks: number): void {
  const isResponding = currentResponse(socket) !== undefined;
  if (socket.writableLength > 0 && checks >= unreadChecksMax) socket.destroy();
  if (!isResponding && checks > idleChecksMax) socket.destroySoon();
}
