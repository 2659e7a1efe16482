// The end of a connection whose client still sends: the last response must not be lost to a reset.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { lingerMillisecondsMax } from '../limits.ts';
import { takeFromParser } from './node-internals.ts';

/**
 * Reads and drops what still arrives, up to `lingerMillisecondsMax`: TCP resets a connection with unread
 * bytes.
 */
export function endLingering(socket: Socket, response = ''): void {
  socket.end(response, 'latin1');
  const deadline = setTimeout(() => socket.destroy(), lingerMillisecondsMax);
  socket.once('close', () => clearTimeout(deadline));
}

/** What still arrives is dropped unparsed, and after its response the connection lingers. */
export function stopParsing(socket: Socket): void {
  let isEnding = false;
  takeFromParser(socket, () => {
    if (!isEnding) endLingering(socket);
    isEnding = true;
  });
}

/** Nothing more of the request is parsed; after its response, sent by now or later, the connection ends. */
export function endAfterResponse({ socket }: IncomingMessage, response: ServerResponse): void {
  stopParsing(socket);
  response.shouldKeepAlive = false;
  if (response.writableFinished) socket.destroySoon();
  else response.once('finish', () => socket.destroySoon());
}
