// A real receiver of webhooks on loopback: it holds each request until the test answers it.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly text: string;
  /** The parsed event. Tests read any member. */
  // deno-lint-ignore no-explicit-any
  readonly event: any;
  readonly response: ServerResponse;
  answer(status: number, headers?: Readonly<Record<string, string>>, body?: string): void;
};

type Options = { readonly host?: string; readonly tls?: { readonly cert: string; readonly key: string } };

export class Receiver {
  readonly #server: Server;
  readonly #received: Received[] = [];
  #wanted: ((received: Received) => void) | undefined;
  #protocol = 'http:';
  /** Connections, and requests, so far. */
  connections = 0;
  count = 0;

  static async start(
    t: Pick<TestContext, 'after'>,
    { host = '127.0.0.1', tls }: Options = {},
  ): Promise<Receiver> {
    const receiver = new Receiver(tls);
    receiver.#server.listen(0, host);
    await once(receiver.#server, 'listening');
    t.after(() => receiver.stop());
    return receiver;
  }

  private constructor(tls: Options['tls']) {
    const listener: RequestListener = (request, response) => void this.#receive(request, response);
    if (tls !== undefined) this.#protocol = 'https:';
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#server.on('connection', () => (this.connections += 1));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // it listens on a port
  }

  url(host = '127.0.0.1'): string {
    return `${this.#protocol}//${host}:${this.port}/hook`;
  }

  /** The next request, received and not yet answered. */
  next(): Promise<Received> {
    const first = this.#received.shift();
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve) => {
      this.#wanted = resolve;
    });
  }

  /** Accepts the next requests, and returns the subjects of their events. */
  async take(count: number): Promise<string[]> {
    const subjects: string[] = [];
    while (subjects.length < count) {
      const { event, answer } = await this.next();
      subjects.push(event.subject);
      answer(204);
    }
    return subjects;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #receive(request: Parameters<RequestListener>[0], response: ServerResponse): Promise<void> {
    this.count += 1;
    const text = Buffer.concat(await request.toArray()).toString();
    const { headers, url: path = '' } = request;
    const answer: Received['answer'] = (status, fields = {}, body = '') =>
      void response.writeHead(status, fields).end(body);
    const received = { headers, path, text, event: JSON.parse(text), response, answer };
    const wanted = this.#wanted;
    this.#wanted = undefined;
    if (wanted === undefined) this.#received.push(received);
    else wanted(received);
  }
}

/** Whether one of the signatures is by this secret, according to Standard Webhooks. */
export function isSignedWith({ headers, text }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(signature);
}
