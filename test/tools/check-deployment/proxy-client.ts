// A client on the other side of a proxy, which speaks HTTP/1.1 or HTTP/2.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { RunningProxy } from './proxies.ts';

export const protocols = ['HTTP/1.1', 'HTTP/2'] as const;
export type Protocol = (typeof protocols)[number];

export type Asked = {
  readonly method?: string;
  readonly token?: string;
  /** Sent as JSON; a string as it is. */
  readonly body?: object | string;
  /** Sent without Content-Length: in chunks by HTTP/1.1. */
  readonly chunked?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's own address. */
  readonly localAddress?: string;
};

type Fields = Readonly<Record<string, unknown>>;
export type Answered = { readonly status: number; readonly text: string; readonly headers: Fields };
type Opened = {
  readonly status: number;
  readonly headers: Fields;
  readonly content: Readable;
  close(): void;
};

const name = 'orders.example.com';
const answerMillisecondsMax = 60_000;

export class ProxyClient {
  readonly #proxy: RunningProxy;
  readonly #protocol: Protocol;

  constructor(proxy: RunningProxy, protocol: Protocol) {
    this.#proxy = proxy;
    this.#protocol = protocol;
  }

  /** Rejects where the connection breaks. */
  async ask(path: string, asked: Asked = {}): Promise<Answered> {
    const { status, headers, content, close } = await this.#open(path, asked);
    const bytes = Buffer.concat(await content.toArray());
    close();
    const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    return { status, headers, text: plain.toString() };
  }

  /** The answer's text as it arrives. */
  async stream(path: string, asked: Asked): Promise<{ readonly arrived: () => string; end(): void }> {
    const { headers, content, close } = await this.#open(path, asked);
    let text = `${headers['content-type']}\n`;
    content.on('error', () => {}).on('data', (bytes) => (text += bytes)); // it is ended by this client
    return { arrived: () => text, end: close };
  }

  #open(path: string, asked: Asked): Promise<Opened> {
    const { method = 'GET', token, body, chunked, headers, localAddress } = asked;
    const fields: Record<string, string> = { ...headers };
    const payload = chunked ?? (typeof body === 'object' ? JSON.stringify(body) : body);
    if (token !== undefined) fields['authorization'] = `Bearer ${token}`;
    if (body !== undefined) fields['content-type'] ??= 'application/json';
    if (body !== undefined) fields['content-length'] = String(Buffer.byteLength(payload ?? ''));
    const sent = { method, path, fields, payload, ...(localAddress === undefined ? {} : { localAddress }) };
    return this.#protocol === 'HTTP/1.1' ? this.#openHttp1(sent) : this.#openHttp2(sent);
  }

  async #openHttp1({ method, path, fields, payload, ...local }: Sent): Promise<Opened> {
    const headers: Record<string, string> = { host: `${name}:${this.#proxy.port}`, ...fields };
    if (payload !== undefined && headers['content-length'] === undefined)
      headers['transfer-encoding'] = 'chunked';
    const sent = request({ ...this.#target(), ...local, agent: false, method, path, headers });
    sent.setTimeout(answerMillisecondsMax, () => sent.destroy(new Error('no answer')));
    sent.end(payload);
    const [response]: [IncomingMessage] = (await once(sent, 'response')) as [IncomingMessage]; // as documented
    sent.on('error', () => {}); // it may be answered before all is sent
    const { statusCode: status = 0, headers: received } = response;
    return { status, headers: received, content: response, close: () => sent.destroy() };
  }

  async #openHttp2({ method, path, fields, payload, ...local }: Sent): Promise<Opened> {
    const session = connect(`https://127.0.0.1:${this.#proxy.port}`, { ...this.#target(), ...local });
    session.on('error', () => {}); // its stream has the error, too
    const authority = `${name}:${this.#proxy.port}`;
    const head = { ':method': method, ':path': path, ':authority': authority, ...fields };
    const stream = session.request(head, { endStream: payload === undefined });
    stream.setTimeout(answerMillisecondsMax, () => stream.destroy(new Error('no answer')));
    if (payload !== undefined) stream.end(payload);
    const [headers] = (await once(stream, 'response')) as [Fields]; // as documented
    assert.equal(session.alpnProtocol, 'h2');
    return { status: Number(headers[':status']), headers, content: stream, close: () => session.destroy() };
  }

  #target(): {
    readonly host: string;
    readonly port: number;
    readonly servername: string;
    readonly ca: Buffer;
  } {
    const { port, certificate } = this.#proxy;
    return { host: '127.0.0.1', port, servername: name, ca: readFileSync(certificate) };
  }
}

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly payload: string | undefined;
  readonly localAddress?: string;
};
