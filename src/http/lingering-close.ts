// Ends connections whose clients are still sending, so that the last response isn't lost to a reset.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { lingerMillisecondsMax } from '../limits.ts';
import { hasTooManyPieces } from './arriving-bodies.ts';
import { stateOf } from './connection-state.ts';
import { stopReadingWhilePaused, takeFromParser } from './node-internals.ts';

/**
 * Sends the response and ends this side of the connection. The client's side may stay open for up to
 * `lingerMillisecondsMax`, since TCP resets a connection that is closed with unread bytes.
 */
export function endLingering(socket: Socket, response = ''): void {
  socket.end(response, 'latin1');
  const deadline = setTimeout(() => socket.destroy(), lingerMillisecondsMax);
  socket.once('close', () => clearTimeout(deadline));
}

/** Drops what the client of a connection without a parser still sends, unless it comes in too many reads. */
function dropReads(socket: Socket): void {
  const { bytesRead: before } = socket;
  let reads = 0;
  stopReadingWhilePaused(socket);
  socket.on('data', () => {
    stateOf(socket).onRead();
    reads += 1;
    if (hasTooManyPieces(reads, socket.bytesRead - before)) socket.destroy();
  });
}

/** Drops all further bytes unparsed, and lets the connection linger after its response. */
export function stopParsing(socket: Socket): void {
  let isEnding = false;
  takeFromParser(socket, () => {
    if (!isEnding) endLingering(socket);
    isEnding = true;
  });
  dropReads(socket);
}

/** Stops parsing the request, and ends the connection after its response, whether sent already or not. */
export function endAfterResponse({ socket }: IncomingMessage, response: ServerResponse): void {
  stopParsing(socket);
  response.shouldKeepAlive = false;
  if (response.writableFinished) socket.destroySoon();
  else response.once('finish', () => socket.destroySoon());
}
