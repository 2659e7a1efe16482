// A client with many connections at once, which tells a complete response from none.
import { Agent, request as plainRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';

export type LoadRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly token?: string | undefined;
  /** Sent as JSON; a string as it is. */
  readonly body?: object | string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A JSON object as the service sent it. */
export type Thing = Readonly<Record<string, unknown>>;
export type Reply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly thing: Thing;
  /** From the request to the end of the response. */
  readonly milliseconds: number;
};

export type LoadClient = {
  /** Rejects if no complete response comes. */
  ask(asked: LoadRequest): Promise<Reply>;
  /** Never rejects: without a complete response the status is 0, and the text says why. */
  attempt(asked: LoadRequest): Promise<Reply>;
  /** All elements of a list. */
  list(path: string, token?: string): Promise<Thing[]>;
  close(): void;
};

export type ClientOptions = {
  readonly connections?: number;
  /** How it trusts the service; without it the client speaks plain HTTP. */
  readonly tls?: ConnectionOptions;
  /** With each request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly replyMillisecondsMax?: number;
};

export function createLoadClient(port: number, options: ClientOptions = {}): LoadClient {
  const { connections = 64, tls, headers: always, replyMillisecondsMax } = options;
  const pool = { keepAlive: true, maxSockets: connections };
  const agent = tls === undefined ? new Agent(pool) : new TlsAgent({ ...pool, ...tls });

  function ask({ method, path, token, body, headers }: LoadRequest): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const payload = typeof body === 'object' ? JSON.stringify(body) : body;
    const fields: Record<string, string | number> = { ...always };
    if (payload !== undefined) fields['content-type'] = 'application/json';
    if (payload !== undefined) fields['content-length'] = Buffer.byteLength(payload);
    if (token !== undefined) fields['authorization'] = `Bearer ${token}`;
    const begin = performance.now();
    const sent = {
      ...{ agent, host: '127.0.0.1', port, method, path, headers: { ...fields, ...headers } },
      // as an option, so that it counts while the connection is made, too
      ...(replyMillisecondsMax === undefined ? {} : { timeout: replyMillisecondsMax }),
    };
    const request = tls === undefined ? plainRequest(sent) : tlsRequest(sent);
    request.on('timeout', () => request.destroy(new Error('No response came in time.')));
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => (text += more));
      // after `end` the promise is settled already
      response.on('error', reject).on('close', () => reject(new Error('The response was cut short.')));
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        const milliseconds = performance.now() - begin;
        resolve({ status, headers, text, thing: thingIn(headers, text), milliseconds });
      });
    });
    request.end(payload);
    return promise;
  }

  async function attempt(asked: LoadRequest): Promise<Reply> {
    const begin = performance.now();
    try {
      return await ask(asked);
    } catch (error) {
      const milliseconds = performance.now() - begin;
      return { status: 0, headers: {}, text: String(error), thing: {}, milliseconds };
    }
  }

  async function list(path: string, token?: string): Promise<Thing[]> {
    const things: Thing[] = [];
    for (let next: unknown = path; typeof next === 'string';) {
      const { status, text, thing } = await ask({ method: 'GET', path: next, token });
      if (status !== 200) throw new Error(`${path} gave ${status}: ${text}`);
      things.push(...(thing['data'] as Thing[])); // a list has its rows there
      next = thing['next'];
    }
    return things;
  }

  return { ask, attempt, list, close: () => agent.destroy() };
}

function thingIn(headers: IncomingHttpHeaders, text: string): Thing {
  // every JSON body of the service is an object
  return /[/+]json/.test(headers['content-type'] ?? '') && text !== '' ? (JSON.parse(text) as Thing) : {};
}

/** `201 ×3, 429 ×17`, in the order of the statuses. */
export function countsOf(replies: readonly Pick<Reply, 'status'>[]): string {
  const groups = [...Map.groupBy(replies, ({ status }) => status)].sort(([a], [b]) => a - b);
  return groups.map(([status, { length }]) => `${status} ×${length}`).join(', ') || 'none';
}
