// The head of a response: the one place where a status and header fields become bytes.
import { keepAliveMilliseconds } from '../limits.ts';
import { memoizeLast } from '../memoize-last.ts';
import type { Exchange } from './exchange.ts';

/** As `node:http` takes them: name, value, name, value. */
export type HeaderFields = readonly string[];

type Head = {
  readonly status: number;
  /** Of the caller's own, to which more are added here. */
  readonly fields: string[];
  /** Milliseconds since 1970. */
  readonly now: number;
};

// Not imported: an import of node:http reads all its exports, and one of them loads a whole WebSocket client.
const { STATUS_CODES, validateHeaderValue } = process.getBuiltinModule('node:http');
const keepAlive = `timeout=${keepAliveMilliseconds / 1000}`;

/** Both ways throw where a value is more than one line: nothing that a client sent can add a header field. */
export class HeadWriter {
  readonly #dateOf = memoizeLast((second: number) => new Date(second * 1000).toUTCString());

  /**
   * Says how long the connection may be reused; where it may not, `node:http` announces its end. So it does
   * where a client still waits for 100 Continue: its body may or may not follow.
   */
  write({ response, expectsContinue }: Exchange, { status, fields, now }: Head): void {
    fields.push('Date', this.#date(now));
    if (response.shouldKeepAlive && !expectsContinue)
      fields.push('Connection', 'keep-alive', 'Keep-Alive', keepAlive);
    response.writeHead(status, fields);
  }

  /** The head of the last response of a connection, for a socket that has no response. */
  lastText({ status, fields, now }: Head): string {
    fields.push('Date', this.#date(now), 'Connection', 'close');
    return headText(status, fields);
  }

  #date(now: number): string {
    return this.#dateOf(Math.floor(now / 1000));
  }
}

function headText(status: number, fields: HeaderFields): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let index = 0; index < fields.length; index += 2) {
    const [name = '', value = ''] = fields.slice(index, index + 2);
    validateHeaderValue(name, value);
    text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}
