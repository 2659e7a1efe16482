// Starts the servers that are compared: the service itself, Fastify and bare node:http.
import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { createLoadClient, type LoadClient } from '../support/load-client.ts';
import type { RunningProgram } from '../support/running-program.ts';
import { root } from '../support/source-text.ts';
import type { Made } from './bench-data.ts';
import { launchServer, type Launch } from './children.ts';

export type Server = {
  readonly name: string;
  readonly origin: string;
  readonly pid: number;
  readonly running: RunningProgram;
  readonly client: LoadClient;
};
type Variables = Readonly<Record<string, string>>;
export type Setting = {
  readonly env: Variables;
  /** The cores of the servers; under full load they share none with the load generator. */
  readonly cores: Launch['cores'];
};

const highLimit = '100000000/60';
const startSeconds = 20;
const replyMillisecondsMax = 10_000;
const issuer = 'https://orders.example';
const peerSecret = randomBytes(32).toString('hex');

/** The service as `npm start` runs it, with all its checks on; only its limits are too high to be met. */
export async function startService(
  setting: Setting,
  folder: string,
  flags: readonly string[],
): Promise<Server> {
  const port = await freePort();
  const limited = ['default', 'anonymous', 'login-account', 'login-address'];
  const isTls = flags.includes('--tls');
  const command = [
    ...[process.execPath, '--max-semi-space-size=8', join(root, 'src/start.js')],
    ...[`--port=${port}`, `--data=${folder}`, ...(isTls ? [] : ['--tls', 'off']), ...flags],
    ...limited.map((name) => `--rate-${name}=${highLimit}`),
  ];
  const env = { ORDERLY_LOG: 'info', MALLOC_ARENA_MAX: '1' };
  return answering(setting, { name: 'orderly', port, isTls, command, env });
}

export function startFastify(
  setting: Setting,
  installed: string,
  database: string,
  env: Variables,
): Promise<Server> {
  const own = { DATABASE: database, JWT_SECRET: peerSecret, ISSUER: issuer, NODE_ENV: 'production' };
  return startPeer(setting, 'Fastify', join(installed, 'fastify-server.js'), { ...own, ...env });
}

export function startBare(setting: Setting, env: Variables): Promise<Server> {
  const name = `bare node:http${'TLS_CERT' in setting.env ? 's' : ''}`;
  return startPeer(setting, name, join(import.meta.dirname, 'peers/bare.ts'), env);
}

/** A peer uses TLS if its environment names a certificate. */
async function startPeer(setting: Setting, name: string, program: string, env: Variables): Promise<Server> {
  const port = await freePort();
  const isTls = 'TLS_CERT' in setting.env;
  const command = [process.execPath, program];
  return answering(setting, { name, port, isTls, command, env: { PORT: String(port), ...env } });
}

type Start = {
  readonly name: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly command: readonly string[];
  readonly env: Variables;
};

async function answering({ cores, env }: Setting, start: Start): Promise<Server> {
  const { name, port, isTls, command } = start;
  const running = launchServer({ command, cores, env: { ...env, ...start.env } });
  const tls = isTls ? { tls: { rejectUnauthorized: false } } : {};
  const client = createLoadClient(port, { replyMillisecondsMax, ...tls });
  const deadline = Date.now() + startSeconds * 1000;
  while ((await client.attempt({ method: 'GET', path: '/health/live' })).status === 0) {
    if (running.child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${name} did not start: ${command.join(' ')}`);
    await pause(2);
  }
  const pid = running.child.pid ?? Number.NaN; // it answers, so it has one
  return { name, origin: `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`, pid, running, client };
}

export async function logIn({ client }: Server, admin: Made['admin']): Promise<string> {
  const { email, password } = admin;
  const asked = { method: 'POST', path: '/api/sessions', body: { email, password } } as const;
  const { status, text, thing } = await client.ask(asked);
  if (status !== 201) throw new Error(`The login was answered with ${status}: ${text}`);
  return `Bearer ${thing['accessToken']}`;
}

/** A token with as many bytes and claims as the service's own. */
export function peerToken(): string {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = {
    ...{ iss: issuer, aud: issuer, sub: '1', sid: 1, role: 'admin' },
    ...{ iat: nowSeconds, exp: nowSeconds + 900, auth_time: nowSeconds, jti: 'bench' },
  };
  const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: '1' })}.${encode(claims)}`;
  return `Bearer ${signed}.${createHmac('sha256', peerSecret).update(signed).digest('base64url')}`;
}
