// Reads the first bytes of a connection to a TLS port, before TLS does, to recognize plain HTTP.
import type { Socket } from 'node:net';
import { isCapital } from './bytes.ts';

type FirstBytesOptions = {
  /** Runs `task` in this turn of the event loop or in a later one. */
  readonly run: (task: () => void) => void;
  /** Called once the bytes are back in the socket, to be read as the beginning of TLS. */
  readonly onTls: () => void;
  readonly onPlainHttp: (bytes: Buffer) => void;
};

/** Waits for the first bytes for as long as the connection is open. */
export function readFirstBytes(socket: Socket, { run, onTls, onPlainHttp }: FirstBytesOptions): void {
  const ignore = (): void => {}; // the socket closes after an error
  socket.on('error', ignore);
  socket.once('readable', () => {
    const bytes: Buffer | null = socket.read();
    if (bytes === null) return void socket.destroy(); // the connection ended without any bytes
    // a method begins with a capital, a TLS record with its type, 20 to 24 (RFC 8446 section 5.1)
    if (isCapital(bytes[0])) return onPlainHttp(bytes);
    socket.unshift(bytes);
    run(() => {
      if (socket.destroyed) return;
      socket.off('error', ignore);
      onTls();
    });
  });
}
