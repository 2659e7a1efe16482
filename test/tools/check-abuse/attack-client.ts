// Requests of an attack: complete ones over node:http, and raw bytes on a connection of their own.
import { request as httpRequest, type Agent } from 'node:http';
import { connect, type Socket } from 'node:net';

export type Body = {
  readonly id?: number;
  readonly key?: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
};

export type Reply = {
  /** 0 if the connection ended without a response. */
  readonly status: number;
  readonly body: Body;
  readonly milliseconds: number;
};

export type Sent = {
  readonly token?: string | undefined;
  readonly key?: string | undefined;
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
};

const replyMillisecondsMax = 20_000;

/** The fields with which a trusted proxy passes on a request from this address. */
export function from(address: string): Record<string, string> {
  return { 'X-Forwarded-For': address, 'X-Forwarded-Proto': 'https' };
}

function credentialHeaders({ token, key }: Pick<Sent, 'token' | 'key'>): Record<string, string> {
  if (token !== undefined) return { Authorization: `Bearer ${token}` };
  return key === undefined ? {} : { 'X-API-Key': key };
}

/** Never rejects, since failures are counted as well. */
export function ask(port: number, method: string, path: string, sent: Sent = {}): Promise<Reply> {
  const text = textOf(sent.body);
  const headers: Record<string, string> = { ...credentialHeaders(sent), ...sent.headers };
  if (text !== undefined)
    headers['Content-Type'] ??= method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const start = performance.now();
  const reply = (status: number, body: Body): void =>
    resolve({ status, body, milliseconds: performance.now() - start });
  const options = { host: '127.0.0.1', port, method, path, headers, agent: sent.agent ?? false };
  const request = httpRequest(options);
  request.setTimeout(replyMillisecondsMax, () => request.destroy());
  let isAnswered = false;
  request.on('response', (response) => {
    isAnswered = true;
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('close', () => reply(response.statusCode ?? 0, parsed(Buffer.concat(chunks))));
  });
  const ended = (): void => {
    if (!isAnswered) reply(0, {});
  };
  request.on('error', ended).on('close', ended);
  request.end(text);
  return promise;
}

export function getText(path: string, sent: Sent = {}): string {
  const lines = Object.entries({ Host: 'localhost', ...credentialHeaders(sent), ...sent.headers });
  return `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Another address of this machine than the others use, since each address has a fair share. */
export const attackerAddress = '127.0.0.2';

/** A connected socket; undefined if the connection was refused. Later errors are ignored. */
export async function openSocket(port: number, localAddress = '127.0.0.1'): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true));
  socket.on('error', () => resolve(false));
  return (await promise) ? socket : undefined;
}

function textOf(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function parsed(bytes: Buffer): Body {
  try {
    return JSON.parse(bytes.toString()) as Body; // every member is optional, and it is only for figures
  } catch {
    return {};
  }
}
