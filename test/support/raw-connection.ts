// A connection on which a test writes any bytes, and reads the responses one by one.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';

export type RawResponse = {
  readonly status: number;
  /** By lower-case name; a repeated field's values are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
};

export type RawConnection = {
  readonly socket: Socket;
  write(bytes: string | Buffer): void;
  /** The next response; rejects if the connection ends before it is complete. */
  response(method?: 'HEAD'): Promise<RawResponse>;
  /** The statuses of the next responses, so many of them. */
  statuses(count: number): Promise<number[]>;
  /** Resolves once the other side has closed, with the bytes after the last response. */
  readonly closed: Promise<string>;
  /** Closes it at the end of a block that declares it with `using`. */
  [Symbol.dispose](): void;
};

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return rawOver(socket);
}

/** Reads and writes over a connected socket, plain or TLS. */
export function rawOver(socket: Socket): RawConnection {
  let received = '';
  let isOver = false;
  let look = (): void => {};
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
    look();
  });
  const closed = new Promise<string>((resolve) => {
    const end = (): void => {
      isOver = true;
      look();
      resolve(received);
    };
    socket.on('end', end).on('close', end).on('error', end);
  });

  function response(method?: 'HEAD'): Promise<RawResponse> {
    let lengthMin = 0;
    return new Promise((resolve, reject) => {
      look = () => {
        if (received.length < lengthMin && !isOver) return;
        const { response: found, length } = take(received, method);
        if (found === undefined && isOver)
          reject(new Error(`the connection ended within a response: ${JSON.stringify(received)}`));
        lengthMin = length;
        if (found === undefined) return;
        look = () => {};
        received = received.slice(length);
        resolve(found);
      };
      look();
    });
  }

  async function statuses(count: number): Promise<number[]> {
    const found: number[] = [];
    while (found.length < count) found.push((await response()).status);
    return found;
  }

  const write = (bytes: string | Buffer): void => void socket.write(bytes);
  return { socket, write, response, statuses, closed, [Symbol.dispose]: () => void socket.destroy() };
}

/** Sends a request on a connection of its own, and returns the response. */
export async function askRaw(port: number, bytes: string | Buffer, method?: 'HEAD'): Promise<RawResponse> {
  using connection = await openRaw(port);
  connection.write(bytes);
  return await connection.response(method);
}

type Taken = {
  /** Undefined if it is not whole. */
  readonly response: RawResponse | undefined;
  /** Of the response; as long as its head is not whole, of what has come of it. */
  readonly length: number;
};

function take(text: string, method: 'HEAD' | undefined): Taken {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return { response: undefined, length: text.length };
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  assert(status >= 100, `not the beginning of a response: ${first}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(': ');
    const name = line.slice(0, colon).toLowerCase();
    headers[name] =
      headers[name] === undefined ? line.slice(colon + 2) : `${headers[name]}, ${line.slice(colon + 2)}`;
  }
  const isEmpty = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  const isChunked = headers['transfer-encoding'] === 'chunked';
  const length = isEmpty ? 0 : isChunked ? chunksLength(text, end + 4) : Number(headers['content-length']);
  assert(length >= 0, `a response without Content-Length: ${first}`);
  const body = text.slice(end + 4, end + 4 + length);
  if (body.length < length) return { response: undefined, length: end + 4 + length };
  const plain = Buffer.from(body, 'latin1').toString('utf8');
  const isJson = /[/+]json/.test(headers['content-type'] ?? '') && plain !== '';
  return {
    response: { status, headers, text: plain, body: isJson ? JSON.parse(plain) : undefined },
    length: end + 4 + length,
  };
}

/** Returns the length of a chunked body that begins at `start`; one more than there is if it is not whole. */
function chunksLength(text: string, start: number): number {
  const end = text.indexOf('0\r\n\r\n', start);
  return (end === -1 ? text.length + 1 : end + 5) - start;
}
