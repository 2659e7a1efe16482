// A client with many connections at once, which tells a complete response from none.
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export type LoadRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A JSON object as the service sent it. */
export type Thing = Readonly<Record<string, unknown>>;
export type Reply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly thing: Thing;
};

export type LoadClient = {
  /** Rejects if no complete response comes. */
  ask(asked: LoadRequest): Promise<Reply>;
  /** All elements of a list. */
  list(path: string, token: string): Promise<Thing[]>;
  close(): void;
};

export function createLoadClient(port: number, connections = 64): LoadClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });

  function ask({ method, path, token, body, headers }: LoadRequest): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const fields = {
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    };
    const request = httpRequest(
      { agent, host: '127.0.0.1', port, method, path, headers: fields },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (more: string) => {
            text += more;
          })
          .on('error', reject);
        // After `end` the promise is settled already.
        response.on('close', () => reject(new Error('The response was cut short.')));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            thing: thingIn(response.headers, text),
          }),
        );
      },
    );
    request.on('error', reject).end(payload);
    return promise;
  }

  async function list(path: string, token: string): Promise<Thing[]> {
    const things: Thing[] = [];
    for (let next: unknown = path; typeof next === 'string';) {
      const { status, text, thing } = await ask({ method: 'GET', path: next, token });
      if (status !== 200) throw new Error(`${path} gave ${status}: ${text}`);
      things.push(...(thing['data'] as Thing[])); // a list has its rows there
      next = thing['next'];
    }
    return things;
  }

  return { ask, list, close: () => agent.destroy() };
}

function thingIn(headers: IncomingHttpHeaders, text: string): Thing {
  // every JSON body of the service is an object
  return /[/+]json/.test(headers['content-type'] ?? '') && text !== '' ? (JSON.parse(text) as Thing) : {};
}
