// A client on the other side of a proxy: curl, which speaks HTTP/1.1 and HTTP/2.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import type { RunningProxy } from './proxies.ts';

export const protocols = { 'HTTP/1.1': '--http1.1', 'HTTP/2': '--http2' };
export type Protocol = keyof typeof protocols;

export type Asked = {
  readonly method?: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent without Content-Length: in chunks by HTTP/1.1. */
  readonly chunked?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
};

export type Answered = {
  readonly status: number;
  readonly text: string;
  /** The names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
};

const answerSecondsMax = 60;

export class ProxyClient {
  readonly #proxy: RunningProxy;
  readonly #protocol: Protocol;

  constructor(proxy: RunningProxy, protocol: Protocol) {
    this.#proxy = proxy;
    this.#protocol = protocol;
  }

  /** Fails where the connection breaks or the answer has another protocol. */
  async ask(path: string, asked: Asked = {}): Promise<Answered> {
    const child = this.#curl(path, asked, ['-i', '--max-time', String(answerSecondsMax)]);
    child.stdin.on('error', () => {
      /* it has been answered before all was sent */
    });
    child.stdin.end(asked.chunked ?? (asked.body === undefined ? '' : JSON.stringify(asked.body)));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [exit] = await once(child, 'close');
    assert.equal(exit, 0, `${asked.method ?? 'GET'} ${path}: curl ended with ${exit}: ${output.slice(-500)}`);
    return this.#parse(output);
  }

  /**
   * For a service that is stopped meanwhile. By HTTP/2 it is Node that asks: curl 7.88 takes an answer that comes before
   * it has sent its body, such as a 502, for a broken stream.
   */
  async post(path: string, token: string, body: object): Promise<Pick<Answered, 'status' | 'text'>> {
    if (this.#protocol === 'HTTP/1.1') return this.ask(path, { method: 'POST', token, body });
    const { port, certificate } = this.#proxy;
    const session = connect(`https://127.0.0.1:${port}`, {
      ca: readFileSync(certificate),
      servername: 'orders.example.com',
    });
    try {
      const stream = session.request({
        ':method': 'POST',
        ':path': path,
        ':authority': `orders.example.com:${port}`,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      });
      stream.setTimeout(answerSecondsMax * 1_000, () => stream.destroy(new Error('no answer')));
      stream.end(JSON.stringify(body));
      const [headers] = await once(stream, 'response');
      let text = '';
      for await (const part of stream.setEncoding('utf8')) text += part;
      return { status: Number(headers[':status']), text };
    } finally {
      session.close();
    }
  }

  /** The answer's text as it arrives. */
  stream(path: string, asked: Asked): { readonly arrived: () => string; end(): Promise<void> } {
    const child = this.#curl(path, asked, ['-N', '-i']);
    child.stdin.end();
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += bytes));
    const ended = once(child, 'close');
    const end = async (): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
    };
    return { arrived: () => text, end };
  }

  #curl(
    path: string,
    { method = 'GET', token, body, chunked, headers = {}, args = [] }: Asked,
    own: string[],
  ) {
    const { port, certificate } = this.#proxy;
    const all: Record<string, string> = { ...headers };
    if (token !== undefined) all['authorization'] = `Bearer ${token}`;
    if (body !== undefined) all['content-type'] ??= 'application/json';
    const sent = chunked !== undefined ? ['-T', '-'] : body !== undefined ? ['--data-binary', '@-'] : [];
    const flags = [
      ...['-s', '-S', '--noproxy', '*', '--path-as-is', '--cacert', certificate, protocols[this.#protocol]],
      ...['--resolve', `orders.example.com:${port}:127.0.0.1`, '-X', method, ...sent, ...own, ...args],
      ...Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ];
    return spawn('curl', [...flags, `https://orders.example.com:${port}${path}`]);
  }

  #parse(output: string): Answered {
    let rest = output;
    let head = '';
    do {
      const end = rest.indexOf('\r\n\r\n');
      head = rest.slice(0, end);
      rest = rest.slice(end + 4);
    } while (/^HTTP\/\S+ 1/.test(head)); // 100 Continue
    const [first = '', ...lines] = head.split('\r\n');
    const [, version = '', status = ''] = /^(HTTP\/\S+) (\d+)/.exec(first) ?? [];
    assert.equal(version, this.#protocol, output.slice(0, 200));
    const headers = new Map(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    return { status: Number(status), text: rest, headers };
  }
}
