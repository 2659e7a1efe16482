// Ends connections whose clients are still sending, so that the last response isn't lost to a reset.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stateOf } from './connection-state.ts';

const lingerMillisecondsMax = 1_000;

/**
 * Sends the response and ends this side of the connection. Drops whatever the client sends for up to
 * `lingerMillisecondsMax`: TCP would reset a connection that is closed with unread bytes.
 */
export function endLingering(socket: Socket, response = ''): void {
  stateOf(socket).isEnding = true;
  socket.end(response, 'latin1');
  socket.resume();
  const deadline = setTimeout(() => socket.destroy(), lingerMillisecondsMax);
  socket.once('close', () => clearTimeout(deadline));
}

/** Ends the connection after the response, which may have been sent already. Further requests are ignored. */
export function endAfterResponse({ socket }: IncomingMessage, response: ServerResponse): void {
  const state = stateOf(socket);
  if (state.isEnding) return;
  state.isEnding = true;
  response.shouldKeepAlive = false;
  if (response.writableFinished) endLingering(socket);
  else response.once('finish', () => endLingering(socket));
}
