// Ends connections on which nothing moves.
import type { Socket } from 'node:net';
import { idleLookMilliseconds, idleSocketMillisecondsMax, keepAliveMilliseconds } from '../limits.ts';
import { stateOf } from './connection-state.ts';

type Seen = { readonly bytesMoved: number; looks: number };

/**
 * Looks at all connections now and then: a timer for each, as Node's own keep-alive has, is set anew twice a
 * request and takes a twentieth of its time. Between requests a connection is idle at the third look at which
 * no byte has moved: later than an incomplete head is refused.
 */
export function endIdle(sockets: ReadonlySet<Socket>, everyMilliseconds: number): void {
  const seen = new WeakMap<Socket, Seen>();
  setInterval(() => {
    for (const socket of sockets) look(socket, seen);
  }, everyMilliseconds).unref();
}

function look(socket: Socket, seen: WeakMap<Socket, Seen>): void {
  const bytesMoved = socket.bytesRead + socket.bytesWritten - socket.writableLength;
  const last = seen.get(socket);
  if (last?.bytesMoved !== bytesMoved) {
    seen.set(socket, { bytesMoved, looks: 0 });
    return;
  }
  last.looks += 1;
  endIfIdle(socket, last.looks);
}

function endIfIdle(socket: Socket, looks: number): void {
  const isResponding = stateOf(socket).currentResponse !== undefined;
  if (socket.writableLength > 0 && looks >= idleSocketMillisecondsMax / idleLookMilliseconds)
    socket.destroy();
  if (!isResponding && looks > keepAliveMilliseconds / idleLookMilliseconds) socket.destroySoon();
}
