// Connections that send prepared requests with little work of their own, so that the service is measured and
// not the client.
import { connect } from 'node:net';

export type Answered = { readonly status: number; readonly milliseconds: number };

/** A connection that takes one request at a time. */
export type Lane = { ask(request: string): Promise<Answered>; close(): void };

export async function openLanes(port: number, count: number): Promise<Lane[]> {
  return Promise.all(Array.from({ length: count }, () => openLane(port)));
}

function openLane(port: number): Promise<Lane> {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  let start = 0;
  let text = '';
  let answered: PromiseWithResolvers<Answered> | undefined;
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more;
    const head = text.indexOf('\r\n\r\n');
    if (head === -1 || text.length < head + 4 + Number(/Content-Length: (\d+)/.exec(text)?.[1] ?? 0)) return;
    answered?.resolve({ status: Number(text.slice(9, 12)), milliseconds: performance.now() - start });
    text = '';
  });
  socket.on('close', () => answered?.reject(new Error('the connection was closed')));
  socket.on('error', () => {
    /* close follows */
  });
  const lane: Lane = {
    ask(request) {
      answered = Promise.withResolvers();
      if (socket.destroyed) answered.reject(new Error('the connection was closed while it was idle'));
      start = performance.now();
      socket.write(request, 'latin1');
      return answered.promise;
    },
    close: () => socket.destroy(),
  };
  return new Promise((resolve, reject) => socket.once('connect', () => resolve(lane)).once('error', reject));
}

/** The text of a request. */
export function request(method: string, path: string, token: string, body?: object): string {
  const payload = body === undefined ? '' : JSON.stringify(body);
  const content =
    body === undefined
      ? ''
      : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(payload)}\r\n`;
  return (
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
    `${content}\r\n${payload}`
  );
}

/**
 * Sends so many requests a second, however slow the responses are: the time of a request includes its wait
 * for a free lane. Milliseconds of each, sorted.
 */
export async function pace(
  lanes: readonly Lane[],
  {
    perSecond,
    seconds,
    status,
    next,
  }: { perSecond: number; seconds: number; status: number; next: () => string },
): Promise<number[]> {
  const free = [...lanes];
  const due: number[] = [];
  const times: number[] = [];
  const wrong: number[] = [];
  const start = performance.now();
  let sent = 0;
  const send = (): void => {
    // neither is empty
    while (due.length > 0 && free.length > 0) sendOn(free.shift() as Lane, due.shift() ?? 0);
  };
  const sendOn = (lane: Lane, since: number): void => {
    void lane.ask(next()).then(
      (response) => {
        if (response.status === status) times.push(performance.now() - since);
        else wrong.push(response.status);
        free.push(lane);
        send();
      },
      () => {
        wrong.push(0);
        free.push(lane); // it rejects the requests that are still due, so that this ends
        send();
      },
    );
  };
  while (sent < perSecond * seconds) {
    const now = performance.now();
    for (; sent < Math.min((now - start) / 1000, seconds) * perSecond; sent += 1) due.push(now);
    send();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (times.length + wrong.length < sent) await new Promise((resolve) => setTimeout(resolve, 5));
  if (wrong.length > 0)
    throw new Error(
      `${wrong.length} of ${sent} responses were not ${status}: ${[...new Set(wrong)].join(', ')}`,
    );
  return times.sort((a, b) => a - b);
}

/** Each lane sends its next request as soon as it has a response. `times` are milliseconds, sorted. */
export async function rush(
  lanes: readonly Lane[],
  { seconds, status, next }: { seconds: number; status: number; next: () => string },
): Promise<{ readonly perSecond: number; readonly times: number[] }> {
  const start = performance.now();
  const end = start + seconds * 1000;
  const times: number[] = [];
  await Promise.all(
    lanes.map(async (lane) => {
      while (performance.now() < end) {
        const response = await lane.ask(next());
        if (response.status !== status) throw new Error(`A response was ${response.status}, not ${status}.`);
        times.push(response.milliseconds);
      }
    }),
  );
  return {
    perSecond: times.length / ((performance.now() - start) / 1000),
    times: times.sort((a, b) => a - b),
  };
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
