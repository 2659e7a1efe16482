// The head of an answer as text, handed to `node:http` in one piece.
import type { ServerResponse } from 'node:http';
import { memoizeLast } from '../memoize-last.ts';
import type { Exchange } from './exchange.ts';

// Not imported: an import of node:http reads all its exports, and one of them loads a whole WebSocket client.
const { STATUS_CODES } = process.getBuiltinModule('node:http');
const statusLines: string[] = [];
for (const [status, reason] of Object.entries(STATUS_CODES))
  statusLines[Number(status)] = `HTTP/1.1 ${status} ${reason}\r\n`;

/** One line of a head; throws where a value could be taken for more than one. */
export function headerLine(name: string, value: string): string {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw new TypeError(`${name} can't have the value ${JSON.stringify(value)}.`);
  return `${name}: ${value}\r\n`;
}

/**
 * Not documented: Node 24 and 26 send a finished head in `_header` as it is. One that doesn't know it any
 * more is given `writeHead`.
 */
type Unsent = ServerResponse & { _header: string | null; _headerSent: boolean; _hasBody: boolean };

/**
 * Does what `writeHead` does, for the lines of a whole head. `writeHead` takes each field apart and puts it
 * together again, which costs a read 1 µs of 12; it is left the answers after which a connection may have to
 * end. So it ends a connection whose client still waits for 100 Continue: its body may or may not follow.
 */
export function createHeadWriter(
  keepAliveSeconds: number,
): (exchange: Exchange, status: number, lines: string, now: number) => void {
  const end = memoizeLast(
    (second: number) =>
      `Date: ${new Date(second * 1000).toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`,
  );
  return ({ response, expectsContinue }, status, lines, now) => {
    if (response.shouldKeepAlive && !expectsContinue) {
      const unsent = response as Unsent;
      response.statusCode = status;
      if (status === 204 || status === 304) unsent._hasBody = false;
      unsent._headerSent = false;
      unsent._header = statusLines[status] + lines + end(Math.floor(now / 1000));
    }
    if (!response.headersSent) response.writeHead(status, pairsOf(lines));
  };
}

/** The head of the last answer of a connection. */
export function lastHead(status: number, lines: string, now: number): string {
  return `${statusLines[status]}${lines}Date: ${new Date(now).toUTCString()}\r\nConnection: close\r\n\r\n`;
}

function pairsOf(lines: string): string[] {
  return lines
    .split('\r\n')
    .slice(0, -1)
    .flatMap((text) => [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 2)]);
}
