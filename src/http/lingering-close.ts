// The end of a connection whose client still sends: the last answer must not be lost to a reset.
import type { Socket } from 'node:net';
import { lingerMillisecondsMax } from '../limits.ts';

/** Reads and drops what still arrives, for a while: TCP resets a connection with unread bytes. */
export function endLingering(socket: Socket, answer = ''): void {
  socket.end(answer, 'latin1');
  const cut = setTimeout(() => socket.destroy(), lingerMillisecondsMax);
  socket.once('close', () => clearTimeout(cut));
}

/**
 * Takes the connection from the parser: what still arrives is dropped unparsed, and where `node:http` would
 * close the connection after the answer, it lingers.
 */
export function stopParsing(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => {});
  let isEnding = false;
  socket.destroySoon = () => {
    if (!isEnding) endLingering(socket);
    isEnding = true;
  };
}
