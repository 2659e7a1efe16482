// Starts the servers that are compared: the service itself, Fastify and bare node:http.
import type { ChildProcess } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { ask } from './ask.ts';
import type { Children } from './children.ts';
import type { Made } from './bench-data.ts';

export type Server = {
  readonly name: string;
  readonly origin: string;
  readonly pid: number;
  readonly child: ChildProcess;
};
export type Setting = {
  readonly children: Children;
  readonly env: Readonly<Record<string, string>>;
  /** The cores of the servers; under full load they share none with the load generator. */
  readonly cores: 'server' | 'any';
};

export const project = join(import.meta.dirname, '../..');
const highLimit = '100000000/60';
const startSeconds = 20;
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
  const tls = flags.includes('--tls') ? [] : ['--tls', 'off'];
  const command = [
    process.execPath,
    '--max-semi-space-size=8',
    join(project, 'src/start.js'),
    ...[`--port=${port}`, `--data=${folder}`, ...tls, ...flags],
    ...limited.map((name) => `--rate-${name}=${highLimit}`),
  ];
  const scheme = tls.length > 0 ? 'http' : 'https';
  return answering(setting, 'orderly', `${scheme}://127.0.0.1:${port}`, {
    command,
    env: { ORDERLY_LOG: 'info', MALLOC_ARENA_MAX: '1' },
  });
}

export function startFastify(
  setting: Setting,
  installed: string,
  database: string,
  env: Readonly<Record<string, string>>,
): Promise<Server> {
  const own = { DATABASE: database, JWT_SECRET: peerSecret, ISSUER: issuer, NODE_ENV: 'production' };
  return startPeer(setting, 'Fastify', [join(installed, 'fastify-server.js')], { ...own, ...env });
}

export function startBare(setting: Setting, env: Readonly<Record<string, string>>): Promise<Server> {
  const name = `bare node:http${'TLS_CERT' in setting.env ? 's' : ''}`;
  return startPeer(setting, name, [join(import.meta.dirname, 'peers/bare.ts')], env);
}

/** A peer uses TLS if its environment names a certificate. */
async function startPeer(
  setting: Setting,
  name: string,
  program: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Server> {
  const port = await freePort();
  const origin = `${'TLS_CERT' in setting.env ? 'https' : 'http'}://127.0.0.1:${port}`;
  const command = [process.execPath, ...program];
  return answering(setting, name, origin, { command, env: { PORT: String(port), ...env } });
}

export async function logIn(origin: string, { email, password }: Made['admin']): Promise<string> {
  const body = JSON.stringify({ email, password });
  const response = await ask(origin, {
    method: 'POST',
    path: '/api/sessions',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  if (response.status !== 201)
    throw new Error(`The login was answered with ${response.status}: ${response.body}`);
  // The members of orderly's response to a sign-in.
  const { accessToken } = JSON.parse(response.body) as { accessToken: string };
  return `Bearer ${accessToken}`;
}

/** A token with as many bytes and claims as the service's own. */
export function peerToken(): string {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = {
    iss: issuer,
    aud: issuer,
    sub: '1',
    sid: 1,
    role: 'admin',
    iat: nowSeconds,
    exp: nowSeconds + 900,
    auth_time: nowSeconds,
    jti: 'bench',
  };
  const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: '1' })}.${encode(claims)}`;
  return `Bearer ${signed}.${createHmac('sha256', peerSecret).update(signed).digest('base64url')}`;
}

type Start = { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> };

async function answering(
  { children, cores, env }: Setting,
  name: string,
  origin: string,
  start: Start,
): Promise<Server> {
  const child = children.start({ ...start, cores, env: { ...env, ...start.env } });
  const deadline = Date.now() + startSeconds * 1000;
  while (!(await isUp(origin))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${name} did not start: ${start.command.join(' ')}`);
    await pause(2);
  }
  if (child.pid === undefined) throw new Error(`${name} has no process id.`);
  return { name, origin, pid: child.pid, child };
}

async function isUp(origin: string): Promise<boolean> {
  try {
    return (await ask(origin, { path: '/health/live' })).status < 500;
  } catch {
    return false; // not listening yet
  }
}
