// What relies on more of Node than its documentation promises: why, and what is lost should it change. The
// tests of this file show it.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Takes a connection from the parser of `node:http`: what still arrives is dropped unparsed, and `end` is
 * called where `node:http` would close the connection after its response. Parsing costs a chunk of one byte
 * as much as a large one, and there is no documented way out of the parser but an upgrade. Otherwise the
 * chunks would be parsed until the connection ends, and its last response might be lost to a reset.
 */
export function takeFromParser(socket: Socket, end: () => void): void {
  socket.removeAllListeners('data').on('data', () => {}); // the parser's own is among them
  socket.destroySoon = end;
}

/**
 * A client that has ended its side may still read. The option of that name is not `node:http`'s to take.
 * Otherwise such a client would not get its response.
 */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}
