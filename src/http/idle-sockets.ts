// Ends connections on which nothing moves.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { idleLookMilliseconds, idleSocketMillisecondsMax, keepAliveMilliseconds } from '../limits.ts';

/** The insides of a server's socket that say what the parser and the answers are at. */
export type Answering = Socket & {
  readonly parser?: { readonly incoming?: { readonly complete: boolean } | null } | null;
  readonly _httpMessage?: ServerResponse | null;
};

/**
 * One look at all of them now and then: a timer for each, as Node's own keep-alive has, is set anew twice a
 * request and takes a twentieth of its time. Between requests a connection is idle at the third look that
 * finds nothing moved: later than a head that doesn't come is refused.
 */
export function endIdle(sockets: ReadonlySet<Answering>, everyMilliseconds: number): void {
  const seen = new WeakMap<Socket, { readonly moved: number; looks: number }>();
  setInterval(() => {
    for (const socket of sockets) {
      const moved = socket.bytesRead + socket.bytesWritten - socket.writableLength;
      const last = seen.get(socket);
      if (last?.moved !== moved) seen.set(socket, { moved, looks: 0 });
      else endIfIdle(socket, (last.looks += 1));
    }
  }, everyMilliseconds).unref();
}

function endIfIdle(socket: Answering, looks: number): void {
  if (socket.writableLength > 0 && looks >= idleSocketMillisecondsMax / idleLookMilliseconds)
    socket.destroy();
  if (!socket._httpMessage && looks > keepAliveMilliseconds / idleLookMilliseconds) socket.destroySoon();
}
